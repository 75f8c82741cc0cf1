"""Bugs in the answer itself: it crashes, does not come, or contradicts itself."""

from brokerfuzz.service.answers import Offer, nesting
from brokerfuzz.service.flaws import Bug, a_number, a_text, an_array, an_object, claims, fails, fails_when, lacks, null

PRODUCTS = "productClusters[].products"
DEEP = 100
LONGEST_INT32 = 2147483647


def _is_list_without_clusters(offer: Offer) -> bool:
    return offer.prop("offerType") == "Product List" and any(lacks("productClusters")(value) for value in offer.values(""))


BUGS = (
    Bug("crashes-on-null-products", "crash", "A cluster whose products are null ends in a server error.", fails("crash", PRODUCTS, null)),
    Bug(
        "crashes-on-empty-access-groups",
        "crash",
        "An empty array of access groups ends in a server error.",
        fails("crash", "accessGroups", an_array(lambda items: not items)),
    ),
    Bug(
        "crashes-on-astral-strings",
        "crash",
        "Text beyond the basic plane ends in a server error.",
        fails("crash", "**", a_text(lambda t: any(ord(c) > 0xFFFF for c in t))),
    ),
    Bug(
        "crashes-on-huge-numbers",
        "crash",
        "A number of 1e308 or more ends in a server error.",
        fails("crash", "**", a_number(lambda n: abs(n) >= 1e308)),
    ),
    Bug(
        "crashes-on-deep-nesting",
        "crash",
        f"JSON nested {DEEP} deep ends in a server error.",
        fails_when("crash", lambda offer: nesting(offer.body) >= DEEP),
    ),
    Bug(
        "crashes-on-missing-clusters",
        "crash",
        "A Product List without clusters ends in a server error.",
        fails_when("crash", _is_list_without_clusters),
    ),
    Bug("crashes-on-missing-number", "crash", "An offer without a number ends in a server error.", fails("crash", "", lacks("number"))),
    Bug(
        "crashes-on-other-roots",
        "crash",
        "JSON that is no object ends in a server error.",
        fails("crash", "", lambda value: not isinstance(value, dict)),
    ),
    Bug("crashes-on-no-json", "crash", "A body that is no JSON ends in a server error.", fails_when("crash", lambda offer: not offer.readable)),
    Bug(
        "crashes-on-numeric-dates",
        "crash",
        "A number for a time ends in a server error.",
        fails("crash", "lastUpdatedDateTimeUtc", a_number(lambda _: True)),
    ),
    Bug(
        "crashes-on-empty-page-counts",
        "crash",
        "A price tier with an empty array of page counts ends in a server error.",
        fails("crash", "priceClasses[].priceTiers[].pageCounts", an_array(lambda items: not items)),
    ),
    Bug(
        "crashes-on-empty-clusters",
        "crash",
        "A cluster without any property ends in a server error.",
        fails("crash", "productClusters[]", an_object(lambda props: not props)),
    ),
    Bug("aborts-on-percent-signs", "crash", "A text with %s in it breaks the connection.", fails("abort", "**", a_text(lambda t: "%s" in t))),
    Bug(
        "aborts-on-null-omni-channel-offers",
        "crash",
        "Null for the offers of omniChannel breaks the connection.",
        fails("abort", "omniChannel.offers", null),
    ),
    Bug(
        "aborts-on-early-dates",
        "crash",
        "A time before 1970 breaks the connection.",
        fails("abort", "availableStartDate", a_text(lambda t: "0000" <= t < "1970")),
    ),
    Bug(
        "hangs-on-largest-quantity",
        "hang",
        "A product quantity of 2,147,483,647 is never answered.",
        fails("hang", f"{PRODUCTS}[].productQuantityInOffer", lambda value: value == LONGEST_INT32),
    ),
    Bug("hangs-on-blanks", "hang", "A text of sixteen blanks in a row is never answered.", fails("hang", "**", a_text(lambda t: " " * 16 in t))),
    Bug(
        "hangs-on-null-tier-bounds",
        "hang",
        "A price tier whose maximum quantity is null is never answered.",
        fails("hang", "priceClasses[].priceTiers[].maximumQuantity", null),
    ),
    Bug("claims-success-of-rejected", "wrong-answer", "A rejection says that the operation was successful.", claims(True, of_accepted=False)),
    Bug("claims-failure-of-accepted", "wrong-answer", "An acceptance says that the operation was not successful.", claims(False, of_accepted=True)),
)
