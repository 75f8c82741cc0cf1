from collections import defaultdict
from datetime import UTC, datetime
from functools import lru_cache
from itertools import product
from typing import Any

import pytest

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIST = "Product List"
OTHERS = [name for name in load_contract().sites["offer-creation-request"]["offerType"].schema["enum"] if name != LIST]
CLUSTERS_AND_PRODUCTS = [("only", 1, 0), ("first", 3, 0), ("middle", 3, 1), ("last", 2, 1)]


@lru_cache
def bodies() -> dict[str, list[tuple[Any, Case]]]:
    """Maps each offer type to pairs: the parsed message of a case in the catalogue, and the case itself."""
    found = defaultdict(list)
    for case in catalogue("offer-creation-request", now=NOW):
        if (
            case.body[:1] == b"{"
            and (case.faults or case.label == "valid")
            and not any(f.rule.endswith("/:json") for f in case.faults)
        ):
            message = case.value
            if isinstance(message, dict) and isinstance(message.get("offerType"), str):
                found[message["offerType"]].append((message, case))
    return found


def before(message: Any) -> bool:
    """Returns True if the offer type comes before the clusters in the message."""
    names = list(message)
    return "productClusters" not in names or names.index("offerType") < names.index("productClusters")


def clusters_are(state: str) -> Any:
    return lambda message: {
        "absent": "productClusters" not in message,
        "null": message.get("productClusters", 0) is None,
        "empty": message.get("productClusters") == [],
    }[state]


@pytest.mark.parametrize("state", ["absent", "null", "empty"])
def test_missing_clusters_are_rejected_only_for_a_product_list(state: str) -> None:
    fits = clusters_are(state)
    assert [
        case for message, case in bodies()[LIST] if fits(message) and case.label == "invalid" and len(case.faults) == 1
    ]
    elsewhere = {
        case.label for other in OTHERS for message, case in bodies()[other] if fits(message) and not case.faults
    }
    assert elsewhere == {"valid"}


def of_cluster(state: str) -> Any:
    return lambda cluster: {
        "absent": "products" not in cluster,
        "null": cluster.get("products", 0) is None,
        "empty": cluster.get("products") == [],
    }[state]


@pytest.mark.parametrize("in_order", [True, False], ids=["type first", "clusters first"])
@pytest.mark.parametrize("state", ["absent", "null", "empty"])
@pytest.mark.parametrize(("size", "index"), [(size, index) for _, size, index in CLUSTERS_AND_PRODUCTS])
def test_a_cluster_without_products_is_tried_at_every_place_of_a_product_list(
    state: str, size: int, index: int, in_order: bool
) -> None:
    fits = of_cluster(state)

    def has(message: Any) -> bool:
        clusters = message.get("productClusters")
        return (
            isinstance(clusters, list)
            and len(clusters) == size
            and before(message) == in_order
            and [n for n, c in enumerate(clusters) if isinstance(c, dict) and fits(c)] == [index]
        )

    under_list = [case for message, case in bodies()[LIST] if has(message)]
    assert {case.label for case in under_list} == {"invalid"}


@pytest.mark.parametrize("in_order", [True, False], ids=["type first", "clusters first"])
@pytest.mark.parametrize(("prop", "value"), [("productId", ""), ("pageCount", 0), ("pageCount", -1)])
@pytest.mark.parametrize(
    ("array", "size", "index"),
    [(array, size, index) for array, (_, size, index) in product(("clusters", "products"), CLUSTERS_AND_PRODUCTS)],
)
def test_an_invalid_product_is_tried_at_every_place(
    prop: str, value: Any, array: str, size: int, index: int, in_order: bool
) -> None:
    def has(message: Any) -> bool:
        clusters = message.get("productClusters")
        if not isinstance(clusters, list) or before(message) != in_order:
            return False
        wrong = [
            (len(clusters), c, len(cluster["products"]), p)
            for c, cluster in enumerate(clusters)
            if isinstance(cluster, dict) and isinstance(cluster.get("products"), list)
            for p, item in enumerate(cluster["products"])
            if isinstance(item, dict) and type(item.get(prop)) is type(value) and item.get(prop) == value
        ]
        return wrong == [(size, index, 1, 0) if array == "clusters" else (1, 0, size, index)]

    assert {case.label for message, case in bodies()[LIST] if has(message)} == {"invalid"}
