"""An offer service with FastAPI that complies with the contract.

FastAPI parses the body with Python's `json` before pydantic checks the values. This loses information about duplicate
properties and large numbers. So this service gives the bytes of the body to pydantic.
"""

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from fastapi import FastAPI, Request, Response
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel

Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
PositiveInt32 = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Shape(BaseModel):
    """An object that rejects unknown properties, conversions, NaN and infinity."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, alias_generator=to_camel)


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
    name: str = ""
    price: float | None = None
    price_tiers: list[PriceTier] | None = None


class ClusterProduct(Shape):
    product_id: Annotated[str, Field(min_length=1)]
    product_quantity_in_offer: Int32
    associated_file_name: str | None = None
    page_count: PositiveInt32 | None = None
    surcharge: float | None = None


class ProductCluster(Shape):
    id: str | None = None
    products: Annotated[list[ClusterProduct], Field(min_length=1)] | None = None


class Offer(Shape):
    number: Annotated[str, Field(min_length=1)]
    offer_type: Literal["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
    oms_offer_id: str | None = None
    xm_vendor_template_id: str | None = None
    xm_vendor_u_store_id: str | None = None
    description: str | None = None
    comments: str | None = None
    access_groups: list[str] | None = None
    category_ids: list[str] | None = None
    available_start_date: datetime | None = None
    available_end_date: datetime | None = None
    last_updated_date_time_utc: datetime | None = None
    default_price: float | None = None
    surcharge: float | None = None
    delivery_schedule_cron: str | None = None
    do_suppress_shipping_and_handling: bool | None = None
    only_ship_methods_available: list[str] | None = None
    fixed_order_quantities: list[Int32] | None = None
    order_minimum: PositiveInt32 | None = None
    order_maximum: PositiveInt32 | None = None
    full_image_url: HttpUrl | None = None
    thumbnail_url: HttpUrl | None = None
    pdf_url: HttpUrl | None = None
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

    @field_validator("last_updated_date_time_utc")
    @classmethod
    def not_in_the_future(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        """Checks validation rule 6 of the contract. A timestamp without a time zone is in UTC."""
        if value and (value if value.tzinfo else value.replace(tzinfo=UTC)) > (info.context or datetime.now(UTC)):
            raise ValueError("is in the future")
        return value

    @model_validator(mode="after")
    def has_products(self) -> Self:
        """Checks validation rule 3 of the contract."""
        if self.offer_type == "Product List" and not (
            self.product_clusters and all(cluster.products for cluster in self.product_clusters)
        ):
            raise ValueError("a product list needs products")
        return self


app = FastAPI()


@app.post("/offers")
async def create(request: Request) -> Response:
    try:
        Offer.model_validate_json(await request.body())
    except ValidationError:
        return Response(status_code=422)
    return Response(status_code=201)
