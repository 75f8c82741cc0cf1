import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hand_made_servers import OFFER, Service, conforming

from brokerfuzz.campaign.bounded_sending import Bounds
from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.same_problem import SameProblem
from brokerfuzz.campaign.shrink_candidates import chunks, in_schema_order, pieces, simpler
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.json_trees import Number, at, paths, read_tree, site, sites, write_tree
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.targets import AnswerKind

pytestmark = pytest.mark.internals

RICH: dict[str, Any] = {
    "number": "OFF-1",
    "offerType": "Product List",
    "description": "Spring postcard",
    "isActive": True,
    "orderMinimum": 25,
    "fixedOrderQuantities": [30, 40, 50],
    "priceClasses": [{"name": "retail", "priceTiers": [{"price": 1.25, "minimumQuantity": 5}]}],
    "productClusters": [
        {"id": "c-1", "products": [{"productId": "P-1", "productQuantityInOffer": 4, "pageCount": 8}]},
        {
            "id": "c-2",
            "products": [
                {"productId": "P-2", "productQuantityInOffer": 2, "pageCount": 0},
                {"productId": "P-3", "productQuantityInOffer": 1},
            ],
        },
    ],
}
SCHEMAS = {path: site.schema for path, site in load_contract().sites[OFFER].items()}


KINDS: dict[AnswerKind, FindingKind] = {
    "accepted": "invalid-accepted",
    "rejected": "valid-rejected",
    "crashed": "crashed",
}


def shrunk(body: bytes, status_of: Callable[[bytes], int], **bounds: Any) -> tuple[Shrinker, Service]:
    service = Service(status_of)

    async def run() -> Shrinker:
        first = await service.send(body)
        shrinker = Shrinker(
            body,
            check(OFFER, body),
            first,
            send=service.send,
            judge=lambda b: check(OFFER, b),
            schemas=SCHEMAS,
            bounds=Bounds(**bounds),
            problem=SameProblem(KINDS[first.kind], first, body, load_contract()),
        )
        await shrinker.run()
        return shrinker

    return asyncio.run(run()), service


def lenient(rule: str) -> Callable[[bytes], int]:
    def status_of(body: bytes) -> int:
        verdict = check(OFFER, body)
        return 201 if {entry.rule for entry in verdict.broken} <= {rule} else 400

    return status_of


def written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def test_a_page_count_of_zero_shrinks_to_the_minimal_offer_with_one_product() -> None:
    shrinker, service = shrunk(written(RICH), lenient(f"{OFFER}/productClusters[].products[].pageCount:minimum"))
    assert json.loads(shrinker.body) == {
        "number": "0",
        "offerType": "Direct Mail",
        "productClusters": [{"products": [{"productId": "0", "productQuantityInOffer": 0, "pageCount": 0}]}],
    }
    assert shrinker.whole
    assert (shrinker.sent, shrinker.shown) == (2, 2)
    assert len(service.bodies) < 60


def test_each_message_sent_breaks_the_same_rules() -> None:
    broken = {f"{OFFER}/productClusters[].products[].pageCount:minimum"}
    _, service = shrunk(written(RICH), lenient(*broken))
    assert len(service.bodies) > 10
    assert all({entry.rule for entry in check(OFFER, body).broken} == broken for body in service.bodies)


def test_a_rejection_caused_by_one_property_names_its_place() -> None:
    def status_of(body: bytes) -> int:
        return 400 if json.loads(body).get("description") == "" else 201

    body = written({**RICH, "description": "", "comments": "", "productClusters": RICH["productClusters"][:1]})
    shrinker, _ = shrunk(body, status_of)
    assert json.loads(shrinker.body) == {"number": "0", "offerType": "Direct Mail", "description": ""}
    assert shrinker.places == ("/description",)


