"""The oracle judges any bytes: it finds JSON exactly where Python's parser does, in every encoding, and never raises."""

import json
import random
from typing import Any, NoReturn

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brokerfuzz import MESSAGE_TYPES, MessageType, check, messages

OFFER: MessageType = "offer-creation-request"
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4), max_leaves=20
)
TEXTS = [
    '{"number":"A-1","offerType":"Email","defaultPrice":-1.5e3,"isActive":true,"omniChannel":{"offers":[{}]}}',
    '{\n "comments": "a \\"quoted\\" \u00e9 \\\\ \U0001f600",\n "productClusters": [{"products": []}]\n}',
    "[]", '[1,[2,{}],{"a":[]}]', "-0.5e-3", '"\\u00e9"', "null",
]  # fmt: skip
SPLICED = [
    *'"\\{}[],:01-+.eE \n\t\r\f\x00\x1f\x7f\u00a0\u2028\ufeff\'/',
    "null", "true", "false", "NaN", "Infinity", "nul", "\\u12", "\\ud800", "\\/", "//", "1e5", "01", "[]", "{}",
    '"a":1', "]]", "[[", "9" * 400, "1e999",
]  # fmt: skip


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


def breaks_syntax(body: bytes) -> bool:
    return any(broken.rule == f"{OFFER}/:json" for broken in check(OFFER, body).broken)


def compare(text: str) -> None:
    if "\0" not in text[:4]:  # RFC 4627 detects an encoding with two or four bytes per character
        assert breaks_syntax(text.encode()) is not is_json(text.removeprefix("\ufeff")), text
        nested = f"{'[' * 300}{text}{']' * 300}"  # too deep for the validator, so another parser checks it
        if not text.startswith("\ufeff"):
            assert breaks_syntax(nested.encode()) is not is_json(nested), text


@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_finds_json_where_python_does(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(600):
        compare(mutated(chance.choice(TEXTS), chance))


@given(st.text(alphabet='[]{},:"\\ 01.-eEtrufalsn', max_size=30))
def test_the_oracle_finds_json_where_python_does_in_texts_that_look_like_json(text: str) -> None:
    compare(text)


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


@given(st.sampled_from(MESSAGE_TYPES), st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
@example(OFFER, b"\xff\xfe\x00\x00")
@example(OFFER, b"1\x00")
@example(OFFER, b'"\x00a"')
def test_judging_arbitrary_bytes_never_raises(message_type: MessageType, body: bytes) -> None:
    check(message_type, body)


@settings(max_examples=300)
@given(st.sampled_from(MESSAGE_TYPES), st.integers(0, 50), st.data())
def test_judging_a_damaged_message_never_raises(message_type: MessageType, seed: int, data: st.DataObject) -> None:
    body = json.dumps(next(messages(message_type, seed))).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(begin, min(begin + 12, len(body))))
        filling = st.binary(max_size=4) | st.sampled_from(SPLICED).map(str.encode)
        body = body[:begin] + data.draw(filling) + body[end:]
    verdict = check(message_type, body)
    assert (verdict.label == "invalid") == bool(verdict.broken)
    assert str(verdict).encode()
