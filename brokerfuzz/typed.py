"""The message types as Python TypedDicts. `python -m tests.regenerate` writes this file.

To change it, change the schemas.
"""

from typing import Literal, NotRequired, TypedDict

__all__ = [
    "ChannelOffer",
    "ClusterProduct",
    "OfferCreationRequest",
    "OfferPricing",
    "OfferPricingResponse",
    "OmniChannel",
    "PageCountPrice",
    "PriceClass",
    "PriceTier",
    "PricedOffer",
    "ProductCluster",
    "ProductListCluster",
    "ProductListOffer",
    "ProductListResponse",
    "ProductRecord",
    "PropertyRequiredOnOrder",
]


class PropertyRequiredOnOrder(TypedDict):
    """An item of `additionalPropsRequiredOnOrder` in an offer creation request."""

    name: str
    """Name of the property."""
    type: NotRequired[str]
    """Type of the value."""
    hint: NotRequired[str | None]
    """Hint for the person who orders."""
    label: NotRequired[str | None]
    """Label for the person who orders."""
    value: NotRequired[str | None]
    """Default value."""


class ChannelOffer(TypedDict):
    """An item of `omniChannel.offers` in an offer creation request."""

    offerId: NotRequired[str | None]
    """ID of the offer for this channel."""
    deliveryChannel: NotRequired[str | None]
    """The channel."""


class OmniChannel(TypedDict):
    """The parts of an offer that uses several channels."""

    offers: NotRequired[list[ChannelOffer] | None]
    """One offer for each channel."""


class PageCountPrice(TypedDict):
    """An item of `priceClasses[].priceTiers[].pageCounts` in an offer creation request."""

    minimumPages: NotRequired[int | None]
    """Lowest number of pages to which the price applies."""
    maximumPages: NotRequired[int | None]
    """Highest number of pages to which the price applies."""
    price: NotRequired[float | None]
    """Price for this number of pages."""


class PriceTier(TypedDict):
    """An item of `priceClasses[].priceTiers` in an offer creation request."""

    price: float
    """Price in this tier."""
    minimumQuantity: NotRequired[int | None]
    """Lowest quantity of the tier."""
    maximumQuantity: NotRequired[int | None]
    """Highest quantity of the tier."""
    pageCounts: NotRequired[list[PageCountPrice] | None]
    """Prices by number of pages."""


class PriceClass(TypedDict):
    """An item of `priceClasses` in an offer creation request."""

    name: NotRequired[str]
    """Name of the price class."""
    price: NotRequired[float | None]
    """Price of the price class, if no price tier applies."""
    priceTiers: NotRequired[list[PriceTier] | None]
    """Price tiers by quantity."""


class ClusterProduct(TypedDict):
    """An item of `productClusters[].products` in an offer creation request."""

    productId: str
    """ID of the product."""
    productQuantityInOffer: int
    """Quantity of the product in one offer."""
    associatedFileName: NotRequired[str | None]
    """Name of a file that belongs to the product."""
    pageCount: NotRequired[int | None]
    """Number of pages of the product."""
    surcharge: NotRequired[float | None]
    """Amount that the product adds to the price."""


class ProductCluster(TypedDict):
    """An item of `productClusters` in an offer creation request."""

    id: NotRequired[str | None]
    """ID of the cluster."""
    products: NotRequired[list[ClusterProduct] | None]
    """The products of the cluster."""