def test_a_rejection_caused_by_two_properties_names_both_places() -> None:
    def status_of(body: bytes) -> int:
        value = json.loads(body)
        return 500 if value.get("isActive") is False and "orderMinimum" in value else 201

    shrinker, _ = shrunk(
        written({"number": "N", "offerType": "VDM", "isActive": False, "orderMinimum": 7, "comments": "x"}), status_of
    )
    assert json.loads(shrinker.body) == {
        "number": "0",
        "offerType": "Direct Mail",
        "orderMinimum": 1,
        "isActive": False,
    }
    assert set(shrinker.places) == {"/isActive", "/orderMinimum"}


def test_a_rejection_of_everything_has_no_cause() -> None:
    body = written({**RICH, "productClusters": RICH["productClusters"][:1]})
    shrinker, _ = shrunk(body, lambda body: 400)
    assert json.loads(shrinker.body) == {"number": "0", "offerType": "Direct Mail"}
    assert shrinker.places == ()


def test_a_limit_of_the_target_is_found_exactly() -> None:
    def status_of(body: bytes) -> int:
        return 500 if json.loads(body).get("orderMaximum", 0) > 123_456 else 201

    shrinker, _ = shrunk(written({"number": "1", "offerType": "Email", "orderMaximum": 2_000_000_000}), status_of)
    assert json.loads(shrinker.body)["orderMaximum"] == 123_457


def test_a_problem_in_the_eleventh_item_keeps_the_ten_items_before_it() -> None:
    def status_of(body: bytes) -> int:
        value = json.loads(body)
        value["categoryIds"] = value.get("categoryIds", [])[:10]
        return conforming(written(value))

    shrinker, _ = shrunk(
        written({"number": "1", "offerType": "Email", "categoryIds": [*"abcdefghijkl", 5, "n"]}), status_of
    )
    assert json.loads(shrinker.body)["categoryIds"] == [""] * 10 + [0]


@pytest.mark.parametrize(
    ("body", "accepted", "smallest"),
    [
        (b'{"number":"N-1","offerType":"Email","comments":"a","isActive":true,}', rb"\{.*,\}", b"{,}"),
        (
            b'{"number":"N-1","offerType":"Email","comments":"a"} trailing',
            rb'.*"number":.* trailing',
            b'"number": trailing',
        ),
        (b"\xff\xfe\xfd", rb".*\xfe.*", b"\xfe"),
        (b"\xff\xfe\xfd", b".*", b""),
    ],
    ids=["trailing comma", "trailing text", "not UTF-8", "anything"],
)
def test_a_message_that_is_not_json_loses_properties_and_bytes(body: bytes, accepted: bytes, smallest: bytes) -> None:
    shrinker, _ = shrunk(body, lambda body: 201 if re.fullmatch(accepted, body, re.DOTALL) else 400)
    assert (shrinker.body, shrinker.whole) == (smallest, True)
    assert check(OFFER, shrinker.body).broken[0].rule == f"{OFFER}/:json"


def test_a_repeated_property_and_the_format_of_a_number_are_kept_if_they_matter() -> None:
    def status_of(body: bytes) -> int:
        return 500 if body.count(b'"orderMinimum":') > 1 and b"1.0" in body else 201

    shrinker, _ = shrunk(
        b'{"number":"N","offerType":"Email","orderMinimum":1.0,"isActive":true,"orderMinimum":8.5e0}', status_of
    )
    assert shrinker.body.count(b'"orderMinimum":') == 2
    assert b"1.0" in shrinker.body
    assert b"isActive" not in shrinker.body


def test_shrinking_ends_at_any_depth_of_nesting() -> None:
    shrinker, _ = shrunk(b"[" * 100_000, lambda body: 500 if body.startswith(b"[" * 40) else 400, requests=50)
    assert shrinker.body == b"[" * 40


def test_the_limit_of_requests_is_kept() -> None:
    shrinker, service = shrunk(written(RICH), lambda body: 201, requests=5)
    assert len(service.bodies) == 6  # the first answer was received before shrinking
    assert not shrinker.whole
    assert len(shrinker.body) < len(written(RICH))


def test_the_time_limit_is_kept() -> None:
    shrinker, service = shrunk(written(RICH), lambda body: 201, deadline=0.0)
    assert len(service.bodies) == 1
    assert (shrinker.sent, shrinker.body) == (0, written(RICH))


