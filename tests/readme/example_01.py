# ruff: noqa
# fmt: off
from hypothesis import given, strategies as st

from brokerfuzz import Broken, OfferCreationRequest, ProductListOffer, check
from brokerfuzz.strategies import invalid_offer_requests, offer_requests, product_list_offers


def accepts(body: bytes) -> bool:  # replace this with the code that you test
    return check("offer-creation-request", body).label == "valid"


@given(invalid_offer_requests())
def test_a_broken_rule_is_rejected_and_its_twin_is_accepted(case: Broken) -> None:
    assert not accepts(case.body)
    assert accepts(case.twin.body)


@given(offer_requests(offer_types=["Email"], fields={"number": st.just("OFF-1")}, plausible=True))
def test_some_property_of_plausible_offers(offer: OfferCreationRequest) -> None:
    assert offer["offerType"] == "Email"


@given(product_list_offers(min_clusters=2, max_products=5))
def test_some_property_of_clusters(offer: ProductListOffer) -> None:
    assert len(offer["productClusters"]) >= 2
