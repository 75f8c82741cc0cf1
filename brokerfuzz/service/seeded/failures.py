"""Defines bugs in the answer of the service: a crash, no answer, or an answer that contradicts itself."""

from brokerfuzz.service.answers import Offer, nesting
from brokerfuzz.service.flaws import (
    Bug,
    a_number,
    a_string,
    an_array,
    an_object,
    claims_success,
    fails,
    fails_when,
    lacks,
    null,
)

PRODUCTS = "productClusters[].products"
DEEP = 100
LONGEST_INT32 = 2147483647


def _is_list_without_clusters(offer: Offer) -> bool:
    return offer.prop("offerType") == "Product List" and any(
        lacks("productClusters")(value) for value in offer.values("")
    )


BUGS = (
    Bug(
        "crashes-on-null-products",
        "crash",
        "A cluster whose products are null causes a server error.",
        fails("crash", PRODUCTS, null),
    ),
    Bug(
        "crashes-on-empty-access-groups",
        "crash",
        "An empty array of access groups causes a server error.",
        fails("crash", "accessGroups", an_array(lambda items: not items)),
    ),
    Bug(
        "crashes-on-astral-strings",
        "crash",
        "A string with characters beyond U+FFFF causes a server error.",
        fails("crash", "**", a_string(lambda t: any(ord(c) > 0xFFFF for c in t))),
    ),
    Bug(
        "crashes-on-huge-numbers",
        "crash",
        "A number of 1e308 or more causes a server error.",
        fails("crash", "**", a_number(lambda n: abs(n) >= 1e308)),
    ),
    Bug(
        "crashes-on-deep-nesting",
        "crash",
        f"JSON that is nested {DEEP} or more levels deep causes a server error.",
        fails_when("crash", lambda offer: nesting(offer.body) >= DEEP),
    ),
    Bug(
        "crashes-on-missing-clusters",
        "crash",
        "A Product List without clusters causes a server error.",
        fails_when("crash", _is_list_without_clusters),
    ),
    Bug(
        "crashes-on-missing-number",
        "crash",
        "An offer without a number causes a server error.",
        fails("crash", "", lacks("number")),
    ),
    Bug(
        "crashes-on-other-roots",
        "crash",
        "A JSON value other than an object causes a server error.",
        fails("crash", "", lambda value: not isinstance(value, dict)),
    ),
    Bug(
        "crashes-on-no-json",
        "crash",
        "A body that is not JSON causes a server error.",
        fails_when("crash", lambda offer: not offer.readable),
    ),
    Bug(
        "crashes-on-numeric-dates",
        "crash",
        "A number in place of a time causes a server error.",
        fails("crash", "lastUpdatedDateTimeUtc", a_number(lambda _: True)),
    ),
    Bug(
        "crashes-on-empty-page-counts",
        "crash",
        "A price tier with an empty array of page counts causes a server error.",
        fails("crash", "priceClasses[].priceTiers[].pageCounts", an_array(lambda items: not items)),
    ),
    Bug(
        "crashes-on-empty-clusters",
        "crash",
        "A cluster without properties causes a server error.",
        fails("crash", "productClusters[]", an_object(lambda props: not props)),
    ),
    Bug(
        "aborts-on-percent-signs",
        "crash",
        "The service cuts the connection if a string contains %s.",
        fails("abort", "**", a_string(lambda t: "%s" in t)),
    ),
    Bug(
        "aborts-on-null-omni-channel-offers",
        "crash",
        "The service cuts the connection if the offers of omniChannel are null.",
        fails("abort", "omniChannel.offers", null),
    ),
    Bug(
        "aborts-on-early-dates",
        "crash",
        "The service cuts the connection if availableStartDate is before 1970.",
        fails("abort", "availableStartDate", a_string(lambda t: "0000" <= t < "1970")),
    ),
    Bug(
        "hangs-on-largest-quantity",
        "hang",
        "An offer with a product quantity of 2,147,483,647 is never answered.",
        fails("hang", f"{PRODUCTS}[].productQuantityInOffer", lambda value: value == LONGEST_INT32),
    ),
    Bug(
        "hangs-on-blanks",
        "hang",
        "An offer is never answered if a string contains sixteen spaces in a row.",
        fails("hang", "**", a_string(lambda t: " " * 16 in t)),
    ),
    Bug(
        "hangs-on-null-tier-bounds",
        "hang",
        "An offer with null as the maximum quantity of a price tier is never answered.",
        fails("hang", "priceClasses[].priceTiers[].maximumQuantity", null),
    ),
    Bug(
        "claims-success-of-rejected",
        "wrong-answer",
        "The answer to a rejected offer contains `operationWasSuccessful: true`.",
        claims_success(True, of_accepted=False),
    ),
    Bug(
        "claims-failure-of-accepted",
        "wrong-answer",
        "The answer to an accepted offer contains `operationWasSuccessful: false`.",
        claims_success(False, of_accepted=True),
    ),
)
