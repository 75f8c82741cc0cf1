import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import pytest

from brokerfuzz.schemas import Verdict, check

OFFERS = "offer-creation-request"
PLAIN = b'{"number":"A-1","offerType":"Email"}'


def offer(props: bytes) -> bytes:
    """`props` is the raw text of further properties."""
    return PLAIN[:-1] + b"," + props + b"}"


def rules(verdict: Verdict) -> set[str]:
    return {entry.rule.partition("/")[2] for entry in verdict.broken}


def ambiguities(verdict: Verdict) -> set[str]:
    return {touch.ambiguity for touch in verdict.ambiguities}


NO_JSON = {
    "nothing": b"",
    "white space": b" \n",
    "NaN": offer(b'"surcharge":NaN'),
    "trailing text": PLAIN + b"x",
    "a second message": PLAIN + PLAIN,
    "a trailing comma": PLAIN[:-1] + b",}",
    "a cut end": PLAIN[:-1],
    "a raw control character": offer(b'"comments":"a\nb"'),
    "a raw NUL in a text": offer(b'"comments":"a\0b"'),
    "a no-break space": b"\xc2\xa0" + PLAIN,
    "a leading zero": offer(b'"orderMinimum":01'),
    "digits of another script": offer('"orderMinimum":١'.encode()),
    "an unknown escape": offer(b'"comments":"\\x41"'),
    "an escape with a sign": offer(b'"comments":"\\u+041"'),
    "a second byte order mark": b"\xef\xbb\xbf" * 2 + PLAIN,
    "random bytes": bytes(range(256)),
    "100,000 brackets": b"[" * 100_000,
    "100,000 brackets, one closed too often": b"[" * 100_000 + b"]" * 100_001,
    "100,000 brackets, closed by braces": b"[" * 100_000 + b"}" * 100_000,
    "deep nonsense": b"[" * 100_000 + b"nonsense" + b"]" * 100_000,
}


@pytest.mark.parametrize("name", NO_JSON)
def test_a_message_that_is_not_json_breaks_only_the_json_rule(name: str) -> None:
    verdict = check(OFFERS, NO_JSON[name])
    assert verdict.label == "invalid"
    assert [entry.rule for entry in verdict.broken] == ["offer-creation-request/:json"]


@pytest.mark.parametrize(
    "body", [b" \t\r\n" + PLAIN + b" \t\r\n", PLAIN.replace(b"number", b"n\\u0075mber"), PLAIN.replace(b":", b" :\n ")]
)
def test_other_spellings_of_the_same_json_are_valid(body: bytes) -> None:
    assert check(OFFERS, body).label == "valid"


# ----------------------------------------------------------------------------------------------------------- numbers


@contextmanager
def digits_limited_to(count: int) -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(count)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def test_the_verdict_does_not_depend_on_the_integer_limit_of_python() -> None:
    with digits_limited_to(640):
        assert rules(check(OFFERS, offer(b'"orderMinimum":' + b"9" * 999))) == {"orderMinimum:maximum"}


@pytest.mark.parametrize("depth", [100, 200, 300, 900, 1_000, 5_000, 100_000])
def test_a_duplicate_property_is_detected_next_to_deep_nesting(depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    assert check(OFFERS, b'{"number":%b,"offerType":"VDM","number":"1"}' % deep).label == "unspecified"
    assert check(OFFERS, b'{"number":"1","offerType":"VDM","number":%b}' % deep).label == "unspecified"
    both = check(OFFERS, b'{"number":%b,"offerType":"VDM","number":%b}' % (deep, deep))
    assert rules(both) == {"number:type"}


# --------------------------------------------------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
)
def test_a_message_in_another_encoding_is_unspecified_and_its_errors_are_found(encoding: str) -> None:
    assert check(OFFERS, PLAIN.decode().encode(encoding)).label == "unspecified"
    assert rules(check(OFFERS, offer(b'"orderMinimum":0').decode().encode(encoding))) == {"orderMinimum:minimum"}


