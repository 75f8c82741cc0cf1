"""Offers are also sent with unusual headers: the message is valid, and the contract leaves the headers open."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from brokerfuzz import BrokerfuzzError, Case, catalogue, check, load_contract
from brokerfuzz.schemas.headers import OF_HEADERS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: Final = "offer-creation-request"
BODY = b'{"number":"N-1","offerType":"Email"}'
CASES = [case for case in catalogue(OFFER, now=NOW, verdicts=["unspecified"]) if case.headers]


def test_every_header_ambiguity_is_probed_and_each_case_touches_only_one() -> None:
    wanted = {ambiguity.id for ambiguity in load_contract().ambiguities if ambiguity.detector in OF_HEADERS}
    assert {touch.ambiguity for case in CASES for touch in case.verdict.ambiguities} == wanted
    for case in CASES:
        assert {f"probe:{touch.ambiguity}" for touch in case.verdict.ambiguities} == {case.tags[0]}
    assert len({case.tags for case in CASES}) == len({(case.headers, case.body) for case in CASES}) == len(CASES)


def test_the_message_itself_is_valid_also_if_it_is_compressed() -> None:
    packed = [case for case in CASES if case.body[:2] == b"\x1f\x8b"]
    assert [check(OFFER, gzip.decompress(case.body), now=NOW).label for case in packed] == ["valid"]
    assert {check(OFFER, case.body, now=NOW).label for case in CASES if case not in packed} == {"valid"}
    assert {case in packed for case in CASES if ("Content-Encoding", "gzip") in case.headers} == {True, False}


def test_responses_have_no_cases_with_headers() -> None:
    assert not any(case.headers for case in catalogue("offer-pricing-response", now=NOW))


def test_common_header_mistakes_are_included() -> None:
    sent = {(name.lower(), value) for case in CASES for name, value in case.headers}
    assert sent >= {
        ("content-type", None),
        ("content-type", "text/plain"),
        ("content-type", "application/json; charset=utf-8"),
        ("transfer-encoding", "chunked"),
    }


def test_a_wrong_charset_is_sent_with_letters_that_it_encodes_differently() -> None:
    others = [case for case in CASES if case.tags[1] in ("as:charset-iso-8859-1", "as:charset-utf-16")]
    assert [case.body.isascii() for case in others] == [False, False]


def test_headers_change_the_id_of_a_case() -> None:
    headers = ((), (("Accept", "a/b"),), (("Accept", "a/c"),), (("Accept", None),))
    assert len({Case.judged(OFFER, BODY, now=NOW, headers=one).id for one in headers}) == 4
    assert Case.judged(OFFER, BODY, now=NOW) == Case.judged(OFFER, BODY, now=NOW, headers=())


@pytest.mark.parametrize(("body", "content_type"), [(BODY, "application/json"), (b"{}", "text/plain")])
def test_the_oracle_checks_claims_about_headers(body: bytes, content_type: str) -> None:
    with pytest.raises(BrokerfuzzError):
        Case.judged(OFFER, body, claim="content-type", now=NOW, headers=(("Content-Type", content_type),))


def test_a_contract_without_header_ambiguities_has_no_header_cases(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text("[]")
    few = catalogue(OFFER, contract=load_contract(tmp_path), verdicts=["unspecified"])
    assert not any(case.headers for case in few)
