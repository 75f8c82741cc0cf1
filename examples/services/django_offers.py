"""The same service as `strict_fastapi`, with Django REST framework. The fields of this framework convert values, so
this file defines strict fields.
"""

from datetime import UTC, datetime
from typing import Any

import django
from django.conf import settings

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "UNAUTHENTICATED_USER": None,
}
# With a time zone west of UTC, Django crashes on 9999-12-31T20:00:00, because this time is in the year 10000 in UTC.
settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, TIME_ZONE="UTC", USE_TZ=True, REST_FRAMEWORK=REST_FRAMEWORK
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402  (Django must be configured first)
from django.urls import path  # noqa: E402
from rest_framework import serializers  # noqa: E402
from rest_framework.decorators import api_view, parser_classes  # noqa: E402
from rest_framework.parsers import JSONParser  # noqa: E402
from rest_framework.response import Response  # noqa: E402

TYPES = ["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}


def strict(field: type, *types: type, **defaults: Any) -> Any:
    """Returns a class of fields that accept only values of these types."""

    class Strict(field):
        def __init__(self, **options: Any) -> None:
            super().__init__(**defaults | options)

        def to_internal_value(self, data: Any) -> Any:
            if type(data) not in types:
                raise serializers.ValidationError("has the wrong type")
            return super().to_internal_value(data)

    return Strict


Text = strict(serializers.CharField, str, allow_blank=True, trim_whitespace=False)
Integer = strict(serializers.IntegerField, int, min_value=-(2**31), max_value=2**31 - 1)
Number = strict(serializers.FloatField, int, float)
Flag = strict(serializers.BooleanField, bool)
Choice = strict(serializers.ChoiceField, str)


class PastTime(serializers.DateTimeField):
    def to_internal_value(self, value: Any) -> Any:
        instant = super().to_internal_value(value)
        if instant > self.context.get("now", datetime.now(UTC)):
            raise serializers.ValidationError("is in the future")
        return instant


class Shape(serializers.Serializer):
    """An object that rejects unknown properties."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := data.keys() - self.fields.keys()):
            raise serializers.ValidationError(dict.fromkeys(unknown, "is unknown"))
        return super().to_internal_value(data)


def optional(field: Any, *names: str, **options: Any) -> dict[str, Any]:
    return {name: field(**OPTIONAL, **options) for name in names}


def array(items: Any, *, allow_empty: bool = True) -> Any:
    return serializers.ListSerializer(child=items, allow_empty=allow_empty, **OPTIONAL)


def shape(**fields: Any) -> Any:
    return type("Part", (Shape,), fields)


Property = shape(name=Text(), type=Text(required=False), **optional(Text, "hint", "label", "value"))
Channel = shape(**optional(Text, "offerId", "deliveryChannel"))
Pages = shape(**optional(Integer, "minimumPages", "maximumPages"), **optional(Number, "price"))
Tier = shape(price=Number(), **optional(Integer, "minimumQuantity", "maximumQuantity"), pageCounts=array(Pages()))
PriceClass = shape(name=Text(required=False), **optional(Number, "price"), priceTiers=array(Tier()))
Product = shape(
    productId=Text(allow_blank=False),
    productQuantityInOffer=Integer(),
    **optional(Text, "associatedFileName"),
    **optional(Integer, "pageCount", min_value=1),
    **optional(Number, "surcharge"),
)
Cluster = shape(**optional(Text, "id"), products=array(Product(), allow_empty=False))
Fields = shape(
    number=Text(allow_blank=False),
    offerType=Choice(choices=TYPES),
    **optional(
        Text, "omsOfferId", "xmVendorTemplateId", "xmVendorUStoreId", "description", "comments", "deliveryScheduleCron"
    ),
    **optional(Text, "secureEmailSubject", "secureEmailBody", "unitOfMeasure"),
    **{name: array(Text()) for name in ("accessGroups", "categoryIds", "onlyShipMethodsAvailable")},
    **optional(serializers.DateTimeField, "availableStartDate", "availableEndDate"),
    **optional(PastTime, "lastUpdatedDateTimeUtc"),
    **optional(Number, "defaultPrice", "surcharge", "weightInPounds"),
    **optional(
        Flag,
        "doSuppressShippingAndHandling",
        "isActive",
        "isAvailableViaCoopFunds",
        "isInventoried",
        "isTaxable",
        "requiresApproval",
    ),
    fixedOrderQuantities=array(Integer()),
    **optional(Integer, "orderMinimum", "orderMaximum", min_value=1),
    **optional(serializers.URLField, "fullImageUrl", "thumbnailUrl", "pdfUrl"),
    additionalPropsRequiredOnOrder=array(Property()),
    omniChannel=shape(offers=array(Channel()))(**OPTIONAL),
    priceClasses=array(PriceClass()),
    productClusters=array(Cluster()),
)


class Offer(Fields):
    def validate(self, attrs: Any) -> Any:
        """Checks validation rule 3 of the contract."""
        clusters = attrs.get("productClusters")
        if attrs["offerType"] == "Product List" and not (
            clusters and all(cluster.get("products") for cluster in clusters)
        ):
            raise serializers.ValidationError("a product list needs products")
        return attrs


@api_view(["POST"])
@parser_classes([JSONParser])
def create(request: Any) -> Response:
    try:
        Offer(data=request.data).is_valid(raise_exception=True)
    except RecursionError:  # the body is nested too deeply
        return Response(status=400)
    return Response(status=201)


urlpatterns = [path("offers", create)]
app = get_wsgi_application()
