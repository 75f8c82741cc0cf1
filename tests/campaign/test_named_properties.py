import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign.named_properties import named_properties, names_of
from brokerfuzz.schemas import load_contract

pytestmark = pytest.mark.internals

NAMES = names_of(load_contract(), "offer-creation-request")


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"failureMessages": ["/orderMinimum: found 0"]}, {"orderMinimum"}),
        ({"failureMessages": ["'orderMinimum' has to be positive"]}, {"orderMinimum"}),
        ({"failureMessages": ["orderMinimum has to be positive"]}, {"orderMinimum"}),
        ({"title": "Bad", "errors": {"OrderMinimum": ["has to be positive"]}}, {"orderMinimum"}),
        (
            {"errors": [{"pointer": "#/productClusters/0/products/1/pageCount"}]},
            {"productClusters", "products", "pageCount"},
        ),
        ({"detail": [{"loc": ["body", "number"], "msg": "Field required"}]}, {"number"}),
        ({"errors": [{"field": "number"}]}, {"number"}),
        ({"invalid-params": [{"name": "number", "reason": "is missing"}]}, {"number"}),
        ({"message": 'the value "Post" of "offerType" is unknown'}, {"offerType"}),
        ({"failureMessages": ["has to be a number"]}, set()),
        ({"failureMessages": ["the name is too long"]}, set()),
        ({"failureMessages": ["something is wrong"], "data": None}, set()),
        ("orderMinimum has to be positive", {"orderMinimum"}),
        ("<html><body>Bad Request</body></html>", set()),
    ],
)
def test_properties_that_an_answer_clearly_names_are_recognised(said: Any, named: set[str]) -> None:
    body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
    assert named_properties(body, NAMES) == named


@given(st.binary(max_size=300))
def test_any_response_can_be_searched_for_names(body: bytes) -> None:
    assert named_properties(body, NAMES) <= set(NAMES.by_small.values())
