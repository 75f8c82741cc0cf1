"""An offer service with Django REST framework. The fields of the framework convert values of a wrong type, so the
service defines stricter fields. In the lax setting, it uses the fields of the framework.
"""

# Django has no types.
# mypy: disable-error-code="misc"

from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

from django.conf import settings

settings.configure(USE_I18N=False, USE_TZ=True, TIME_ZONE="UTC")

from rest_framework import serializers  # noqa: E402  (Django must be configured first)
from rest_framework.exceptions import APIException, ValidationError  # noqa: E402
from rest_framework.parsers import JSONParser  # noqa: E402

from benchmarks.stacks.runner import LAX, main  # noqa: E402

TOLERANCE = timedelta(minutes=1)
OFFER_TYPES = ["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}


class StringField(serializers.CharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_blank": True, "trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> Any:
        if not LAX and not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Int32Field(serializers.IntegerField):
    def __init__(self, **options: Any) -> None:
        bounds = {} if LAX else {"min_value": -(2**31), "max_value": 2**31 - 1}
        super().__init__(**{**bounds, **options})

    def to_internal_value(self, data: Any) -> Any:
        if LAX:
            return super().to_internal_value(data)
        if type(data) is not int:
            self.fail("invalid")
        return data


class DoubleField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> Any:
        if LAX:
            return super().to_internal_value(data)
        if type(data) not in (int, float):
            self.fail("invalid")
        return data


class StrictBooleanField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> Any:
        if LAX:
            return super().to_internal_value(data)
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictChoiceField(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not LAX and not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class PastField(serializers.DateTimeField):
    def to_internal_value(self, value: Any) -> Any:
        instant = super().to_internal_value(value)
        if instant > self.context["now"] + TOLERANCE:
            raise ValidationError("is in the future")
        return instant


class StrictSerializer(serializers.Serializer):
    def to_internal_value(self, data: Any) -> Any:
        known: Any = self.fields
        if not LAX and isinstance(data, dict) and (unknown := data.keys() - known.keys()):
            raise ValidationError(dict.fromkeys(unknown, "is unknown"))
        return super().to_internal_value(data)


def array(items: Any, *, allow_empty: bool = True) -> serializers.ListSerializer:
    """Returns a nullable list. With `many=True`, Django would allow null for the items too."""
    return serializers.ListSerializer(child=items, allow_empty=allow_empty, **OPTIONAL)


class AdditionalProp(StrictSerializer):
    name = StringField()
    type = StringField(default="string")
    hint = StringField(**OPTIONAL)
    label = StringField(**OPTIONAL)
    value = StringField(**OPTIONAL)


class ChannelOffer(StrictSerializer):
    offerId = StringField(**OPTIONAL)
    deliveryChannel = StringField(**OPTIONAL)


class OmniChannel(StrictSerializer):
    offers = array(ChannelOffer())


class PageCountPrice(StrictSerializer):
    minimumPages = Int32Field(**OPTIONAL)
    maximumPages = Int32Field(**OPTIONAL)
    price = DoubleField(**OPTIONAL)


class PriceTier(StrictSerializer):
    price = DoubleField()
    minimumQuantity = Int32Field(**OPTIONAL)
    maximumQuantity = Int32Field(**OPTIONAL)
    pageCounts = array(PageCountPrice())


class PriceClass(StrictSerializer):
    name = StringField(required=False)
    price = DoubleField(**OPTIONAL)
    priceTiers = array(PriceTier())


class ClusterProduct(StrictSerializer):
    productId = StringField(allow_blank=False)
    productQuantityInOffer = Int32Field()
    associatedFileName = StringField(**OPTIONAL)
    pageCount = Int32Field(min_value=1, **OPTIONAL)
    surcharge = DoubleField(**OPTIONAL)


class ProductCluster(StrictSerializer):
    id = StringField(**OPTIONAL)
    products = array(ClusterProduct(), allow_empty=False)


class Offer(StrictSerializer):
    number = StringField(allow_blank=False)
    offerType = StrictChoiceField(OFFER_TYPES)
    omsOfferId = StringField(**OPTIONAL)
    xmVendorTemplateId = StringField(**OPTIONAL)
    xmVendorUStoreId = StringField(**OPTIONAL)
    description = StringField(**OPTIONAL)
    comments = StringField(**OPTIONAL)
    accessGroups = serializers.ListField(child=StringField(), **OPTIONAL)
    categoryIds = serializers.ListField(child=StringField(), **OPTIONAL)
    availableStartDate = serializers.DateTimeField(**OPTIONAL)
    availableEndDate = serializers.DateTimeField(**OPTIONAL)
    lastUpdatedDateTimeUtc = PastField(**OPTIONAL)
    defaultPrice = DoubleField(**OPTIONAL)
    surcharge = DoubleField(**OPTIONAL)
    deliveryScheduleCron = serializers.RegexField(r"^(\S+ ){4}\S+$", **OPTIONAL)
    doSuppressShippingAndHandling = StrictBooleanField(**OPTIONAL)
    onlyShipMethodsAvailable = serializers.ListField(child=StringField(), **OPTIONAL)
    fixedOrderQuantities = serializers.ListField(child=Int32Field(), **OPTIONAL)
    orderMinimum = Int32Field(min_value=1, **OPTIONAL)
    orderMaximum = Int32Field(min_value=1, **OPTIONAL)
    fullImageUrl = serializers.URLField(**OPTIONAL)
    thumbnailUrl = serializers.URLField(**OPTIONAL)
    pdfUrl = serializers.URLField(**OPTIONAL)
    isActive = StrictBooleanField(**OPTIONAL)
    isAvailableViaCoopFunds = StrictBooleanField(**OPTIONAL)
    isInventoried = StrictBooleanField(**OPTIONAL)
    isTaxable = StrictBooleanField(**OPTIONAL)
    requiresApproval = StrictBooleanField(**OPTIONAL)
    secureEmailSubject = StringField(**OPTIONAL)
    secureEmailBody = StringField(**OPTIONAL)
    unitOfMeasure = StringField(**OPTIONAL)
    weightInPounds = DoubleField(**OPTIONAL)
    additionalPropsRequiredOnOrder = array(AdditionalProp())
    omniChannel = OmniChannel(**OPTIONAL)
    priceClasses = array(PriceClass())
    productClusters = array(ProductCluster())

    def validate(self, attrs: Any) -> Any:
        """Checks that all clusters of a product list contain products (validation rule 3 of the contract)."""
        clusters = attrs.get("productClusters")
        if attrs["offerType"] == "Product List" and not (
            clusters and all(cluster.get("products") for cluster in clusters)
        ):
            raise ValidationError("a product list needs products")
        return attrs


def accepts(body: bytes, now: datetime) -> bool:
    try:
        return bool(Offer(data=JSONParser().parse(BytesIO(body)), context={"now": now}).is_valid())
    except (APIException, RecursionError):
        return False


if __name__ == "__main__":
    main(accepts)
