import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hand_made_servers import OFFER, Service, answers, conforming, serving

from brokerfuzz.campaign import Options, fire
from brokerfuzz.campaign.bounded_sending import Bounds
from brokerfuzz.campaign.cause_candidates import missing_properties, plain, with_property
from brokerfuzz.campaign.cause_search import CauseSearch
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import JsonArray, JsonObject, Number, Path, at, children, paths, read_tree, site, write_tree
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.targets import HttpTarget

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAINEST = b'{"number":"0","offerType":"Direct Mail"}'
SCHEMAS = {path: place.schema for path, place in load_contract().sites[OFFER].items()}
MOST_FOR_ONE = 25  # requests


def rejecting(test: Callable[[Any], bool], status: int = 400) -> Callable[[bytes], int]:
    """The service answers with `status` to each valid message for which `test` is true."""
    return lambda body: status if conforming(body) == 201 and test(json.loads(body)) else conforming(body)


def searched(
    body: bytes, status_of: Callable[[bytes], int], *, requests: int = 200, **options: Any
) -> tuple[CauseSearch, Service]:
    service = Service(status_of)
    search = CauseSearch(
        body,
        send=service.send,
        judge=lambda b: check(OFFER, b, now=NOW),
        schemas=SCHEMAS,
        bounds=Bounds(requests),
        **options,
    )
    asyncio.run(search.run())
    return search, service


def tier(**props: Any) -> bytes:
    value = {"number": "0", "offerType": "Direct Mail", "priceClasses": [{"priceTiers": [{"price": 0, **props}]}]}
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("status", [400, 500], ids=["rejected", "crashed"])
def test_a_required_property_of_the_root_is_named(status: int) -> None:
    for name in sorted(set(SCHEMAS[""]["properties"]) - {"number", "offerType"}):
        search, service = searched(PLAINEST, rejecting(partial(lacks, name), status))
        assert search.places == (f"/{name}",)
        assert len(service.bodies) < MOST_FOR_ONE, name


def lacks(name: str, value: Any) -> bool:
    return name not in value


def test_a_required_property_of_an_item_is_named() -> None:
    body = tier()
    search, _ = searched(
        body,
        rejecting(
            lambda value: any("pageCounts" not in t for c in value.get("priceClasses", ()) for t in c["priceTiers"])
        ),
    )
    assert search.places == ("/priceClasses/0/priceTiers/0/pageCounts",)


def test_properties_that_each_change_the_answer_are_all_named() -> None:
    search, _ = searched(PLAINEST, rejecting(lambda value: "omsOfferId" not in value and "categoryIds" not in value))
    assert set(search.places) == {"/omsOfferId", "/categoryIds"}


def test_properties_that_change_the_answer_only_together_are_both_named() -> None:
    search, _ = searched(PLAINEST, rejecting(lambda value: "omsOfferId" not in value or "pdfUrl" not in value))
    assert set(search.places) == {"/omsOfferId", "/pdfUrl"}


@pytest.mark.parametrize(
    ("body", "test", "place"),
    [
        (PLAINEST, lambda value: value["offerType"] == "Direct Mail", "/offerType"),
        (PLAINEST, lambda value: value["number"] == "0", "/number"),
        (tier(), lambda value: '"price": 0' in json.dumps(value), "/priceClasses/0/priceTiers/0/price"),
        (PLAINEST, lambda value: len(value["number"]) == 1, "/number"),
        (
            b'{"number":"0","offerType":"Email","isActive":false}',
            lambda value: value.get("isActive") is False,
            "/isActive",
        ),
        (
            b'{"number":"0","offerType":"Email","comments":null}',
            lambda value: value.get("comments", 1) is None,
            "/comments",
        ),
        (
            b'{"number":"0","offerType":"Email","accessGroups":[]}',
            lambda value: value.get("accessGroups") == [],
            "/accessGroups",
        ),
    ],
    ids=["an enum value", "a string", "a number", "a length", "false", "null", "an empty array"],
)
def test_the_plainest_value_is_named_if_any_other_value_is_accepted(
    body: bytes, test: Callable[[Any], bool], place: str
) -> None:
    search, _ = searched(body, rejecting(test))
    assert search.places == (place,)


def test_a_null_in_place_of_an_object_is_named() -> None:
    body = b'{"number":"0","offerType":"Email","omniChannel":null}'
    search, _ = searched(body, rejecting(lambda value: value.get("omniChannel", 1) is None))
    assert search.places == ("/omniChannel",)


def test_the_search_for_the_cause_of_a_crash_keeps_the_ambiguity_of_the_message() -> None:
    body = b'{"number":"0","offerType":"Email","deliveryScheduleCron":"@daily"}'
    search, service = searched(body, lambda body: 201 if b"isTaxable" in body else 500)
    assert search.places == ("/isTaxable",)
    assert {
        tuple(touched.ambiguity for touched in check(OFFER, body, now=NOW).ambiguities) for body in service.bodies
    } == {("cron-syntax",)}


def test_no_cause_is_found_within_the_limits_if_the_service_rejects_everything() -> None:
    search, service = searched(PLAINEST, lambda _: 400)
    assert search.places == ()
    assert len(service.bodies) < 2 * len(SCHEMAS[""]["properties"]) + 10
    assert len(searched(PLAINEST, lambda _: 400, requests=7)[1].bodies) == 7
    assert len(searched(PLAINEST, lambda _: 400, thorough=False)[1].bodies) == 1


def test_a_required_property_is_named_even_if_other_properties_are_rejected() -> None:
    search, _ = searched(
        PLAINEST, rejecting(lambda value: "comments" not in value or "pdfUrl" in value or "priceClasses" in value)
    )
    assert search.places == ("/comments",)


