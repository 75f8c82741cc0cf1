"""The oracle judges any bytes: it finds JSON exactly where Python's parser does, in every encoding and at any size, and
never raises.
"""

import json
import random
import subprocess
import sys
from time import process_time
from typing import Any, NoReturn

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brokerfuzz import MESSAGE_TYPES, MessageType, check, messages
from brokerfuzz.schemas import Verdict

OFFER: MessageType = "offer-creation-request"
PLAIN = b'{"number":"A-1","offerType":"Email"}'
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # Hypothesis would need seconds for its usual characters
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(ANY_TEXT, below, max_size=4), max_leaves=20
)
TEXTS = [
    '{"number":"A-1","offerType":"Email","defaultPrice":-1.5e3,"isActive":true,"omniChannel":{"offers":[{}]}}',
    '{\n "comments": "a \\"quoted\\" \u00e9 \\\\ \U0001f600",\n "productClusters": [{"products": []}]\n}',
    "[]", '[1,[2,{}],{"a":[]}]', "-0.5e-3", '"\\u00e9"', "null",
]  # fmt: skip
SPLICED = [
    *'"\\{}[],:01-+.eE \n\t\r\f\x00\x1f\x7f\u00a0\u2028\ufeff\'/',
    "null", "true", "false", "NaN", "Infinity", "nul", "\\u12", "\\u+041", "\\x41", "\\ud800", "\\/", "//", "1e5", "01",
    "\u0661", "[]", "{}", '"a":1', "]]", "[[", "9" * 400, "1e999",
]  # fmt: skip


def offer(props: bytes) -> bytes:
    """`props` is the raw text of further properties."""
    return PLAIN[:-1] + b"," + props + b"}"


def rules(verdict: Verdict) -> set[str]:
    return {entry.rule.partition("/")[2] for entry in verdict.broken}


def ambiguities(verdict: Verdict) -> set[str]:
    return {touch.ambiguity for touch in verdict.ambiguities}


# --------------------------------------------------------------------------------------------------------------- JSON


def mutated(text: str, chance: random.Random) -> str:
    """Removes, repeats, swaps or inserts parts of the text."""
    for _ in range(chance.randint(1, 3)):
        begin = chance.randint(0, len(text))
        end = begin + chance.choice([0, 0, 1, 1, 2, 5])
        changes = ["", *SPLICED, text[begin:end] * 2, text[end : end + 2] + text[begin:end]]
        text = text[:begin] + chance.choice(changes) + text[end:]
    return text


def is_json(text: str) -> bool:
    def reject(constant: str) -> NoReturn:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=reject)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("seed", range(3))
def test_the_oracle_finds_json_where_python_does(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(800):
        text = mutated(chance.choice(TEXTS), chance)
        if number % 4 == 0:
            text = "".join(chance.choices('[]{},:"\\ 01.-eEtrufalsn', k=chance.randint(0, 30)))
        if "\0" not in text[:4]:  # RFC 4627 detects an encoding with two or four bytes per character
            assert (":json" in rules(check(OFFER, text.encode()))) is not is_json(text.removeprefix("\ufeff")), text
        if not text.startswith("\ufeff"):
            nested = f"{'[' * 300}{text}{']' * 300}"  # too deep for the validator, so another parser checks it
            assert (":json" in rules(check(OFFER, nested.encode()))) is not is_json(nested), text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"a":1 , \n}', "expected a property name in double quotes at line 2, column 1: remove the comma before it"),
        ('{"a":[1 ,\t ]}', "expected a value at line 1, column 12: remove the comma before it"),
        (
            '{\n "price": 12,50\n}',
            "expected a property name in double quotes at line 2, column 14: write a decimal point, 12.50.",
        ),
        ('{"a": "first\r\nsecond"}', "the string at line 1, column 7 contains a line break: write \\n instead"),
        ('{"a": "x\ty"}', "the string at line 1, column 7 contains a control character: write \\u0009 instead"),
        (r'{"a": "C:\data"}', r"the string at line 1, column 7 contains \d: write a backslash as \\."),
        ('{"a": "x}', "the string at line 1, column 7 does not end: add a double quote"),
        ("{'a': 1}", "expected a property name in double quotes or } at line 1, column 2"),
        ('{"a":1}\n{"a":1}', "expected the end of the message at line 2, column 1"),
        ('{"a": NaN}', "expected a value at line 1, column 7"),
        ("", "expected a value at line 1, column 1"),
    ],
)
def test_an_error_in_json_names_its_place_and_what_to_do(body: str, said: str) -> None:
    assert f"not JSON: {said}" in f"{check(OFFER, body.encode()).broken[0].found}."


