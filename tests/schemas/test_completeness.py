"""The sites are exactly the fields of the contract. The table below was written by hand from the tables in the
contract.
"""

from typing import Any

import pytest

from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, Site, load_contract
from brokerfuzz.schemas.flattening import types_of

# One field per line: its site, its type, `!` if it is required, `?` if it may be null, and then its bounds.
OFFER = """
number string! >=1-long
offerType string! enum
omsOfferId string?
xmVendorTemplateId string?
xmVendorUStoreId string?
description string?
comments string?
accessGroups array?
accessGroups[] string
categoryIds array?
categoryIds[] string
availableStartDate string?
availableEndDate string?
lastUpdatedDateTimeUtc string?
defaultPrice number?
surcharge number?
deliveryScheduleCron string?
doSuppressShippingAndHandling boolean?
onlyShipMethodsAvailable array?
onlyShipMethodsAvailable[] string
fixedOrderQuantities array?
fixedOrderQuantities[] integer int32
orderMinimum integer? 1..
orderMaximum integer? 1..
fullImageUrl string?
thumbnailUrl string?
pdfUrl string?
isActive boolean?
isAvailableViaCoopFunds boolean?
isInventoried boolean?
isTaxable boolean?
requiresApproval boolean?
secureEmailSubject string?
secureEmailBody string?
unitOfMeasure string?
weightInPounds number?
additionalPropsRequiredOnOrder array?
additionalPropsRequiredOnOrder[] object
additionalPropsRequiredOnOrder[].name string!
additionalPropsRequiredOnOrder[].type string
additionalPropsRequiredOnOrder[].hint string?
additionalPropsRequiredOnOrder[].label string?
additionalPropsRequiredOnOrder[].value string?
omniChannel object?
omniChannel.offers array?
omniChannel.offers[] object
omniChannel.offers[].offerId string?
omniChannel.offers[].deliveryChannel string?
priceClasses array?
priceClasses[] object
priceClasses[].name string
priceClasses[].price number?
priceClasses[].priceTiers array?
priceClasses[].priceTiers[] object
priceClasses[].priceTiers[].price number!
priceClasses[].priceTiers[].minimumQuantity integer? int32
priceClasses[].priceTiers[].maximumQuantity integer? int32
priceClasses[].priceTiers[].pageCounts array?
priceClasses[].priceTiers[].pageCounts[] object
priceClasses[].priceTiers[].pageCounts[].minimumPages integer? int32
priceClasses[].priceTiers[].pageCounts[].maximumPages integer? int32
priceClasses[].priceTiers[].pageCounts[].price number?
productClusters array?
productClusters[] object
productClusters[].id string?
productClusters[].products array? >=1-item
productClusters[].products[] object
productClusters[].products[].productId string! >=1-long
productClusters[].products[].productQuantityInOffer integer! int32
productClusters[].products[].associatedFileName string?
productClusters[].products[].pageCount integer? 1..
productClusters[].products[].surcharge number?
"""
ENVELOPE = """
failureMessages array!
failureMessages[] string
informationalMessages array!
informationalMessages[] string
operationWasSuccessful boolean!
"""
PRODUCTS = """
data array!?
data[] object
data[].productId string!
data[].productNumber string!
data[].productType string!
data[].status string!
data[].lastUpdateDateTimeUtc string!
data[].billingEntityId string?
data[].productDescription string?
data[].productOwner string?
data[].unitOfMeasure string?
data[].weight number?
"""
PRICING = """
data object!?
data.customerId string!
data.offers array!
data.offers[] object
data.offers[].offerId string! >=1-long
data.offers[].quantity integer! 1..
data.offers[].unitPrice number! 0..
data.offers[].extendedPrice number! 0..
data.offers[].pageCount integer? 1..
data.offers[].priceClass string?
data.offers[].productIds array?
data.offers[].productIds[] string
data.totalExtendedPrice number! 0..
"""
FIELDS: dict[MessageType, str] = {
    "offer-creation-request": OFFER,
    "product-list-response": PRODUCTS + ENVELOPE,
    "offer-pricing-response": PRICING + ENVELOPE,
}
BOUNDS: dict[str, dict[str, Any]] = {
    ">=1-long": {"minLength": 1},
    ">=1-item": {"minItems": 1},
    "enum": {"enum": ["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]},
    "int32": {"minimum": -(2**31), "maximum": 2**31 - 1},
    "1..": {"minimum": 1, "maximum": 2**31 - 1},
    "0..": {"minimum": 0},
    "": {},
}
STRUCTURE = {"type", "properties", "items", "required", "allOf", "title", "description", "default", "$comment"}


def in_words(site: Site) -> str:
    """Describes a site like a line of `FIELDS`, but without limits such as `int32`."""
    types = types_of(site.schema)
    kind = " or ".join(sorted(types - {"null"}))
    return f"{site.path} {kind}{'!' * site.required}{'?' * ('null' in types)}"


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_sites_are_the_fields_of_the_contract(message_type: MessageType) -> None:
    written = {" ".join(line.split()[:2]) for line in FIELDS[message_type].split("\n") if line}
    assert {in_words(site) for path, site in load_contract().sites[message_type].items() if path} == written


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_field_is_bounded_as_the_contract_says_and_no_further(message_type: MessageType) -> None:
    for line in filter(None, FIELDS[message_type].split("\n")):
        path, _, bounds = [*line.split(), ""][:3]
        schema = load_contract().sites[message_type][path].schema
        stated = {keyword: value for keyword, value in schema.items() if keyword not in STRUCTURE}
        assert stated == BOUNDS[bounds] | ({"additionalProperties": False} if "object" in types_of(schema) else {}), (
            path
        )


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_every_message_is_one_closed_object(message_type: MessageType) -> None:
    root = load_contract().flat[message_type]
    assert types_of(root) == {"object"}
    assert root["additionalProperties"] is False


def test_the_one_default_of_the_contract_is_kept() -> None:
    with_default = {
        path: site.schema["default"]
        for path, site in load_contract().sites["offer-creation-request"].items()
        if "default" in site.schema
    }
    assert with_default == {"additionalPropsRequiredOnOrder[].type": "string"}
