"""An offer service with FastAPI whose models are too lax. brokerfuzz finds these mistakes:

1. The service converts values: "5" to the integer 5, and "yes" to true (pydantic is not strict by default).
2. It ignores unknown properties.
3. It accepts the empty string for number and productId.
4. It accepts 0 for orderMinimum, orderMaximum and pageCount, and numbers that do not fit into 32 bits.
5. It accepts any offerType.
6. It accepts a product list without clusters, and a cluster without products.
7. It accepts a lastUpdatedDateTimeUtc in the future.
8. It accepts NaN and Infinity, which are not JSON.
9. It crashes on numbers such as 1e400 and on lone surrogates, because it cannot write these values into its answer.
"""

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class AdditionalProp(Shape):
    name: str
    type: str = "string"
    hint: str | None = None
    label: str | None = None
    value: str | None = None


class PriceTier(Shape):
    price: float
    minimum_quantity: int | None = None
    maximum_quantity: int | None = None
    page_counts: list[dict[str, Any]] | None = None


class PriceClass(Shape):
    name: str = ""
    price: float | None = None
    price_tiers: list[PriceTier] | None = None


class ClusterProduct(Shape):
    product_id: str
    product_quantity_in_offer: int
    page_count: int | None = None
    surcharge: float | None = None


class ProductCluster(Shape):
    id: str | None = None
    products: list[ClusterProduct] | None = None


class Offer(Shape):
    number: str
    offer_type: str
    order_minimum: int | None = None
    order_maximum: int | None = None
    last_updated_date_time_utc: str | None = None
    default_price: float | None = None
    surcharge: float | None = None
    is_active: bool | None = None
    is_taxable: bool | None = None
    description: str | None = None
    additional_props_required_on_order: list[AdditionalProp] | None = None
    price_classes: list[PriceClass] | None = None
    product_clusters: list[ProductCluster] | None = None


app = FastAPI()


@app.post("/offers", status_code=201)
async def create(offer: Offer) -> dict[str, str]:
    return {"number": offer.number}
