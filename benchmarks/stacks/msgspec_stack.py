"""An offer service with msgspec. The service checks the format of `lastUpdatedDateTimeUtc`, but not of the other
timestamps.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.json import Decoder

from benchmarks.stacks.runner import LAX, main

TOLERANCE = timedelta(seconds=30)

Int32 = Annotated[int, Meta() if LAX else Meta(ge=-(2**31), le=2**31 - 1)]
PositiveInt32 = Annotated[int, Meta() if LAX else Meta(ge=1, le=2**31 - 1)]
NonEmptyString = Annotated[str, Meta() if LAX else Meta(min_length=1)]


class Shape(Struct, forbid_unknown_fields=not LAX, rename="camel", kw_only=True):
    """An object that rejects unknown properties, except in the lax setting."""


class AdditionalProp(Shape):
    name: str
    type: str = "string"
    hint: str | None = None
    label: str | None = None
    value: str | None = None


class ChannelOffer(Shape):
    offer_id: str | None = None
    delivery_channel: str | None = None


class OmniChannel(Shape):
    offers: list[ChannelOffer] | None = None


class PageCountPrice(Shape):
    minimum_pages: Int32 | None = None
    maximum_pages: Int32 | None = None
    price: float | None = None


class PriceTier(Shape):
    price: float
    minimum_quantity: Int32 | None = None
    maximum_quantity: Int32 | None = None
    page_counts: list[PageCountPrice] | None = None


class PriceClass(Shape):
    name: str | UnsetType = UNSET
    price: float | None = None
    price_tiers: list[PriceTier] | None = None


class ClusterProduct(Shape):
    product_id: NonEmptyString
    product_quantity_in_offer: Int32
    associated_file_name: str | None = None
    page_count: PositiveInt32 | None = None
    surcharge: float | None = None


class ProductCluster(Shape):
    id: str | None = None
    products: Annotated[list[ClusterProduct], Meta(min_length=1)] | None = None


class Offer(Shape):
    number: NonEmptyString
    offer_type: Literal["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
    oms_offer_id: str | None = None
    xm_vendor_template_id: str | None = None
    xm_vendor_u_store_id: str | None = None
    description: str | None = None
    comments: str | None = None
    access_groups: list[str] | None = None
    category_ids: list[str] | None = None
    available_start_date: str | None = None
    available_end_date: str | None = None
    last_updated_date_time_utc: datetime | None = None
    default_price: float | None = None
    surcharge: float | None = None
    delivery_schedule_cron: str | None = None
    do_suppress_shipping_and_handling: bool | None = None
    only_ship_methods_available: list[str] | None = None
    fixed_order_quantities: list[Int32] | None = None
    order_minimum: PositiveInt32 | None = None
    order_maximum: PositiveInt32 | None = None
    full_image_url: str | None = None
    thumbnail_url: str | None = None
    pdf_url: str | None = None
    is_active: bool | None = None
    is_available_via_coop_funds: bool | None = None
    is_inventoried: bool | None = None
    is_taxable: bool | None = None
    requires_approval: bool | None = None
    secure_email_subject: str | None = None
    secure_email_body: str | None = None
    unit_of_measure: str | None = None
    weight_in_pounds: float | None = None
    additional_props_required_on_order: list[AdditionalProp] | None = None
    omni_channel: OmniChannel | None = None
    price_classes: list[PriceClass] | None = None
    product_clusters: list[ProductCluster] | None = None

    def __post_init__(self) -> None:
        """Checks validation rule 3 of the contract."""
        if self.offer_type == "Product List" and not (
            self.product_clusters and all(cluster.products for cluster in self.product_clusters)
        ):
            raise ValueError("a product list needs products")


DECODER = Decoder(Offer, strict=not LAX)


def accepts(body: bytes, now: datetime) -> bool:
    try:
        updated = DECODER.decode(body).last_updated_date_time_utc
    except ValueError:  # msgspec's errors are ValueErrors, and so is invalid UTF-8
        return False
    if updated is None:
        return True
    return (updated if updated.tzinfo else updated.replace(tzinfo=UTC)) <= now + TOLERANCE


if __name__ == "__main__":
    main(accepts)
