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


def test_every_header_ambiguity_is_probed_and_each_case_touches_only_one() -> None:
    assert {touch.ambiguity for case in CASES for touch in case.verdict.ambiguities} == AMBIGUITIES
    for case in CASES:
        assert case.label == "unspecified"
        assert {f"probe:{touch.ambiguity}" for touch in case.verdict.ambiguities} == {case.tags[0]}


def test_the_message_itself_is_valid() -> None:
    assert {check(OFFER, carried(case.body, case.headers), now=NOW).label for case in CASES} == {"valid"}


def test_no_two_header_cases_are_equal() -> None:
    assert (
        len({case.id for case in CASES})
        == len({case.tags for case in CASES})
        == len({(case.headers, case.body) for case in CASES})
        == len(CASES)
    )


def test_only_catalogues_of_requests_contain_header_cases() -> None:
    assert {case.id for case in catalogue(OFFER, now=NOW) if case.headers} == {case.id for case in CASES}
    assert not any(case.headers for case in catalogue("offer-pricing-response", now=NOW))


def test_common_header_mistakes_are_included() -> None:
    sent = {(name.lower(), value) for case in CASES for name, value in case.headers}
    assert sent >= {
        ("content-type", None),
        ("content-type", "text/plain"),
        ("content-type", "application/json; charset=utf-8"),
        ("content-type", "application/problem+json"),
        ("content-encoding", "gzip"),
        ("transfer-encoding", "chunked"),
    }


def test_gzip_is_declared_for_compressed_and_uncompressed_bodies() -> None:
    packed = {case.body[:2] == b"\x1f\x8b" for case in CASES if ("Content-Encoding", "gzip") in case.headers}
    assert packed == {True, False}


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 200_000])
def test_a_compressed_body_can_be_decompressed(size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert gzip.decompress(gzipped(body)) == body


def test_a_wrong_charset_is_sent_with_letters_that_it_encodes_differently() -> None:
    charsets = {"as:charset-iso-8859-1", "as:charset-utf-16"}
    others = [case for case in CASES if case.tags[1] in charsets]
    assert {case.tags[1] for case in others} == charsets
    assert [case.body for case in others if case.body.isascii()] == []


def test_headers_change_the_id_of_a_case() -> None:
    plain = Case.judged(OFFER, BODY, now=NOW)
    ids = {
        Case.judged(OFFER, BODY, now=NOW, headers=headers).id
        for headers in ((("Accept", "a/b"),), (("Accept", "a/c"),), (("Accept", None),))
    }
    assert plain.id not in ids
    assert len(ids) == 3
    assert plain == Case.judged(OFFER, BODY, now=NOW, headers=())


def test_the_oracle_checks_claims_about_headers() -> None:
    with pytest.raises(LabelError):
        Case.judged(OFFER, BODY, claim="content-type", now=NOW, headers=(("Content-Type", "application/json"),))
    with pytest.raises(LabelError):
        Case.judged(OFFER, b"{}", claim="content-type", now=NOW, headers=(("Content-Type", "text/plain"),))


def test_a_contract_without_header_ambiguities_has_no_header_cases(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text("[]")
    assert list(RequestMaker(load_contract(tmp_path), OFFER, NOW).every()) == []


def test_a_contract_that_allows_plain_messages_has_header_cases(tmp_path: Path) -> None:
    schema = json.loads(json.dumps(load_contract().schemas[OFFER]))
    schema["properties"]["number"]["maxLength"] = 3
    (tmp_path / f"{OFFER}.schema.json").write_text(json.dumps(schema))
    assert len(list(RequestMaker(load_contract(tmp_path), OFFER, NOW).every())) == len(CASES)