class OfferCreationRequest(TypedDict):
    """A sellable item to create, with its prices, availability, ordering limits and delivery."""

    number: str
    """The offer's number."""
    offerType: Literal["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
    """How the offer is fulfilled."""
    omsOfferId: NotRequired[str | None]
    """ID of the offer in the order management system."""
    xmVendorTemplateId: NotRequired[str | None]
    """ID of a vendor template; the contract does not define it further."""
    xmVendorUStoreId: NotRequired[str | None]
    """ID of a vendor store; the contract does not define it further."""
    description: NotRequired[str | None]
    """Description of the offer."""
    comments: NotRequired[str | None]
    """Comments on the offer."""
    accessGroups: NotRequired[list[str] | None]
    """Groups that have access to the offer; the contract does not define them further."""
    categoryIds: NotRequired[list[str] | None]
    """Categories of the offer."""
    availableStartDate: NotRequired[str | None]
    """Start of the availability of the offer, in UTC."""
    availableEndDate: NotRequired[str | None]
    """End of the availability of the offer, in UTC."""
    lastUpdatedDateTimeUtc: NotRequired[str | None]
    """Time of the last change of the offer, in UTC; never in the future."""
    defaultPrice: NotRequired[float | None]
    """The price if no price class applies."""
    surcharge: NotRequired[float | None]
    """Amount that is added to the price."""
    deliveryScheduleCron: NotRequired[str | None]
    """Delivery schedule as a cron expression; the contract does not define the format."""
    doSuppressShippingAndHandling: NotRequired[bool | None]
    """True if shipping and handling are not charged."""
    onlyShipMethodsAvailable: NotRequired[list[str] | None]
    """The only shipping methods that are available for the offer."""
    fixedOrderQuantities: NotRequired[list[int] | None]
    """The only quantities that can be ordered, if they are limited."""
    orderMinimum: NotRequired[int | None]
    """Minimum quantity of an order."""
    orderMaximum: NotRequired[int | None]
    """Maximum quantity of an order."""
    fullImageUrl: NotRequired[str | None]
    """URL of the full-size image."""
    thumbnailUrl: NotRequired[str | None]
    """URL of the thumbnail image."""
    pdfUrl: NotRequired[str | None]
    """URL of the PDF."""
    isActive: NotRequired[bool | None]
    """True if the offer is active."""
    isAvailableViaCoopFunds: NotRequired[bool | None]
    """True if the offer can be paid for with cooperative funds; the contract does not define these funds."""
    isInventoried: NotRequired[bool | None]
    """True if the offer is kept in stock."""
    isTaxable: NotRequired[bool | None]
    """True if the offer is taxable."""
    requiresApproval: NotRequired[bool | None]
    """True if orders of the offer require approval."""
    secureEmailSubject: NotRequired[str | None]
    """Subject of the secure e-mail; the contract does not say when this e-mail is sent."""
    secureEmailBody: NotRequired[str | None]
    """Text of the secure e-mail; the contract does not say when this e-mail is sent."""
    unitOfMeasure: NotRequired[str | None]
    """Unit of measure of the offer."""
    weightInPounds: NotRequired[float | None]
    """Weight of the offer, in pounds."""
    additionalPropsRequiredOnOrder: NotRequired[list[PropertyRequiredOnOrder] | None]
    """Additional properties that an order of the offer must contain."""
    omniChannel: NotRequired[OmniChannel | None]
    """The parts of an offer that uses several channels."""
    priceClasses: NotRequired[list[PriceClass] | None]
    """Prices for classes of customers."""
    productClusters: NotRequired[list[ProductCluster] | None]
    """Groups of products that make up the offer."""


class ProductListCluster(TypedDict):
    """An item of `productClusters` in an offer creation request."""

    products: list[ClusterProduct]
    """The products of the cluster."""
    id: NotRequired[str | None]
    """ID of the cluster."""


class ProductListOffer(TypedDict):
    """An offer that consists of products."""

    number: str
    """The offer's number."""
    offerType: Literal["Product List"]
    """How the offer is fulfilled."""
    omsOfferId: NotRequired[str | None]
    """ID of the offer in the order management system."""
    xmVendorTemplateId: NotRequired[str | None]
    """ID of a vendor template; the contract does not define it further."""
    xmVendorUStoreId: NotRequired[str | None]
    """ID of a vendor store; the contract does not define it further."""
    description: NotRequired[str | None]
    """Description of the offer."""
    comments: NotRequired[str | None]
    """Comments on the offer."""
    accessGroups: NotRequired[list[str] | None]
    """Groups that have access to the offer; the contract does not define them further."""
    categoryIds: NotRequired[list[str] | None]
    """Categories of the offer."""
    availableStartDate: NotRequired[str | None]
    """Start of the availability of the offer, in UTC."""
    availableEndDate: NotRequired[str | None]
    """End of the availability of the offer, in UTC."""
    lastUpdatedDateTimeUtc: NotRequired[str | None]
    """Time of the last change of the offer, in UTC; never in the future."""
    defaultPrice: NotRequired[float | None]
    """The price if no price class applies."""
    surcharge: NotRequired[float | None]
    """Amount that is added to the price."""
    deliveryScheduleCron: NotRequired[str | None]
    """Delivery schedule as a cron expression; the contract does not define the format."""
    doSuppressShippingAndHandling: NotRequired[bool | None]
    """True if shipping and handling are not charged."""
    onlyShipMethodsAvailable: NotRequired[list[str] | None]
    """The only shipping methods that are available for the offer."""
    fixedOrderQuantities: NotRequired[list[int] | None]
    """The only quantities that can be ordered, if they are limited."""
    orderMinimum: NotRequired[int | None]
    """Minimum quantity of an order."""
    orderMaximum: NotRequired[int | None]
    """Maximum quantity of an order."""
    fullImageUrl: NotRequired[str | None]
    """URL of the full-size image."""
    thumbnailUrl: NotRequired[str | None]
    """URL of the thumbnail image."""
    pdfUrl: NotRequired[str | None]
    """URL of the PDF."""
    isActive: NotRequired[bool | None]
    """True if the offer is active."""
    isAvailableViaCoopFunds: NotRequired[bool | None]
    """True if the offer can be paid for with cooperative funds; the contract does not define these funds."""
    isInventoried: NotRequired[bool | None]
    """True if the offer is kept in stock."""
    isTaxable: NotRequired[bool | None]
    """True if the offer is taxable."""
    requiresApproval: NotRequired[bool | None]
    """True if orders of the offer require approval."""
    secureEmailSubject: NotRequired[str | None]
    """Subject of the secure e-mail; the contract does not say when this e-mail is sent."""
    secureEmailBody: NotRequired[str | None]
    """Text of the secure e-mail; the contract does not say when this e-mail is sent."""
    unitOfMeasure: NotRequired[str | None]
    """Unit of measure of the offer."""
    weightInPounds: NotRequired[float | None]
    """Weight of the offer, in pounds."""
    additionalPropsRequiredOnOrder: NotRequired[list[PropertyRequiredOnOrder] | None]
    """Additional properties that an order of the offer must contain."""
    omniChannel: NotRequired[OmniChannel | None]
    """The parts of an offer that uses several channels."""
    priceClasses: NotRequired[list[PriceClass] | None]
    """Prices for classes of customers."""
    productClusters: list[ProductListCluster]
    """Groups of products that make up the offer."""


class ProductRecord(TypedDict):
    """An item of `data` in a product list response."""

    productId: str
    """ID of the product in the integration layer; the contract does not describe this layer."""
    productNumber: str
    """Product number in the product management system."""
    productType: str
    """Type of the product; the contract does not list the types."""
    status: str
    """Current status of the product; the contract does not list the states."""
    lastUpdateDateTimeUtc: str
    """Time of the last change in the product management system, in UTC."""
    billingEntityId: NotRequired[str | None]
    """ID of the entity that is billed for the product."""
    productDescription: NotRequired[str | None]
    """Description of the product in the product management system."""
    productOwner: NotRequired[str | None]
    """Owner of the product."""
    unitOfMeasure: NotRequired[str | None]
    """Unit of measure of the product."""
    weight: NotRequired[float | None]
    """Maximum weight of the product, in pounds, as a decimal number."""


class ProductListResponse(TypedDict):
    """A response with the products of a product management system."""

    data: list[ProductRecord] | None
    """The products, or null if there is no result."""
    failureMessages: list[str]
    """Errors, as human-readable messages."""
    informationalMessages: list[str]
    """Further information, as human-readable messages."""
    operationWasSuccessful: bool
    """True if the operation was successful."""


class PricedOffer(TypedDict):
    """An item of `data.offers` in an offer pricing response."""

    offerId: str
    """ID of the offer."""
    quantity: int
    """Quantity that was ordered."""
    unitPrice: float
    """Price of one unit."""
    extendedPrice: float
    """Price of the whole quantity, including surcharges."""
    pageCount: NotRequired[int | None]
    """Number of pages to which the price applies."""
    priceClass: NotRequired[str | None]
    """The price class that was applied."""
    productIds: NotRequired[list[str] | None]
    """IDs of the products that the price includes."""


class OfferPricing(TypedDict):
    """The calculated prices. Without prices, the property `data` is null."""

    customerId: str
    """ID of the customer for whom the prices were calculated."""
    offers: list[PricedOffer]
    """The priced offers."""
    totalExtendedPrice: float
    """Total price of all offers."""


class OfferPricingResponse(TypedDict):
    """A response with the prices of offers for a customer."""

    data: OfferPricing | None
    """The calculated prices. Without prices, the property `data` is null."""
    failureMessages: list[str]
    """Errors, as human-readable messages."""
    informationalMessages: list[str]
    """Further information, as human-readable messages."""
    operationWasSuccessful: bool
    """True if the operation was successful."""
