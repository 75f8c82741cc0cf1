"""Property-based tests, fuzzing and test data from the message contract of an offer broker.

    from brokerfuzz import check
    from brokerfuzz.strategies import offer_requests, invalid_offer_requests

Each public name is imported when it is first used, so that `import brokerfuzz` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from brokerfuzz.version import __version__

if TYPE_CHECKING:
    from brokerfuzz.cases.case import Broken, Case, Fault
    from brokerfuzz.cases.catalogue import catalogue
    from brokerfuzz.cases.random_cases import messages
    from brokerfuzz.errors import BrokerfuzzError
    from brokerfuzz.options import FireOptions
    from brokerfuzz.schemas import (
        MESSAGE_TYPES,
        Ambiguity,
        Contract,
        MessageType,
        Rule,
        Verdict,
        check,
        load_contract,
        rules,
    )
    from brokerfuzz.testing.campaigns import Report, assert_conforms, fire, fire_async
    from brokerfuzz.testing.parametrizing import parametrize
    from brokerfuzz.typed import (
        ChannelOffer,
        ClusterProduct,
        OfferCreationRequest,
        OfferPricing,
        OfferPricingResponse,
        OmniChannel,
        PageCountPrice,
        PriceClass,
        PricedOffer,
        PriceTier,
        ProductCluster,
        ProductListCluster,
        ProductListOffer,
        ProductListResponse,
        ProductRecord,
        PropertyRequiredOnOrder,
    )

__all__ = [
    "MESSAGE_TYPES",
    "Ambiguity",
    "Broken",
    "BrokerfuzzError",
    "Case",
    "ChannelOffer",
    "ClusterProduct",
    "Contract",
    "Fault",
    "FireOptions",
    "MessageType",
    "OfferCreationRequest",
    "OfferPricing",
    "OfferPricingResponse",
    "OmniChannel",
    "PageCountPrice",
    "PriceClass",
    "PriceTier",
    "PricedOffer",
    "ProductCluster",
    "ProductListCluster",
    "ProductListOffer",
    "ProductListResponse",
    "ProductRecord",
    "PropertyRequiredOnOrder",
    "Report",
    "Rule",
    "Verdict",
    "__version__",
    "assert_conforms",
    "catalogue",
    "check",
    "fire",
    "fire_async",
    "load_contract",
    "messages",
    "parametrize",
    "rules",
]

_HOMES = {
    "BrokerfuzzError": "brokerfuzz.errors",
    "Broken": "brokerfuzz.cases.case",
    "Case": "brokerfuzz.cases.case",
    "Fault": "brokerfuzz.cases.case",
    "FireOptions": "brokerfuzz.options",
    "Report": "brokerfuzz.testing.campaigns",
    "assert_conforms": "brokerfuzz.testing.campaigns",
    "catalogue": "brokerfuzz.cases.catalogue",
    "fire": "brokerfuzz.testing.campaigns",
    "fire_async": "brokerfuzz.testing.campaigns",
    "messages": "brokerfuzz.cases.random_cases",
    "parametrize": "brokerfuzz.testing.parametrizing",
}


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        typed = import_module("brokerfuzz.typed")
        home = typed if name in typed.__all__ else import_module(_HOMES.get(name, "brokerfuzz.schemas"))
        globals()[name] = getattr(home, name)  # next time, Python finds it without this function
        return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)
