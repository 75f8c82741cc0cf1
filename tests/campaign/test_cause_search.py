"""A message that is rejected for what it lacks ends in a finding that names it."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hand_made_servers import OFFER, Service, answers, conforming, serving

from brokerfuzz.campaign import Options, fire
from brokerfuzz.campaign.bounded_sending import Bounds
from brokerfuzz.campaign.cause_candidates import lacking, plain, with_property
from brokerfuzz.campaign.cause_search import Turning
from brokerfuzz.campaign.json_trees import JsonArray, JsonObject, Number, Path, at, children, paths, read_tree, site, write_tree
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.targets import HttpTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAINEST = b'{"number":"0","offerType":"Direct Mail"}'
SCHEMAS = {path: place.schema for path, place in load_contract().sites[OFFER].items()}
MOST_FOR_ONE = 25  # requests


def rejecting(test: Callable[[Any], bool], status: int = 400) -> Callable[[bytes], int]:
    """A service that rejects, or falls over, valid messages that a test holds of."""
    return lambda body: status if conforming(body) == 201 and test(json.loads(body)) else conforming(body)


def turned(body: bytes, status_of: Callable[[bytes], int], *, requests: int = 200, **options: Any) -> tuple[Turning, Service]:
    service = Service(status_of)
    turning = Turning(body, send=service.send, judge=lambda b: check(OFFER, b, now=NOW), schemas=SCHEMAS, bounds=Bounds(requests), **options)
    asyncio.run(turning.run())
    return turning, service


def tier(**props: Any) -> bytes:
    value = {"number": "0", "offerType": "Direct Mail", "priceClasses": [{"priceTiers": [{"price": 0, **props}]}]}
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("status", [400, 500], ids=["rejected", "crashed"])
@pytest.mark.parametrize("name", sorted(set(SCHEMAS[""]["properties"]) - {"number", "offerType"}))
def test_a_property_of_the_root_that_a_service_demands_is_named(name: str, status: int) -> None:
    turning, service = turned(PLAINEST, rejecting(lambda value: name not in value, status))
    assert turning.places == (f"/{name}",)
    assert len(service.bodies) < MOST_FOR_ONE


def test_a_property_demanded_of_an_item_is_named_there() -> None:
    body = tier()
    turning, _ = turned(body, rejecting(lambda value: any("pageCounts" not in t for c in value.get("priceClasses", ()) for t in c["priceTiers"])))
    assert turning.places == ("/priceClasses/0/priceTiers/0/pageCounts",)


def test_properties_each_of_which_turns_the_answer_are_all_named() -> None:
    turning, _ = turned(PLAINEST, rejecting(lambda value: "omsOfferId" not in value and "categoryIds" not in value))
    assert set(turning.places) == {"/omsOfferId", "/categoryIds"}


def test_properties_that_turn_the_answer_together_are_both_named() -> None:
    turning, _ = turned(PLAINEST, rejecting(lambda value: "omsOfferId" not in value or "pdfUrl" not in value))
    assert set(turning.places) == {"/omsOfferId", "/pdfUrl"}


@pytest.mark.parametrize(
    ("body", "test", "place"),
    [
        (PLAINEST, lambda value: value["offerType"] == "Direct Mail", "/offerType"),
        (PLAINEST, lambda value: value["number"] == "0", "/number"),
        (tier(), lambda value: '"price": 0' in json.dumps(value), "/priceClasses/0/priceTiers/0/price"),
        (PLAINEST, lambda value: len(value["number"]) == 1, "/number"),
        (b'{"number":"0","offerType":"Email","isActive":false}', lambda value: value.get("isActive") is False, "/isActive"),
        (b'{"number":"0","offerType":"Email","comments":null}', lambda value: value.get("comments", 1) is None, "/comments"),
        (b'{"number":"0","offerType":"Email","accessGroups":[]}', lambda value: value.get("accessGroups") == [], "/accessGroups"),
    ],
    ids=["a listed value", "a text", "a number", "a length", "false", "null", "an empty array"],
)
def test_the_plainest_value_is_named_where_any_other_is_accepted(body: bytes, test: Callable[[Any], bool], place: str) -> None:
    turning, _ = turned(body, rejecting(test))
    assert turning.places == (place,)


def test_a_null_that_stands_for_an_object_is_named() -> None:
    body = b'{"number":"0","offerType":"Email","omniChannel":null}'
    turning, _ = turned(body, rejecting(lambda value: value.get("omniChannel", 1) is None))
    assert turning.places == ("/omniChannel",)


def test_a_crash_where_the_contract_is_unclear_is_looked_into_without_leaving_that_ambiguity() -> None:
    body = b'{"number":"0","offerType":"Email","deliveryScheduleCron":"@daily"}'
    turning, service = turned(body, lambda body: 201 if b"isTaxable" in body else 500)
    assert turning.places == ("/isTaxable",)
    assert {tuple(touched.ambiguity for touched in check(OFFER, body, now=NOW).ambiguities) for body in service.bodies} == {("cron-syntax",)}


def test_a_service_that_rejects_everything_names_nothing_within_the_bounds() -> None:
    turning, service = turned(PLAINEST, lambda _: 400)
    assert turning.places == ()
    assert len(service.bodies) < 2 * len(SCHEMAS[""]["properties"]) + 10
    assert turned(PLAINEST, lambda _: 400, requests=7)[0].requests == 7
    assert turned(PLAINEST, lambda _: 400, thorough=False)[0].requests == 1


def test_what_is_demanded_is_named_although_something_else_is_rejected() -> None:
    turning, _ = turned(PLAINEST, rejecting(lambda value: "comments" not in value or "pdfUrl" in value or "priceClasses" in value))
    assert turning.places == ("/comments",)


def test_a_service_that_takes_no_message_twice_names_nothing() -> None:
    seen = {PLAINEST}

    def status_of(body: bytes) -> int:
        known = body in seen
        seen.add(body)
        return 409 if known else conforming(body)

    assert turned(PLAINEST, status_of)[0].places == ()


def test_a_rejection_that_comes_and_goes_names_nothing() -> None:
    answered: list[bytes] = []

    def status_of(body: bytes) -> int:
        answered.append(body)
        return 400 if len(answered) % 3 else 201

    assert turned(PLAINEST, status_of)[0].places == ()


def test_each_message_on_the_way_is_judged_as_the_smallest_one_is() -> None:
    _, service = turned(PLAINEST, rejecting(lambda value: "surcharge" not in value))
    assert {check(OFFER, body, now=NOW).label for body in service.bodies} == {"valid"}


def test_the_search_is_the_same_each_time() -> None:
    ways = [turned(PLAINEST, rejecting(lambda value: "surcharge" not in value))[1].bodies for _ in range(2)]
    assert ways[0] == ways[1]


@pytest.mark.parametrize("body", [b"", b"[" * 1000, b'{"number":"0"}', b'{"number":"0","offerType":"Email","orderMinimum":0}'])
def test_a_message_that_breaks_a_rule_is_not_added_to(body: bytes) -> None:
    assert turned(body, lambda _: 201)[1].bodies == []


# ---------------------------------------------------------------------------------------------------- in campaigns


def fired(status_of: Callable[[bytes], int], *props: dict[str, Any]) -> Any:
    bodies = [json.dumps({"number": "N-1", "offerType": "Email", **more}).encode() for more in props]
    with serving(answers(status_of)) as url:
        return fire([Case.judged(OFFER, body, tags=("edge:some",), now=NOW) for body in bodies], HttpTarget(url), Options(now=NOW))


def test_the_sentence_says_what_is_absent() -> None:
    result = fired(rejecting(lambda value: "pdfUrl" not in value), {"comments": "a"}, {"pdfUrl": "https://example.com/"})
    (finding,) = result.findings
    assert (finding.body, finding.places) == (PLAINEST, ("/pdfUrl",))
    assert finding.sentence() == (
        "A valid offer creation request should have been accepted and was rejected (status 400): it hangs on /pdfUrl being absent, by edge:some."
    )


def test_how_many_items_there_are_is_said_of_the_array() -> None:
    (finding,) = fired(rejecting(lambda value: len(value.get("accessGroups") or ()) > 3), {"accessGroups": [*"abcdef"]}).findings
    assert finding.places == ("/accessGroups",)


def test_how_many_items_there_are_is_found_where_the_bounds_were_reached_before() -> None:
    body = json.dumps({"number": "N-1", "offerType": "Email", "comments": "x", "accessGroups": [*"abcdefghijklmno"]}).encode()
    target = Service(rejecting(lambda value: len(value.get("accessGroups") or ()) > 10))
    (finding,) = fire([Case.judged(OFFER, body, now=NOW)], target, Options(now=NOW, shrink_requests=20)).findings
    assert (finding.whole, finding.places) == (False, ("/accessGroups",))


def test_what_is_there_and_what_is_absent_are_both_said() -> None:
    result = fired(rejecting(lambda value: "comments" in value and "isActive" not in value, 500), {"comments": "a"}, {"isActive": True})
    (finding,) = result.findings
    assert finding.kind == "crashed"
    assert 'it hangs on /comments being "" and /isActive being absent' in finding.sentence()


def test_an_absent_property_stands_for_the_object_that_it_is_absent_from() -> None:
    demanded = rejecting(lambda value: any("offerId" not in offer for offer in (value.get("omniChannel") or {}).get("offers") or ()))
    (finding,) = fired(demanded, {"omniChannel": {"offers": [{"deliveryChannel": "Email"}]}}).findings
    assert finding.places == ("/omniChannel/offers/0/offerId",)


def test_findings_of_one_smallest_message_are_looked_into_once() -> None:
    def requests(*props: dict[str, Any]) -> int:
        with serving(answers(lambda _: 400)) as url:
            cases = [
                Case.judged(OFFER, json.dumps({"number": "0", "offerType": "Direct Mail", **more}).encode(), tags=(f"edge:{n}",), now=NOW)
                for n, more in enumerate(props)
            ]
            return fire(cases, HttpTarget(url), Options(now=NOW)).requests

    one = requests({"isActive": True})
    assert requests(*({"isActive": True, "orderMinimum": n} for n in range(1, 6))) < one + 5 * 10


def test_a_message_that_the_bounds_left_large_is_not_called_the_plainest() -> None:
    body = json.dumps({"number": "N-1", "offerType": "Email", "categoryIds": [str(n) for n in range(12)]}).encode()
    target = Service(rejecting(lambda value: len(value.get("categoryIds") or ()) > 10))
    (finding,) = fire([Case.judged(OFFER, body, now=NOW)], target, Options(now=NOW, shrink_requests=2)).findings
    assert not finding.whole
    assert "so is this message" in finding.sentence()


# ---------------------------------------------------------------------------------------------------- the parts


def test_every_place_of_a_request_is_reached_by_adding() -> None:
    """The values at hand are ordinary wherever the contract's ambiguities want them to be."""
    tree = read_tree(PLAINEST)
    left: list[Path] = [()]
    while left:
        path = left.pop()
        for name, values in list(lacking(tree, path, SCHEMAS)):
            proposals = [with_property(tree, path, name, value) for value in values]
            tree = next(proposal for proposal in proposals if check(OFFER, write_tree(proposal), now=NOW).label == "valid")
        left += [(*path, step) for step in range(len(children(at(tree, path))))]
    assert {site(tree, path) for path in paths(tree)} == set(SCHEMAS)


@pytest.mark.parametrize(
    ("schema", "first", "last"),
    [
        ({"type": ["string", "null"], "minLength": 3}, "Plain", "https://example.com/"),
        ({"type": "integer", "minimum": 50}, Number("50"), Number("50")),
        ({"type": "number", "maximum": -2}, Number("-2"), Number("-2")),
        ({"type": "boolean"}, True, False),
        ({"enum": ["x", "y"]}, "x", "x"),
        ({"const": 7}, Number("7"), Number("7")),
        ({"type": "null"}, None, None),
        ({"type": "array", "items": {"type": "boolean"}}, JsonArray((True,)), JsonArray(())),
        (
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {}}},
            JsonObject((("a", Number("12")),)),
            JsonObject((("a", Number("12")),)),
        ),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, dict) else "",
)
def test_plain_values_are_of_their_schema_s_type(schema: Any, first: Any, last: Any) -> None:
    assert plain(schema)[0] == first
    assert plain(schema)[-1] == last
