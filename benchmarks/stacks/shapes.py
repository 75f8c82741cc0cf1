"""The objects of an offer, written by hand from the contract document. Three stacks make their classes from them."""

from typing import Any, Literal, NamedTuple

Kind = Literal["text", "id", "offer type", "time", "cron", "int32", "positive", "number", "flag"]
Presence = Literal["required", "not null", "nullable"]
"""A property that is not required can be absent."""
OFFER_TYPES = ("Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM")


class Prop(NamedTuple):
    """A property. `kind` is the kind of its value, or the properties of an object. With `many`, the value is an array
    of at least `least` items.
    """

    kind: Any
    presence: Presence = "nullable"
    many: bool = False
    least: int = 0


Shape = dict[str, Prop]


def nullable(names: str, kind: Kind, *, many: bool = False) -> Shape:
    return {name: Prop(kind, many=many) for name in names.split()}


def required(names: str, kind: Kind) -> Shape:
    return {name: Prop(kind, "required") for name in names.split()}


ADDITIONAL_PROP = required("name", "text") | {"type": Prop("text", "not null")} | nullable("hint label value", "text")
CHANNEL_OFFER = nullable("offerId deliveryChannel", "text")
PAGE_COUNT = nullable("minimumPages maximumPages", "int32") | nullable("price", "number")
PRICE_TIER = {
    **required("price", "number"),
    **nullable("minimumQuantity maximumQuantity", "int32"),
    "pageCounts": Prop(PAGE_COUNT, many=True),
}
PRICE_CLASS = {
    "name": Prop("text", "not null"),
    **nullable("price", "number"),
    "priceTiers": Prop(PRICE_TIER, many=True),
}
PRODUCT = {
    **required("productId", "id"),
    **required("productQuantityInOffer", "int32"),
    **nullable("associatedFileName", "text"),
    **nullable("pageCount", "positive"),
    **nullable("surcharge", "number"),
}
CLUSTER = {**nullable("id", "text"), "products": Prop(PRODUCT, many=True, least=1)}
OFFER = {
    **required("number", "id"),
    **required("offerType", "offer type"),
    **nullable("omsOfferId xmVendorTemplateId xmVendorUStoreId description comments unitOfMeasure", "text"),
    **nullable("fullImageUrl thumbnailUrl pdfUrl secureEmailSubject secureEmailBody", "text"),
    **nullable("accessGroups categoryIds onlyShipMethodsAvailable", "text", many=True),
    **nullable("availableStartDate availableEndDate lastUpdatedDateTimeUtc", "time"),
    **nullable("deliveryScheduleCron", "cron"),
    **nullable("defaultPrice surcharge weightInPounds", "number"),
    **nullable("doSuppressShippingAndHandling isActive isAvailableViaCoopFunds", "flag"),
    **nullable("isInventoried isTaxable requiresApproval", "flag"),
    **nullable("fixedOrderQuantities", "int32", many=True),
    **nullable("orderMinimum orderMaximum", "positive"),
    "additionalPropsRequiredOnOrder": Prop(ADDITIONAL_PROP, many=True),
    "omniChannel": Prop({"offers": Prop(CHANNEL_OFFER, many=True)}),
    "priceClasses": Prop(PRICE_CLASS, many=True),
    "productClusters": Prop(CLUSTER, many=True),
}


def lacks_products(offer: Any) -> bool:
    """Checks validation rule 3 of the contract. The argument is an object with the attributes of an offer."""
    clusters = offer.productClusters
    return offer.offerType == "Product List" and not (clusters and all(cluster.products for cluster in clusters))
