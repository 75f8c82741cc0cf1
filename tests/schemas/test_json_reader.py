import json
import random
from itertools import product
from typing import Any, NoReturn

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brokerfuzz.schemas import MESSAGE_TYPES, check
from brokerfuzz.schemas.json_reader import DEEPEST, read, read_fully
from brokerfuzz.schemas.nesting import shallow

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4), max_leaves=20
)
MESSAGE = {
    "number": "A-1", "offerType": "Product List", "defaultPrice": -1.5e3, "isActive": True,
    "comments": 'a "quoted" \u00e9 \\ \U0001f600',
    "omniChannel": {"offers": [{}, {"offerId": None}]}, "productClusters": [{"products": [{"productId": "p",
    "productQuantityInOffer": 1}]}],
}  # fmt: skip
ENVELOPE = {"failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}
TEXTS = [
    json.dumps(MESSAGE),
    json.dumps(MESSAGE, ensure_ascii=False, indent=1),
    "[]",
    '[1,[2,{}],{"a":[]}]',
    "-0.5e-3",
    '"\\u00e9"',
    "null",
]
SPLICED = ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", "+", ".", "e", "E", " ", "\n", "\t", "\r", "\f",
"\x00", "\x1f", "\x7f", "\u00a0", "\u2028",
           "\ufeff", "null", "true", "false", "NaN", "Infinity", "nul", "\\u12", "\\ud800", "\\/", "'", "/", "//",
           "1e5", "01", "[]", "{}", '"a":1', "]]", "[["]  # fmt: skip


def reject(constant: str) -> NoReturn:
    raise ValueError(constant)


def strict(text: str) -> Any:
    """Rejects NaN and infinity, which Python's parser accepts by default."""
    return json.loads(text, parse_constant=reject)


def mutated(text: str, chance: random.Random) -> str:
    """Removes, repeats, swaps or inserts parts of the text."""
    for _ in range(chance.randint(1, 3)):
        begin = chance.randint(0, len(text))
        end = begin + chance.choice([0, 0, 1, 1, 2, 5])
        text = (
            text[:begin]
            + chance.choice(["", *SPLICED, text[begin:end] * 2, text[end : end + 2] + text[begin:end]])
            + text[end:]
        )
    return text


def compare(text: str) -> None:
    """Compares the ways to parse a message with Python's parser: the fast one, the full one, and the one for deep
    nesting.
    """
    body = text.encode()
    if b"\0" in body[:4]:  # RFC 4627 detects an encoding with two or four bytes per character
        return
    readings = [read(body), read_fully(body), read_fully(body, is_shallow=True)]
    if body.startswith(b"\xef\xbb\xbf"):
        text = text[1:]
    try:
        expected = strict(text)
    except ValueError:
        assert all(reading.error is not None and reading.values == {} for reading in readings)
        return
    first = readings[0]
    for reading in readings:
        assert (reading.error, reading.exotic, repr(reading.values)) == (None, first.exotic, repr(first.values))
    if not first.exotic:
        assert repr([*first.values.values()]) == repr([expected])


@pytest.mark.parametrize("seed", range(5))
def test_the_parsers_agree_with_python_on_mutated_json(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(1000):
        text = mutated(chance.choice(TEXTS), chance)
        try:
            compare(text)
        except AssertionError as problem:
            raise AssertionError(f"for {text!r}") from problem


@given(VALUES)
@example([2**53 + 1, -(2**53) - 1, 2**53, 2**64])
@example({"a": [9007199254740993], "b": ",9007199254740993,"})
@example([0.1 + 0.2, 5e-324, 1e22, 1e23, -0.0, 0, 1.0, 0.30000000000000004])
@example(["\0", "\\u0000", "\ufffd", "\U0001f600"])
def test_the_parsers_agree_on_every_value(value: Any) -> None:
    compare(json.dumps(value))
    compare(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.parametrize("body", [b"[9007199254740993]", b'{"a":-9007199254740993,"b":0}', b'["\\u0000"]'])
def test_ambiguous_json_is_detected_although_it_is_compact(body: bytes) -> None:
    assert read(body).exotic


@pytest.mark.parametrize("character", ["a", '"', "\\", "\n", "\u00e9", "\u2222", "\U0001f600"])
def test_a_string_that_is_too_long_is_detected_with_any_characters(character: str) -> None:
    for length, encoding in product([1023, 1024, 1025, 3000], ["utf-8", "utf-16"]):
        offer = {"number": "1", "offerType": "Email", "comments": character * length, "isActive": False}
        body = json.dumps(offer, ensure_ascii=False).encode(encoding)
        touched = {touch.ambiguity for touch in check("offer-creation-request", body).ambiguities}
        assert ("string-length" in touched) == (length > 1024), (length, encoding)


@given(
    VALUES,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]),
)
@example("aaa", "utf-16-le")
def test_a_message_has_the_same_value_in_every_encoding(value: Any, encoding: str) -> None:
    text = json.dumps({"value": value})
    reading, plain = read(text.encode(encoding)), read(text.encode())
    of_bytes = ["byte_order_mark"] * (encoding in ("utf-8-sig", "utf-16", "utf-32")) + [
        encoding[:6].replace("-", "_")
    ] * ("8" not in encoding)
    assert (reading.values, reading.exotic[len(of_bytes) :], reading.error) == (plain.values, plain.exotic, None)
    assert [detector for detector, _, _ in reading.exotic[: len(of_bytes)]] == of_bytes
    assert reading.encoding == (None if "8" in encoding else encoding)