def test_a_finding_that_is_not_reproduced_is_not_shrunk() -> None:
    seen: list[bytes] = []

    def status_of(body: bytes) -> int:
        seen.append(body)
        return 201 if len(seen) == 1 else 400

    shrinker, _ = shrunk(written(RICH), status_of)
    assert (shrinker.sent, shrinker.shown, shrinker.body) == (5, 0, written(RICH))


def test_shrinking_is_deterministic() -> None:
    ways = [
        shrunk(written(RICH), lenient(f"{OFFER}/productClusters[].products[].pageCount:minimum"))[1].bodies
        for _ in range(2)
    ]
    assert ways[0] == ways[1]


def test_nothing_can_be_removed_from_the_smallest_message() -> None:
    first, _ = shrunk(written(RICH), lenient(f"{OFFER}/productClusters[].products[].pageCount:minimum"))
    second, service = shrunk(first.body, lenient(f"{OFFER}/productClusters[].products[].pageCount:minimum"))
    assert second.body == first.body
    assert len(service.bodies) < 30


# ---------------------------------------------------------------------------------------------------- the parts


@pytest.mark.parametrize(
    "scalar",
    [
        "abc",
        "2024-05-01T00:00:00Z",
        "9999-01-01T00:00:00Z",
        "Product List",
        Number("-40"),
        Number("1e3"),
        True,
        "x" * 99,
    ],
)
def test_repeated_simplification_ends(scalar: Any) -> None:
    seen, left = {scalar}, [scalar]
    while left:
        below = simpler(
            left.pop(),
            {"enum": ["Email", "Product List"]} if scalar == "Product List" else {"minimum": 1, "maximum": 9},
        )
        assert scalar not in below
        fresh = [value for value in below[:3] if value not in seen]
        seen.update(fresh)
        left += fresh
    assert len(seen) < 2000


def test_chunks_go_from_all_to_single_ones() -> None:
    assert list(chunks(4)) == [(0, 4), (0, 2), (2, 2), (0, 1), (1, 1), (2, 1), (3, 1)]


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (b'{"a":1,"b":[2,3],"c":"x,y"}', [b'{"a":1', b',"b":[2,3]', b',"c":"x,y"', b"}"]),
        (b'{"a":1,', [b'{"a":1', b","]),
        (b'{"a":"\\",b"', [b'{"a":"\\",b"']),
        (b"", [b""]),
    ],
)
def test_messages_are_split_between_properties(body: bytes, parts: list[bytes]) -> None:
    assert pieces(body) == parts
    assert b"".join(pieces(body)) == body


def test_a_tree_is_written_as_it_was_read() -> None:
    body = b'{"a":1.0,"a":1e400,"b":[true,null,"\xc3\xa9\\u0000"],"c":{},"d":123456789012345678901234567890}'
    assert write_tree(read_tree(body)) == body
    assert write_tree(read_tree(rb'"\ud800"')) == rb'"\ud800"'


def test_the_sites_of_a_tree_are_those_of_its_paths() -> None:
    tree = read_tree(b'{"a":1,"b":[{"a":null,"":[[],"c"]}],"a":{}}')
    assert list(sites(tree)) == [(site(tree, path), at(tree, path)) for path in paths(tree)]


def test_properties_are_sorted_by_their_schema_at_every_depth() -> None:
    body = b'{"productClusters":[{"products":[{"productQuantityInOffer":1,"zzz":1,"productId":"a"}]}],"number":"1"}'
    ordered = b'{"number":"1","productClusters":[{"products":[{"productId":"a","productQuantityInOffer":1,"zzz":1}]}]}'
    assert write_tree(in_schema_order(read_tree(body), SCHEMAS)) == ordered


@pytest.mark.parametrize("body", [b"", b"{", b"NaN", b"\xff", b"[" * 100_000 + b"]" * 100_000])
def test_a_body_that_is_not_json_has_no_tree(body: bytes) -> None:
    with pytest.raises(ValueError):
        read_tree(body)