ENCODINGS = ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@given(VALUES, st.sampled_from(ENCODINGS))
@example([2**53 + 1, -(2**53) - 1, 2**64, 5e-324, 1e23, -0.0, 0.30000000000000004], "utf-16")
@example(["\0", "\\u0000", "\ufffd", "\U0001f600", "x" * 1025], "utf-8-sig")
def test_a_message_breaks_the_same_rules_in_every_encoding_and_notation(value: Any, encoding: str) -> None:
    text = json.dumps({"number": value})
    plain = check(OFFER, text.encode())
    for other in (text.encode(encoding), json.dumps({"number": value}, ensure_ascii=False, indent=1).encode()):
        verdict = check(OFFER, other)
        assert (verdict.label, verdict.broken) == (plain.label, plain.broken)
        assert set(verdict.ambiguities) >= set(plain.ambiguities)
    marked = ambiguities(check(OFFER, PLAIN.decode().encode(encoding)))
    assert marked == {name for name in ("byte-order-mark", f"encoding.{encoding[:6]}") if name in marked} != set()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    body = json.dumps(next(messages(OFFER, draw(st.integers(0, 50))))).encode()
    for _ in range(draw(st.integers(1, 3))):
        begin = draw(st.integers(0, len(body)))
        end = draw(st.integers(begin, min(begin + 12, len(body))))
        body = body[:begin] + draw(st.binary(max_size=4) | st.sampled_from(SPLICED).map(str.encode)) + body[end:]
    return body


@given(st.sampled_from(MESSAGE_TYPES), damaged() | st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
@example(OFFER, b"\xff\xfe\x00\x00")
@example(OFFER, b"1\x00")
@example(OFFER, b'"\x00a"')
@example(OFFER, offer(b'"\\ud800":1,"\\ud800":2'))
@example(OFFER, '{"number":"\ud800","offerType":"Email"}'.encode("utf-16-le", "surrogatepass"))
def test_judging_any_bytes_never_raises_and_the_verdict_is_printable(message_type: MessageType, body: bytes) -> None:
    verdict = check(message_type, body)
    assert (verdict.label == "invalid") == bool(verdict.broken)
    assert str(verdict).encode()


# --------------------------------------------------------------------------------------------------------------- size


def test_the_verdict_does_not_depend_on_the_integer_limit_of_python() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert rules(check(OFFER, offer(b'"orderMinimum":' + b"9" * 999))) == {"orderMinimum:maximum"}
    finally:
        sys.set_int_max_str_digits(before)


def test_messages_of_any_nesting_depth_are_judged() -> None:
    for depth in (63, 64, 65, 128, 255, 256, *range(900, 1010, 10), 20_000):
        for deep in (b"[" * depth + b"]" * depth, b"[" * depth + b'"\\u0041"' + b"]" * depth):
            for props, rule in (
                (b'"comments":%b', "comments:type"),
                (b'"omniChannel":{"offers":[%b]}', "omniChannel.offers[]:type"),
                (b'"priceClasses":[{"a":%b}]', "priceClasses[]:additionalProperties"),
            ):
                assert rules(check(OFFER, offer(props % deep))) == {rule}, depth
        repeated = b'"number":%b,"number":%b'
        assert check(OFFER, offer(repeated % (deep, b'"1"'))).label == "unspecified"
        assert rules(check(OFFER, offer(repeated % (deep, deep)).replace(b'"number":"A-1",', b""))) == {"number:type"}
    for opening, end in ((b"[", b""), (b"[", b"]" * 100_001), (b"[", b"}" * 100_000), (b'{"a":', b"nonsense")):
        assert rules(check(OFFER, opening * 100_000 + end)) == {":json"}


def test_the_time_to_judge_a_message_does_not_grow_with_the_square_of_its_size() -> None:
    def judging(count: int) -> float:
        body = offer(b'"accessGroups":[%b]' % b",".join(b'"group %d"' % number for number in range(count)))
        begin = process_time()
        assert "item-count" in ambiguities(check(OFFER, body))
        return process_time() - begin

    assert judging(160_000) < 10 * judging(40_000), "4 times is linear, and 16 times is quadratic"


PRODUCT = {
    "productId": "1", "productNumber": "1", "productType": "a", "status": "a",
    "lastUpdateDateTimeUtc": "2001-01-01T00:00:00Z",
}  # fmt: skip
WRONG = {**PRODUCT, "status": 5}


def test_an_error_behind_thousands_of_items_is_found_and_errors_of_the_first_hundred_items_are_listed() -> None:
    for items, places in (
        ([*[PRODUCT] * 3000, WRONG], ["/data/3000/status"]),
        ([*[PRODUCT] * 99, *[WRONG] * 2000], ["/data/99/status"]),
        ([WRONG] * 2000, [f"/data/{number}/status" for number in range(100)]),
    ):
        response = {"data": items, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}
        verdict = check("product-list-response", json.dumps(response).encode())
        assert [broken.at for broken in verdict.broken] == sorted(places)


_JUDGED = """
import resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # not zero: the process inherits the value from the tests
from brokerfuzz import check
verdict = check(sys.argv[1], sys.stdin.buffer.read())
assert verdict.label == "invalid"
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1024 if sys.platform != "darwin" else 1 << 20))
"""


@pytest.mark.every(3)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module `resource`")
@pytest.mark.parametrize(
    ("message_type", "message"),
    [
        ("product-list-response", {"data": [{}] * 300_000}),
        ("offer-creation-request", {"accessGroups": [1] * 300_000}),
        ("offer-creation-request", {"productClusters": [{"products": [{}] * 500}] * 500}),
    ],
    ids=["objects", "scalars", "arrays in an array"],
)
def test_hundreds_of_thousands_of_errors_need_little_memory(message_type: str, message: Any) -> None:
    command = [sys.executable, "-c", _JUDGED, message_type]
    done = subprocess.run(command, input=json.dumps(message).encode(), capture_output=True, check=True)
    assert int(done.stdout) < 250, "megabytes; all errors of the validator would need 600 to 3,000"
