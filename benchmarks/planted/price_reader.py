"""A consumer of pricing responses. The consumer creates an invoice from the response: lines with surcharges, and a total."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, alias_generator=to_camel)


Price = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1, le=2**31 - 1)]


class PricedOffer(Shape):
    offer_id: Annotated[str, Field(min_length=1)]
    quantity: Count
    unit_price: Price
    extended_price: Price
    page_count: Count | None = None
    price_class: str | None = None
    product_ids: list[str] | None = None


class Pricing(Shape):
    customer_id: str
    offers: list[PricedOffer]
    total_extended_price: Price


class Answer(Shape):
    data: Pricing | None
    failure_messages: list[str]
    informational_messages: list[str]
    operation_was_successful: bool


def invoice(body: bytes, now: datetime) -> Any:
    """Returns the lines of the invoice, or the failures in the message. Returns None if the message is invalid."""
    try:
        answer = Answer.model_validate_json(body)
    except ValidationError:
        return None
    if answer.data is None:
        return {"failures": answer.failure_messages}
    return {"lines": [line(offer) for offer in answer.data.offers], "total": answer.data.total_extended_price}


def line(offer: PricedOffer) -> dict[str, Any]:
    surcharge = offer.extended_price - offer.unit_price * offer.quantity
    text = f"{offer.quantity} {offer.offer_id}"
    if offer.page_count is not None:
        text += f", {offer.page_count} pages"
    return {"text": text, "surcharge": surcharge, "price": offer.extended_price, "products": len(offer.product_ids or [])}
