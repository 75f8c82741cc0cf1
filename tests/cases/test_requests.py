"""Cases about how a request carries its message: their headers are in doubt, and nothing else is."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.requests import RequestMaker, gzipped
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.schemas.headers import OF_HEADERS, carried

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: Final = "offer-creation-request"
BODY = b'{"number":"N-1","offerType":"Email"}'
CASES = tuple(RequestMaker(load_contract(), OFFER, NOW).every())
AMBIGUITIES = {ambiguity.id for ambiguity in load_contract().ambiguities if ambiguity.detector in OF_HEADERS}


def test_every_ambiguity_about_headers_is_probed_and_each_case_touches_one_alone() -> None:
    assert {touch.ambiguity for case in CASES for touch in case.verdict.ambiguities} == AMBIGUITIES
    for case in CASES:
        assert case.label == "unspecified"
        assert {f"probe:{touch.ambiguity}" for touch in case.verdict.ambiguities} == {case.tags[0]}


def test_the_message_itself_is_valid() -> None:
    assert {check(OFFER, carried(case.body, case.headers), now=NOW).label for case in CASES} == {"valid"}


def test_no_two_look_alike() -> None:
    assert len({case.id for case in CASES}) == len({case.tags for case in CASES}) == len({(case.headers, case.body) for case in CASES}) == len(CASES)


def test_the_catalogue_of_requests_has_them_all_and_that_of_responses_none() -> None:
    assert {case.id for case in catalogue(OFFER, now=NOW) if case.headers} == {case.id for case in CASES}
    assert not any(case.headers for case in catalogue("offer-pricing-response", now=NOW))


def test_the_checklists_kinds_are_all_there() -> None:
    sent = {(name.lower(), value) for case in CASES for name, value in case.headers}
    assert sent >= {
        ("content-type", None),
        ("content-type", "text/plain"),
        ("content-type", "application/"),
        ("content-type", "application/json; charset=utf-8"),
        ("content-type", "application/vnd.example+json"),
        ("content-encoding", "gzip"),
        ("transfer-encoding", "chunked"),
    }


def test_gzip_is_declared_both_of_what_is_packed_and_of_what_is_not() -> None:
    packed = {case.body[:2] == b"\x1f\x8b" for case in CASES if ("Content-Encoding", "gzip") in case.headers}
    assert packed == {True, False}


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 200_000])
def test_what_is_packed_unpacks(size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert gzip.decompress(gzipped(body)) == body


def test_a_charset_that_is_not_the_messages_meets_letters_that_it_spells_otherwise() -> None:
    charsets = {"as:charset-iso-8859-1", "as:charset-utf-16", "as:charset-us-ascii"}
    others = [case for case in CASES if case.tags[1] in charsets]
    assert {case.tags[1] for case in others} == charsets
    assert [case.body for case in others if case.body.isascii()] == []


def test_headers_are_part_of_the_id_only_where_there_are_any() -> None:
    plain = Case.judged(OFFER, BODY, now=NOW)
    ids = {Case.judged(OFFER, BODY, now=NOW, headers=headers).id for headers in ((("Accept", "a/b"),), (("Accept", "a/c"),), (("Accept", None),))}
    assert plain.id not in ids
    assert len(ids) == 3
    assert plain == Case.judged(OFFER, BODY, now=NOW, headers=())


def test_a_claim_about_headers_is_not_trusted() -> None:
    with pytest.raises(LabelError):
        Case.judged(OFFER, BODY, claim="content-type", now=NOW, headers=(("Content-Type", "application/json"),))
    with pytest.raises(LabelError):
        Case.judged(OFFER, b"{}", claim="content-type", now=NOW, headers=(("Content-Type", "text/plain"),))


def test_a_contract_without_these_ambiguities_has_no_such_cases(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text("[]")
    assert list(RequestMaker(load_contract(tmp_path), OFFER, NOW).every()) == []


def test_a_contract_with_rules_that_plain_messages_keep_has_them_too(tmp_path: Path) -> None:
    schema = json.loads(json.dumps(load_contract().schemas[OFFER]))
    schema["properties"]["number"]["maxLength"] = 3
    (tmp_path / f"{OFFER}.schema.json").write_text(json.dumps(schema))
    assert len(list(RequestMaker(load_contract(tmp_path), OFFER, NOW).every())) == len(CASES)