@given(st.text(alphabet='[]{},:"\\ 01.-eEtrufalsn', max_size=30))
def test_the_parsers_agree_on_texts_that_look_like_json(text: str) -> None:
    compare(text)


@given(
    st.recursive(
        st.just("1"),
        lambda below: (
            st.lists(below, max_size=3).map(lambda items: f"[{','.join(items)}]") | below.map('{{"a":{}}}'.format)
        ),
    )
)
def test_shallow_keeps_everything_up_to_the_depth_limit(text: str) -> None:
    def emptied(value: Any, deepest: int) -> Any:
        if isinstance(value, list):
            return [emptied(item, deepest - 1) for item in value] if deepest else []
        if isinstance(value, dict):
            return {name: emptied(prop, deepest - 1) for name, prop in value.items()} if deepest else {}
        return value

    for deepest in range(5):
        assert strict(shallow(text, deepest)) == emptied(strict(text), deepest)


@pytest.mark.parametrize("depth", [DEEPEST - 1, DEEPEST, DEEPEST + 1, DEEPEST + 2])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ("[ ", " ]"), ('[{"a":', "}]")])
def test_arrays_and_objects_beyond_the_depth_limit_become_empty(depth: int, opening: str, closing: str) -> None:
    text = opening * depth + "1" + closing * depth
    cut = json.dumps(read_fully(text.encode(), is_shallow=True).usual)
    each = opening.count("[") + opening.count("{")
    assert cut.count("[") + cut.count("{") == min(depth * each, DEEPEST + 1)
    assert ("1" in cut) == (depth * each <= DEEPEST)


# ---------------------------------------------------------------------------------------------------- nothing raises


@given(st.sampled_from(MESSAGE_TYPES), st.binary())
@example("offer-creation-request", b"\xff\xfe\x00\x00")
@example("offer-creation-request", b"\x00")
@example("offer-creation-request", b"1\x00")
@example("offer-creation-request", b'"\x00a"')
def test_checking_arbitrary_bytes_never_raises(message_type: str, body: bytes) -> None:
    check(message_type, body)


@given(st.sampled_from(MESSAGE_TYPES), VALUES.filter(lambda value: not isinstance(value, str)))
def test_checking_arbitrary_values_never_raises(message_type: str, value: Any) -> None:
    check(message_type, value)
    check(message_type, json.dumps(value).encode())


PROPERTIES = st.sampled_from(
    [
        "data",
        "offers",
        "operationWasSuccessful",
        "failureMessages",
        "productClusters",
        "products",
        "offerType",
        "weight",
        "x",
    ]
)
HALF_VALID = st.recursive(
    SCALARS | st.sampled_from(["Product List", "2024-01-01T00:00:00Z"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(PROPERTIES, below),
    max_leaves=15,
)


@given(st.sampled_from(MESSAGE_TYPES), HALF_VALID.filter(lambda value: not isinstance(value, str)))
def test_checking_objects_with_known_properties_never_raises(message_type: str, value: Any) -> None:
    check(message_type, value)


BODIES = {
    "offer-creation-request": MESSAGE | {"orderMinimum": 1, "orderMaximum": 2, "fixedOrderQuantities": [1, 2]},
    "product-list-response": {
        "data": [
            {
                "productId": "p",
                "productNumber": "P",
                "productType": "Card",
                "status": "Active",
                "lastUpdateDateTimeUtc": "2024-01-01T00:00:00Z",
                "weight": 12.5,
            }
        ],
        **ENVELOPE,
    },
    "offer-pricing-response": {
        "data": {
            "customerId": "c",
            "offers": [{"offerId": "o", "quantity": 2, "unitPrice": 1.25, "extendedPrice": 2.5}],
            "totalExtendedPrice": 2.5,
        },
        **ENVELOPE,
    },
}


@settings(max_examples=300)
@given(st.sampled_from(MESSAGE_TYPES), st.data())
def test_checking_a_mutated_message_never_raises(message_type: str, data: st.DataObject) -> None:
    body = json.dumps(BODIES[message_type]).encode()
    assert check(message_type, body).label == "valid"
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(begin, min(begin + 12, len(body))))
        filling = st.binary(max_size=4) | st.sampled_from(
            [b"9" * 400, b"1e999", b"null", b"{}", b"[", b"\\ud800", b'"number":1,', b'"data":null,', b"-"]
        )
        body = body[:begin] + data.draw(filling) + body[end:]
    verdict = check(message_type, body)
    assert (verdict.label == "invalid") == bool(verdict.broken)
    assert str(verdict).encode()
