import json
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.changes import apply, places
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.generation import message as generated
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, MessageType, check, load_contract
from brokerfuzz.schemas.headers import OF_HEADERS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONTRACT = load_contract()
PRICING: Final = "offer-pricing-response"
PROBED = [ambiguity for ambiguity in CONTRACT.ambiguities if ambiguity.detector not in (None, *OF_HEADERS)]
EVERY_AMBIGUITY = pytest.mark.parametrize("ambiguity", PROBED, ids=[ambiguity.id for ambiguity in PROBED])

ONE_PROBE = {"timestamp", "message_size", "byte_order_mark"}
"""The detectors of ambiguities that may have only one probe."""


@cache
def probes(message_type: MessageType) -> dict[str, list[Case]]:
    maker = ProbeMaker(CONTRACT, message_type, NOW)
    return {ambiguity.id: list(maker.of_ambiguity(ambiguity)) for ambiguity in PROBED}


def name(case: Case) -> str:
    return next(tag.removeprefix("as:") for tag in case.tags if tag.startswith("as:"))


@EVERY_AMBIGUITY
def test_an_ambiguity_has_several_probes_with_different_names(ambiguity: Ambiguity) -> None:
    for message_type in MESSAGE_TYPES:
        called = defaultdict(set)
        for case in probes(message_type)[ambiguity.id]:
            at = next(touch.at for touch in case.verdict.ambiguities if touch.ambiguity == ambiguity.id)
            called[at, name(case)].add(case.body)
        assert all(len(bodies) == 1 for bodies in called.values())
    names = {name(case) for message_type in MESSAGE_TYPES for case in probes(message_type)[ambiguity.id]}
    assert len(names) > 1 or ambiguity.detector in ONE_PROBE


@EVERY_AMBIGUITY
def test_a_probe_touches_its_ambiguity_and_breaks_nothing(ambiguity: Ambiguity) -> None:
    for message_type in MESSAGE_TYPES:
        for case in probes(message_type)[ambiguity.id]:
            verdict = check(message_type, case.body, now=NOW)
            assert verdict.label == "unspecified"
            assert ambiguity.id in {touched.ambiguity for touched in verdict.ambiguities}


@EVERY_AMBIGUITY
def test_an_ambiguity_with_places_is_probed_at_each_of_them(ambiguity: Ambiguity) -> None:
    for message_type, sites in (ambiguity.sites or {}).items():
        touched = [
            touch
            for case in probes(message_type)[ambiguity.id]
            for touch in case.verdict.ambiguities
            if touch.ambiguity == ambiguity.id
        ]
        for site in sites:
            path = site if isinstance(site, str) else site[0]
            message = generated(CONTRACT, message_type, wishes=wishes_at(CONTRACT, message_type, path))  # type: ignore[arg-type]
            at = "".join(f"/{step}" for step in places(message, path)[0])
            assert any(touch.at == at for touch in touched), (message_type, path)


@given(st.floats(0, 1), st.integers(1, 100_000), st.floats(0, 100))
def test_wrong_sums_are_wrong_for_every_price_and_surcharge(unit: float, quantity: int, surcharge: float) -> None:
    maker, ambiguity = ProbeMaker(CONTRACT, PRICING, NOW), CONTRACT.ambiguity("price-arithmetic")
    site = maker.sites(ambiguity)[0]
    message = json.loads(
        json.dumps(generated(CONTRACT, PRICING, wishes=wishes_at(CONTRACT, PRICING, maker.path(site))))
    )
    (offer,) = message["data"]["offers"]
    offer["unitPrice"], offer["quantity"] = unit, quantity
    offer["extendedPrice"] = message["data"]["totalExtendedPrice"] = unit * quantity + surcharge
    for probe, steps, change in maker.probes(ambiguity, site, message):
        assert check(PRICING, apply(message, steps, change)).label == "unspecified", probe


def test_an_offset_decides_whether_a_time_is_in_the_past() -> None:
    cases = [
        case
        for spelling in ("offset", "no-zone")
        for case in probes("offer-creation-request")[f"timestamp-format.{spelling}"]
    ]
    spelled = {
        name(case): case.value["lastUpdatedDateTimeUtc"]
        for case in cases
        if case.verdict.ambiguities[0].at == "/lastUpdatedDateTimeUtc"
    }
    behind = datetime.fromisoformat(spelled["behind-by-offset"])
    assert behind < NOW < behind.replace(tzinfo=UTC), "it is in the future if the offset is ignored"
    assert datetime.fromisoformat(spelled["behind-without-zone"]) < NOW.replace(tzinfo=None)


def test_cases_that_depend_on_the_clock_have_a_time_tag() -> None:
    later = ProbeMaker(CONTRACT, "offer-creation-request", datetime(2031, 5, 6, tzinfo=UTC))
    again = {case.id for ambiguity in PROBED for case in later.of_ambiguity(ambiguity)}
    changed = [case for cases in probes("offer-creation-request").values() for case in cases if case.id not in again]
    assert changed
    assert all(map(_clocked, changed))


def _clocked(case: Case) -> bool:
    return f"now:{NOW:%Y-%m-%dT%H:%M:%SZ}" in case.tags


def test_encodings_are_the_same_bytes_on_every_machine() -> None:
    marked = next(case for case in probes("product-list-response")["encoding.utf-16"] if name(case) == "utf-16")
    assert marked.body.startswith(b"\xff\xfe{\0")
    assert marked.body.decode("utf-16").startswith("{")
