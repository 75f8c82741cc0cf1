"""A stateful test: Hypothesis puts offers into the store, replaces them, and compares the store with a model after each
step.

Run this test with `pytest examples/stateful`. The test fails, because the store has a bug.
"""

import json

from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule
from offer_store import OfferStore, product_ids

from brokerfuzz import ProductListOffer
from brokerfuzz.strategies import product_list_offers


class OfferStoreMachine(RuleBasedStateMachine):
    """The bundle contains all offers that were put into the store, including offers that were replaced later."""

    offers = Bundle("offers")

    def __init__(self) -> None:
        super().__init__()
        self.store = OfferStore()
        self.model: dict[str, ProductListOffer] = {}

    @rule(target=offers, offer=product_list_offers(max_clusters=2, max_products=2))
    def put(self, offer: ProductListOffer) -> ProductListOffer:
        expected = 200 if offer["number"] in self.model else 201
        assert self.store.put(json.dumps(offer).encode()) == expected
        self.model[offer["number"]] = offer
        return offer

    @rule(target=offers, former=offers, offer=product_list_offers(max_clusters=2, max_products=2))
    def replace(self, former: ProductListOffer, offer: ProductListOffer) -> ProductListOffer:
        """Replaces an offer with another offer that has the same number."""
        return self.put({**offer, "number": former["number"]})

    @rule(offer=offers)
    def find(self, offer: ProductListOffer) -> None:
        for product_id in product_ids(offer):
            expected = {number for number, stored in self.model.items() if product_id in product_ids(stored)}
            assert self.store.with_product(product_id) == expected


TestOfferStore = OfferStoreMachine.TestCase
TestOfferStore.settings = settings(max_examples=50, stateful_step_count=8, deadline=None)
