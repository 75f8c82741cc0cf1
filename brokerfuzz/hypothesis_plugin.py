"""Lets Hypothesis generate messages and their parts from their types: `st.from_type(OfferCreationRequest)`.

Hypothesis calls `register` when it is imported (entry point `hypothesis`), even in test suites that do not use
brokerfuzz. To be fast, this module imports only the types. The strategies are imported when Hypothesis needs one of
these types.
"""

import re
from pathlib import Path
from typing import Any

from brokerfuzz import typed

_NAMES: dict[Any, str] = {
    typed.OfferCreationRequest: "offer_requests",
    typed.ProductListOffer: "product_list_offers",
    typed.ProductListResponse: "product_list_responses",
    typed.OfferPricingResponse: "pricing_responses",
    typed.ProductListCluster: "clusters",
    typed.ClusterProduct: "products",
    typed.PriceClass: "price_classes",
    typed.PriceTier: "price_tiers",
    typed.PageCountPrice: "page_counts",
    typed.ProductRecord: "product_records",
    typed.PricedOffer: "priced_offers",
}
"""Maps types to the names of their strategies. Other types have no strategy, so Hypothesis generates their properties
one by one.
"""


def register() -> None:
    from hypothesis import strategies as st

    for message in _NAMES:
        st.register_type_strategy(message, _strategy_of)
    _hide_own_lines()


def _strategy_of(wanted: Any) -> Any:
    """Returns NotImplemented (no strategy) if Hypothesis asks for a type that is not in `_NAMES`."""
    from brokerfuzz import strategies

    return getattr(strategies, _NAMES[wanted])() if wanted in _NAMES else NotImplemented


def _hide_own_lines() -> None:
    """Removes the lines of brokerfuzz from the lines that "were always and only run by failing test cases". Hypothesis
    has no function for this, but a list of files whose lines do not help. A future version without this list shows
    these lines again.
    """
    from hypothesis.internal import scrutineer

    pattern = re.sub(r"[^\w/]", "*", Path(__file__).parent.as_posix()) + "/**"  # in the list, only * and ** are special
    unhelpful = getattr(scrutineer, "UNHELPFUL_LOCATIONS", ())
    if pattern not in unhelpful:
        scrutineer.UNHELPFUL_LOCATIONS = (*unhelpful, pattern)
