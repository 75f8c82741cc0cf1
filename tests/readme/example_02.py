# ruff: noqa
# fmt: off
from hypothesis import given, strategies as st

from brokerfuzz import Broken, PriceTier, check
from brokerfuzz.strategies import faulty, price_tiers, product_list_offers


@given(faulty(product_list_offers(min_clusters=2), "offer-creation-request", rules=["*:minimum"]))
def test_a_fault_in_one_of_several_clusters_is_rejected(case: Broken) -> None:
    assert check("offer-creation-request", case.body).label == "invalid"


@given(st.from_type(PriceTier), st.lists(price_tiers(plausible=True), max_size=3))
def test_some_property_of_tiers(tier: PriceTier, others: list[PriceTier]) -> None:
    assert all("price" in one for one in [tier, *others])
