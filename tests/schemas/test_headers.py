import gzip
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import pytest

from brokerfuzz import Case, catalogue
from brokerfuzz.schemas import check
from brokerfuzz.schemas.headers import MOST_DECOMPRESSED, carried, headers_of

OFFER: Final = "offer-creation-request"
BODY = b'{"number":"N-1","offerType":"Email"}'
GZIP = (("Content-Encoding", "gzip"),)
DOUBTFUL: list[tuple[str, str, Sequence[str | None]]] = [
    (
        "content-type",
        "Content-Type",
        (None, "", "text/plain", "json", ";", "application/", "application/json,", "a/b+json"),
    ),
    ("content-type-form", "content-type", ("Application/JSON", "application/json;charset=UTF-8")),
    ("content-type-form", "content-type", ('application/json ; Charset="utf-8"',)),
    ("charset", "content-type", ("application/json; charset=utf-16", 'Application/JSON;Charset="ISO-8859-1"')),
    ("content-encoding", "CONTENT-ENCODING", ("identity", "")),
    ("false-content-encoding", "CONTENT-ENCODING", ("gzip", "br")),
    ("response-type", "accept", ("", "text/html", "application/json;q=0", "*/*, application/json; q=0.00")),
    ("response-type", "accept", ("application/*;q=0, */*",)),
    ("request-headers", "Transfer-Encoding", ("chunked",)),
    ("request-headers", "Expect", ("100-continue",)),
    ("request-headers", "X-Tenant", ("5",)),
    ("request-headers", "Authorization", (None,)),
]
PLAIN: list[tuple[str, Sequence[str | None]]] = [
    ("Content-Type", ("application/json",)),
    ("content-encoding", (None,)),
    (
        "Accept",
        (
            None,
            "*/*",
            "application/json",
            "text/html, Application/*;q=0.1",
            "text/html, */* ; q=1, application/json;q=0.5",
        ),
    ),
]


def test_an_unusual_header_touches_its_ambiguity() -> None:
    for ambiguity, name, values in DOUBTFUL:
        for value in values:
            verdict = check(OFFER, BODY, headers=((name, value),))
            assert (verdict.label, [touch.ambiguity for touch in verdict.ambiguities]) == ("unspecified", [ambiguity])
            assert name.lower() in verdict.ambiguities[0].found


def test_an_ordinary_header_touches_no_ambiguity() -> None:
    assert {check(OFFER, BODY, headers=((name, value),)).label for name, values in PLAIN for value in values} == {
        "valid"
    }


def test_two_content_types_touch_an_ambiguity_even_if_they_are_equal() -> None:
    (touch,) = check(OFFER, BODY, headers=(("Content-Type", "application/json"),) * 2).ambiguities
    assert (touch.ambiguity, touch.found) == ("content-type", "more than one content-type")


def test_a_broken_rule_makes_a_message_invalid_whatever_its_headers_are() -> None:
    verdict = check(OFFER, b"{}", headers=(("Content-Type", "text/plain"),))
    assert verdict.label == "invalid"


def test_policies_settle_what_headers_leave_open() -> None:
    headers = (("Content-Type", "text/plain"),)
    assert check(OFFER, BODY, headers=headers, policies={"content-type": "accepted"}).label == "valid"
    (broken,) = check(OFFER, BODY, headers=headers, policies={"content-type": "rejected"}).broken
    assert (broken.rule, broken.found, broken.demanded) == (
        "ambiguity/content-type",
        "content-type: text/plain",
        "application/json",
    )


def test_headers_do_not_affect_the_verdict_on_responses() -> None:
    body = b'{"data":null,"failureMessages":["x"],"informationalMessages":[],"operationWasSuccessful":false}'
    assert check("product-list-response", body, headers=(("Content-Type", None),)).label == "valid"


def test_a_gzip_body_is_decompressed_only_if_its_headers_say_gzip() -> None:
    assert check(OFFER, gzip.compress(BODY), headers=GZIP).label == "unspecified"
    assert check(OFFER, gzip.compress(b"{}"), headers=GZIP).label == "invalid"
    assert check(OFFER, BODY, headers=GZIP).label == "unspecified"
    assert check(OFFER, gzip.compress(BODY)).label == "invalid"


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(BODY)[:-1],
        gzip.compress(BODY) + b"x",
        gzip.compress(BODY)[:-1] + b"x",
        b"",
        gzip.compress(b"x" * (MOST_DECOMPRESSED + 1), 1),
    ],
    ids=["cut", "trailing data", "wrong size", "empty", "too large"],
)
def test_a_body_that_cannot_be_decompressed_is_judged_as_it_is(body: bytes) -> None:
    assert carried(body, GZIP) == body


@pytest.mark.parametrize(
    "pairs",
    [
        [["", "x"]], [["a b", "x"]], [["a:", "x"]], [["é", "x"]], [[5, "x"]], [["a", 5]], [["a", "x\r\ny: z"]], [["a",
        " x"]], [["a", "é"]], [["a"]],
        [["a", "b", "c"]], ["ab:"], 5, [["Content-Length", "5"]],
    ],
)  # fmt: skip
def test_headers_that_no_request_can_have_are_rejected(pairs: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        headers_of(pairs)


# ----------------------------------------------------------------------------------------- cases with unusual headers


@cache
def cases() -> list[Case]:
    return [case for case in catalogue(OFFER, verdicts=["unspecified"]) if case.headers]


def test_every_header_ambiguity_is_probed_and_each_case_touches_only_one() -> None:
    assert {touch.ambiguity for case in cases() for touch in case.verdict.ambiguities} == {row[0] for row in DOUBTFUL}
    for case in cases():
        assert {f"probe:{touch.ambiguity}" for touch in case.verdict.ambiguities} == {case.tags[0]}
    assert len({case.tags for case in cases()}) == len({(case.headers, case.body) for case in cases()}) == len(cases())
    assert not any(case.headers for case in catalogue("offer-pricing-response"))


def test_the_message_itself_is_valid_also_if_it_is_compressed() -> None:
    packed = [case for case in cases() if case.body[:2] == b"\x1f\x8b"]
    assert [check(OFFER, gzip.decompress(case.body)).label for case in packed] == ["valid"]
    assert {check(OFFER, case.body).label for case in cases() if case not in packed} == {"valid"}


def test_a_wrong_charset_is_sent_with_letters_that_it_encodes_differently() -> None:
    others = [case for case in cases() if case.tags[1] in ("as:charset-iso-8859-1", "as:charset-utf-16")]
    assert [case.body.isascii() for case in others] == [False, False]


def test_headers_change_the_id_of_a_case() -> None:
    headers = ((), (("Accept", "a/b"),), (("Accept", "a/c"),), (("Accept", None),))
    assert len({Case.judged(OFFER, BODY, headers=one).id for one in headers}) == 4
