"""Lets Hypothesis generate messages and their parts from their types: `st.from_type(OfferCreationRequest)`.

Hypothesis calls `register` when it is imported (entry point `hypothesis`), even in test suites that do not use
brokerfuzz. To be fast, this module imports only the types. The strategies are imported when Hypothesis needs one of
these types.
"""

import re
import sys
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
_CASES = "brokerfuzz.cases.case"
"""The module that defines the types of cases. It is imported here only if the program has already imported it."""


def register() -> None:
    from hypothesis import strategies as st

    for message in _NAMES:
        st.register_type_strategy(message, _strategy_of)
    if (loaded := sys.modules.get(_CASES)) is not None:
        register_cases(loaded.Case, loaded.Broken)
    _hide_own_lines()


def register_cases(*kinds: type) -> None:
    """Lets `st.from_type` say what to use instead. If Hypothesis is imported first, the module of the cases calls this
    function.
    """
    from hypothesis import strategies as st

    for kind in kinds:
        st.register_type_strategy(kind, _no_strategy_of)


def _strategy_of(wanted: Any) -> Any:
    """Returns NotImplemented (no strategy) if Hypothesis asks for a type that is not in `_NAMES`."""
    from brokerfuzz import strategies

    return getattr(strategies, _NAMES[wanted])() if wanted in _NAMES else NotImplemented


def _no_strategy_of(wanted: Any) -> Any:
    """Returns a strategy that fails when it is used. Hypothesis would ignore an `InvalidArgument` of this function
    itself.
    """
    from hypothesis import strategies as st

    return st.just(wanted.__name__).map(_say_what_to_use)


def _say_what_to_use(name: str) -> None:
    from hypothesis.errors import InvalidArgument

    raise InvalidArgument(
        f"st.from_type({name}) cannot know the message type: use brokerfuzz.strategies.invalid_offer_requests() or a "
        "similar strategy, or "
        "brokerfuzz.strategies.cases(message_type)"
    )


def _hide_own_lines() -> None:
    """Removes the lines of brokerfuzz from the lines that "were always and only run by failing test cases". Hypothesis
    has no function for this, but a list of files whose lines do not help. A future version without this list shows
    these lines again.
    """
    from hypothesis.internal import scrutineer

    pattern = re.sub(r"[^\w/]", "*", Path(__file__).parent.as_posix()) + "/**"  # in the list, only * and ** are special
    known = getattr(scrutineer, "UNHELPFUL_LOCATIONS", ())
    if pattern not in known:
        scrutineer.UNHELPFUL_LOCATIONS = (*known, pattern)