def test_no_cause_is_found_if_the_service_accepts_no_message_twice() -> None:
    seen = {PLAINEST}

    def status_of(body: bytes) -> int:
        known = body in seen
        seen.add(body)
        return 409 if known else conforming(body)

    assert searched(PLAINEST, status_of)[0].places == ()


def test_no_cause_is_found_for_an_intermittent_rejection() -> None:
    answered: list[bytes] = []

    def status_of(body: bytes) -> int:
        answered.append(body)
        return 400 if len(answered) % 3 else 201

    assert searched(PLAINEST, status_of)[0].places == ()


def test_each_message_sent_has_the_verdict_of_the_smallest_one() -> None:
    _, service = searched(PLAINEST, rejecting(lambda value: "surcharge" not in value))
    assert {check(OFFER, body, now=NOW).label for body in service.bodies} == {"valid"}


def test_the_search_is_deterministic() -> None:
    runs = [searched(PLAINEST, rejecting(lambda value: "surcharge" not in value))[1].bodies for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "body", [b"", b"[" * 1000, b'{"number":"0"}', b'{"number":"0","offerType":"Email","orderMinimum":0}']
)
def test_a_message_that_breaks_a_rule_is_not_searched(body: bytes) -> None:
    assert searched(body, lambda _: 201)[1].bodies == []


# ---------------------------------------------------------------------------------------------------- in campaigns


def fired(status_of: Callable[[bytes], int], *props: dict[str, Any]) -> Any:
    bodies = [json.dumps({"number": "N-1", "offerType": "Email", **more}).encode() for more in props]
    with serving(answers(status_of)) as url:
        return fire(
            [Case.judged(OFFER, body, tags=("edge:some",), now=NOW) for body in bodies],
            HttpTarget(url),
            Options(now=NOW),
        )


def test_the_sentence_names_the_absent_property() -> None:
    result = fired(
        rejecting(lambda value: "pdfUrl" not in value), {"comments": "a"}, {"pdfUrl": "https://example.com/"}
    )
    (finding,) = result.findings
    assert (finding.body, finding.places) == (PLAINEST, ("/pdfUrl",))
    assert finding.sentence() == ("rejected (status 400) a valid offer creation request: pdfUrl is absent")


def test_if_the_number_of_items_matters_the_array_is_the_cause() -> None:
    (finding,) = fired(
        rejecting(lambda value: len(value.get("accessGroups") or ()) > 3), {"accessGroups": [*"abcdef"]}
    ).findings
    assert finding.places == ("/accessGroups",)


def test_if_the_number_of_items_matters_the_array_is_the_cause_even_after_a_limit() -> None:
    body = json.dumps(
        {"number": "N-1", "offerType": "Email", "comments": "x", "accessGroups": [*"abcdefghijklmno"]}
    ).encode()
    target = Service(rejecting(lambda value: len(value.get("accessGroups") or ()) > 10))
    (finding,) = fire([Case.judged(OFFER, body, now=NOW)], target, Options(now=NOW, shrink_requests=20)).findings
    assert (finding.whole, finding.places) == (False, ("/accessGroups",))


def test_present_and_absent_properties_can_both_be_causes() -> None:
    result = fired(
        rejecting(lambda value: "comments" in value and "isActive" not in value, 500),
        {"comments": "a"},
        {"isActive": True},
    )
    (finding,) = result.findings
    assert finding.kind == "crashed"
    assert 'comments is "" and isActive is absent' in finding.sentence()


def test_an_absent_property_replaces_its_object_as_the_cause() -> None:
    demanded = rejecting(
        lambda value: any("offerId" not in offer for offer in (value.get("omniChannel") or {}).get("offers") or ())
    )
    (finding,) = fired(demanded, {"omniChannel": {"offers": [{"deliveryChannel": "Email"}]}}).findings
    assert finding.places == ("/omniChannel/offers/0/offerId",)


def test_findings_with_the_same_smallest_message_are_searched_once() -> None:
    def requests(*props: dict[str, Any]) -> int:
        with serving(answers(lambda _: 400)) as url:
            cases = [
                Case.judged(
                    OFFER,
                    json.dumps({"number": "0", "offerType": "Direct Mail", **more}).encode(),
                    tags=(f"edge:{n}",),
                    now=NOW,
                )
                for n, more in enumerate(props)
            ]
            return fire(cases, HttpTarget(url), Options(now=NOW)).requests

    one = requests({"isActive": True})
    assert requests(*({"isActive": True, "orderMinimum": n} for n in range(1, 6))) < one + 5 * 10


def test_a_message_that_was_not_fully_shrunk_is_not_called_the_plainest() -> None:
    body = json.dumps({"number": "N-1", "offerType": "Email", "categoryIds": [str(n) for n in range(12)]}).encode()
    target = Service(rejecting(lambda value: len(value.get("categoryIds") or ()) > 10))
    (finding,) = fire([Case.judged(OFFER, body, now=NOW)], target, Options(now=NOW, shrink_requests=2)).findings
    assert not finding.whole
    assert "the cause in this message was not found" in finding.sentence()


# ---------------------------------------------------------------------------------------------------- the parts


def test_every_place_of_a_request_can_be_added() -> None:
    tree = read_tree(PLAINEST)
    left: list[Path] = [()]
    while left:
        path = left.pop()
        for name, values in list(missing_properties(tree, path, SCHEMAS)):
            proposals = [with_property(tree, path, name, value) for value in values]
            tree = next(
                proposal for proposal in proposals if check(OFFER, write_tree(proposal), now=NOW).label == "valid"
            )
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
def test_plain_values_have_the_type_of_their_schema(schema: Any, first: Any, last: Any) -> None:
    assert plain(schema)[0] == first
    assert plain(schema)[-1] == last