def test_half_a_surrogate_pair_in_utf_16_is_unspecified() -> None:
    body = '{"number":"\ud800","offerType":"Email"}'.encode("utf-16-le", "surrogatepass")
    assert check(OFFERS, body).label == "unspecified"


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (b"\xff", "other"), (b"\xc0\xaf", "overlong"), (b"\xed\xa0\x80", "surrogates"), (b"\xf4\x90\x80\x80",
        "overlong"), (b"\xc3", "other"),
        (b"\x80", "other"), (b"\xed\xa0\x80\xc0\xaf", "overlong"), (b"\xc0\xaf\xff", "other"),
    ],
)  # fmt: skip
def test_bytes_that_are_not_utf_8_are_unspecified_in_a_string_and_invalid_elsewhere(bad: bytes, kind: str) -> None:
    within = check(OFFERS, offer(b'"comments":"a%bb"' % bad))
    assert (within.label, ambiguities(within)) == ("unspecified", {f"encoding.{kind}"})
    assert rules(check(OFFERS, PLAIN + bad)) == {":json"}


def test_a_lone_surrogate_in_a_name_is_reported_in_printable_text() -> None:
    verdict = check(OFFERS, offer(b'"\\ud800":1,"\\ud800":2'))
    assert ambiguities(verdict) == {"lone-surrogates", "duplicate-properties"}
    assert rules(verdict) == {":additionalProperties"}
    assert str(verdict).encode()


# -------------------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize("escape", [b"", b'"\\u0041"'])
def test_messages_of_any_nesting_depth_are_judged(escape: bytes) -> None:
    for depth in (63, 64, 65, 128, 255, 256, *range(900, 1010, 3), 10_000, 100_000):
        deep = b"[" * depth + escape + b"]" * depth
        assert rules(check(OFFERS, offer(b'"comments":' + deep))) == {"comments:type"}, depth
        assert rules(check(OFFERS, offer(b'"omniChannel":{"offers":[%b]}' % deep))) == {"omniChannel.offers[]:type"}, (
            depth
        )


def test_deeply_nested_objects_are_judged() -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    assert rules(check(OFFERS, offer(b'"priceClasses":[%b]' % deep))) == {"priceClasses[]:additionalProperties"}


def groups(count: int) -> bytes:
    return json.dumps(json.loads(PLAIN) | {"accessGroups": [f"group {number}" for number in range(count)]}).encode()


def judging(body: bytes) -> float:
    """Returns the processor time in seconds for judging a very large message."""
    begin = process_time()
    assert ambiguities(check(OFFERS, body)) == {"item-count", "message-size"}
    return process_time() - begin


def test_the_time_to_judge_a_message_does_not_grow_with_the_square_of_its_size() -> None:
    small, large = groups(80_000), groups(320_000)
    assert judging(large) < 10 * judging(small), "4 times is linear, and 16 times is quadratic"


def test_a_message_of_50_megabytes_is_judged() -> None:
    body = offer(b'"comments":"' + b"x" * 50_000_000 + b'"')
    assert ambiguities(check(OFFERS, body)) == {"string-length", "message-size"}


def test_a_verdict_lists_a_limited_number_of_broken_rules() -> None:
    verdict = check(OFFERS, offer(b'"accessGroups":[' + b",".join([b"1"] * 100_000) + b"]"))
    assert len(verdict.broken) == 100
    assert rules(verdict) == {"accessGroups[]:type"}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"a":1 , \n}', "not JSON: expected a property name in double quotes at character 10"),
        (b'{"a":[1,]}', "not JSON: expected a value at character 8"),
        (b'{"a":[1 ,\t ]}', "not JSON: expected a value at character 11"),
    ],
    ids=["in an object", "in an array", "with white space"],
)
def test_the_error_for_a_trailing_comma_is_the_same_on_every_python(body: bytes, found: str) -> None:
    assert found in check(OFFERS, body).broken[0].found
