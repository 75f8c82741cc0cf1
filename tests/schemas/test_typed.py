from pathlib import Path
from typing import Any, Literal, NotRequired, get_type_hints

import pytest
from regenerate import typed_source

from brokerfuzz import typed
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract

REMEDY = "the schemas have changed: run `python -m tests.regenerate` and commit brokerfuzz/typed.py"


def test_the_committed_typed_dicts_match_the_schemas() -> None:
    assert Path(typed.__file__).read_text(encoding="utf-8") == typed_source(load_contract()), REMEDY


def test_the_required_keys_are_those_of_the_contract() -> None:
    assert typed.OfferCreationRequest.__required_keys__ == {"number", "offerType"}
    assert typed.ClusterProduct.__required_keys__ == {"productId", "productQuantityInOffer"}
    assert typed.PageCountPrice.__required_keys__ == frozenset()
    assert typed.PricedOffer.__optional_keys__ == {"pageCount", "priceClass", "productIds"}
    assert typed.ProductListResponse.__optional_keys__ == frozenset()


@pytest.mark.parametrize(
    ("owner", "prop", "annotation"),
    [
        (typed.OfferCreationRequest, "number", str),
        (typed.OfferCreationRequest, "orderMinimum", NotRequired[int | None]),
        (typed.OfferCreationRequest, "omniChannel", NotRequired[typed.OmniChannel | None]),
        (typed.PriceTier, "pageCounts", NotRequired[list[typed.PageCountPrice] | None]),
        (typed.PriceClass, "name", NotRequired[str]),
        (typed.OfferPricingResponse, "data", typed.OfferPricing | None),
        (typed.ProductListResponse, "data", list[typed.ProductRecord] | None),
        (
            typed.OfferCreationRequest,
            "offerType",
            Literal["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"],
        ),
    ],
)
def test_a_property_has_the_type_of_its_field(owner: type, prop: str, annotation: Any) -> None:
    assert get_type_hints(owner, include_extras=True)[prop] == annotation


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_every_description_of_a_schema_is_in_the_typed_dicts(message_type: str) -> None:
    source = typed_source(load_contract())
    for site in load_contract().sites[message_type].values():
        assert site.schema.get("description", "") in source
