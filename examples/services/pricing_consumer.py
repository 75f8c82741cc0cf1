"""A program that reads pricing responses, with msgspec."""

from typing import Annotated

import msgspec

Int32 = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Price = Annotated[float, msgspec.Meta(ge=0)]


class Shape(msgspec.Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """An object that rejects unknown properties."""


class PricedOffer(Shape):
    offer_id: Annotated[str, msgspec.Meta(min_length=1)]
    quantity: Int32
    unit_price: Price
    extended_price: Price
    page_count: Int32 | None = None
    price_class: str | None = None
    product_ids: list[str] | None = None


class Pricing(Shape):
    customer_id: str
    offers: list[PricedOffer]
    total_extended_price: Price


class Response(Shape):
    data: Pricing | None
    failure_messages: list[str]
    informational_messages: list[str]
    operation_was_successful: bool


_decoder = msgspec.json.Decoder(Response)


def read(body: bytes) -> Response:
    """Raises `msgspec.ValidationError` if the response is invalid."""
    return _decoder.decode(body)


def accepts(body: bytes) -> bool:
    """This is the function that brokerfuzz tests."""
    try:
        read(body)
    except msgspec.DecodeError:
        return False
    return True
