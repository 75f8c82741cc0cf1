"""A message that is judged in pieces gets the same verdict as its bytes, whatever the pieces are."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import chain, islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from contracts import changed_contract
from hypothesis import given
from hypothesis import strategies as st
from sampled import sample

from brokerfuzz.cases.case_decoder import random_cases
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType, check, load_contract
from brokerfuzz.schemas.json_reader import is_compact_json
from brokerfuzz.schemas.pieces import EMPTY, Joined, Piece, Pieces
from brokerfuzz.schemas.verdicts import VALID

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
every_message_type = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


def reader_of(message_type: MessageType = OFFERS) -> Pieces:
    return Pieces(load_contract(), message_type, NOW)


def read(reader: Pieces, **props: bytes) -> list[Piece]:
    found = [reader.read(name, text) for name, text in props.items()]
    assert None not in found
    return [piece for piece in found if piece is not None]


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def pools(reader: Pieces, message_type: MessageType) -> Mapping[str, list[Piece]]:
    """Returns valid, invalid and unspecified properties of every kind of case, by name."""
    found: dict[str, list[Piece]] = {}
    for case in chain(catalogue(message_type, now=NOW), islice(random_cases(message_type, 3, now=NOW), 2000)):
        try:
            value = case.value
        except (ValueError, RecursionError):  # not JSON, or nested too deep
            continue
        for name, prop in value.items() if isinstance(value, dict) else ():
            text = written(prop)
            piece = reader.read(name, text) if len(text) < 10_000 else None
            if piece is not None:
                found.setdefault(name, []).append(piece)
    return found


@every_message_type
@sample(1000, 20_000)
def test_pieces_of_all_kinds_of_cases_get_the_same_verdict_as_their_bytes(message_type: MessageType, size: int) -> None:
    reader, random = reader_of(message_type), Random(1)
    pool, labels = pools(reader, message_type), set()
    known = sorted(load_contract().flat[message_type]["properties"])
    for _ in range(size):
        unusual = random.sample(sorted(pool if random.random() < 0.2 else known), random.randrange(4))
        pieces = [random.choice(pool[name]) if name in unusual else pool[name][0] for name in dict.fromkeys([*known, *unusual])]
        message = Joined(pieces)
        body, judged = message.body, reader.judge(message)
        assert judged.verdict == check(message_type, body, now=NOW)
        assert judged.is_compact in (is_compact_json(body), None)
        labels.add(judged.verdict.label)
    assert labels == {"valid", "invalid", "unspecified"}


@pytest.mark.long
def test_pieces_with_many_properties_get_the_same_verdict_as_their_bytes() -> None:
    reader, random = reader_of(), Random(2)
    pool = pools(reader, OFFERS)
    for _ in range(1000):
        pieces = [(name, random.choice(pool[name])) for name in pool]
        cut = random.randrange(1, len(pieces))
        halves = Joined([reader.together(dict(pieces[:cut])), reader.together(dict(pieces[cut:]))])
        every = Joined([piece for _, piece in pieces])
        assert halves.body == every.body
        assert reader.judge(halves) == reader.judge(every)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.just("\0"),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=5), below, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(sorted(load_contract().flat[OFFERS]["properties"])) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), max_size=6
)


@given(st.dictionaries(NAMES, JSON, max_size=8), st.randoms(use_true_random=False))
def test_any_combination_of_properties_gets_the_same_verdict_as_its_bytes(props: dict[str, Any], random: Random) -> None:
    reader = reader_of()
    pieces = [(name, piece) for name, prop in props.items() if (piece := reader.read(name, written(prop)))]
    cuts = sorted(random.sample(range(len(pieces) + 1), min(2, len(pieces) + 1)))
    message = Joined([reader.together(dict(some)) for some in pairs_of([0, *cuts, len(pieces)], pieces) if some])
    assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW)


def pairs_of(cuts: list[int], pieces: list[tuple[str, Piece]]) -> list[list[tuple[str, Piece]]]:
    return [pieces[start:end] for start, end in pairwise(cuts)]


LIST, NONE = b'"Product List"', b"null"


@pytest.mark.parametrize("change", [lambda schema: None, lambda schema: schema.update(dependentRequired={"comments": ["description"]}),
                                    lambda schema: schema.update(allOf=[{"properties": {"number": True}, "additionalProperties": False}])])  # fmt: skip
@pytest.mark.parametrize("texts", [{}, {"number": b'"1"'}, {"offerType": LIST}, {"number": b'"1"', "offerType": LIST},
                                   {"number": NONE, "offerType": LIST, "productClusters": b"[]"}, {"offerType": LIST, "productClusters": NONE},
                                   {"orderMinimum": b"3", "orderMaximum": b"2"}, {"comments": b'""', "strange": b"1"}])  # fmt: skip
def test_tied_properties_are_judged_together_in_one_piece_or_several(
    tmp_path: Path, texts: dict[str, bytes], change: Callable[[dict[str, Any]], None]
) -> None:
    contract = changed_contract(tmp_path, OFFERS, change)
    reader = Pieces(contract, OFFERS, NOW)
    apart = read(reader, **texts)
    one = [reader.together(dict(zip(texts, apart, strict=True)))] if texts else []
    for pieces in (apart, one, [*one, *read(reader, surcharge=b'"?"')]):
        message = Joined(pieces)
        assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW, contract=contract)


FEW = st.sampled_from("abc")
KEYWORDS: dict[str, st.SearchStrategy[Any]] = {
    "properties": st.dictionaries(FEW, st.sampled_from([True, {}, {"type": "integer"}, {"const": 1}, {"minLength": 2}, {"enum": [1, "x"]}])),
    "required": st.lists(FEW, unique=True),
    "additionalProperties": st.booleans(),
}


def with_conditions(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    conditions = {"if": below, "then": below, "else": below, "allOf": st.lists(below, min_size=1, max_size=2)}
    return st.fixed_dictionaries({}, optional={**KEYWORDS, **conditions})


SCHEMAS = with_conditions(st.recursive(st.booleans() | st.fixed_dictionaries({}, optional=KEYWORDS), with_conditions, max_leaves=4))
SOME = st.sampled_from([b"1", b"2", b"null", b'"x"', b'""', b"1.00000000000000001", b"[1]"])


def contract_of(asked: dict[str, Any], folder: Path) -> Contract:
    """Returns a contract whose offers have the properties `a`, `b` and `c` and satisfy this schema."""

    def change(schema: dict[str, Any]) -> None:
        head = {keyword: schema[keyword] for keyword in ("$schema", "$id", "type")}
        schema.clear()
        schema.update(head | asked, properties=dict.fromkeys("abc", True) | asked.get("properties", {}))

    return changed_contract(folder, OFFERS, change)


@given(SCHEMAS, st.lists(st.tuples(st.dictionaries(FEW | st.just("other"), SOME), st.sampled_from([(0,), (1,), (1, 2)])), min_size=1, max_size=8))
def test_pieces_are_judged_correctly_for_any_rule_about_several_properties(
    tmp_path_factory: pytest.TempPathFactory, asked: dict[str, Any], messages: list[tuple[dict[str, bytes], tuple[int, ...]]]
) -> None:
    contract = contract_of(asked, tmp_path_factory.mktemp("contract"))
    reader = Pieces(contract, OFFERS, NOW)
    for texts, cuts in messages:
        pieces = list(zip(texts, read(reader, **texts), strict=True))
        message = Joined(
            [reader.together(dict(some)) for some in pairs_of([0, *(min(cut, len(pieces)) for cut in cuts), len(pieces)], pieces) if some]
        )
        assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW, contract=contract)


PROPERTIES = st.dictionaries(FEW, st.sampled_from([b"1", b'"x"']))
CHANGES = st.dictionaries(FEW | st.just("other"), SOME | st.none(), min_size=1)


@given(SCHEMAS, st.lists(st.tuples(PROPERTIES, PROPERTIES, CHANGES), min_size=1, max_size=12))
def test_a_changed_piece_gets_the_same_verdict_in_every_message_that_is_otherwise_valid(
    tmp_path_factory: pytest.TempPathFactory, asked: dict[str, Any], some: list[tuple[dict[str, bytes], dict[str, bytes], dict[str, bytes | None]]]
) -> None:
    contract = contract_of(asked, tmp_path_factory.mktemp("contract"))
    reader = Pieces(contract, OFFERS, NOW)
    for first, others, changes in some:
        rest = {name: text for name, text in others.items() if name not in first}
        former, beside = whole(reader, first), whole(reader, rest)
        judgement = reader.judge(Joined([former, beside]))
        groups = [[name for name in "abc" if name not in rest], rest]
        if reader.are_apart(groups) and reader.are_valid([former], groups[0]) and reader.are_valid([beside], groups[1]):
            assert judgement.verdict is VALID
        texts = {**first, **{name: text for name, text in changes.items() if name not in rest}}
        kept = {name: text for name, text in texts.items() if text is not None}
        parts = {name: former.parts[name] if first.get(name) == text else read(reader, **{name: text})[0] for name, text in kept.items()}
        told = reader.judgement_of(parts, former) if judgement.verdict is VALID and judgement.is_apart and parts else None
        if told is not None:
            body = Joined([reader.together(parts), beside]).body
            assert told.verdict == check(OFFERS, body, now=NOW, contract=contract)
            assert told.is_compact == is_compact_json(body)


def whole(reader: Pieces, texts: Mapping[str, bytes]) -> Piece:
    return reader.together(dict(zip(texts, read(reader, **texts), strict=True))) if texts else EMPTY


def test_errors_are_limited_before_consequential_errors_are_hidden(tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        for name in ("accessGroups", "categoryIds"):
            schema["properties"][name] = {"type": "array", "items": {"type": "string", "enum": ["x"]}}

    contract = changed_contract(tmp_path, OFFERS, change)
    reader = Pieces(contract, OFFERS, NOW)
    many = b"[" + b",".join([b"1"] * 450) + b"]"
    message = Joined(read(reader, number=b'"1"', offerType=b'"Standard"', accessGroups=many, categoryIds=many))
    assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW, contract=contract)


def test_a_message_with_more_broken_rules_than_a_verdict_lists_is_judged_as_a_whole(tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, OFFERS, lambda schema: None)
    reader = Pieces(contract, OFFERS, NOW)
    many = b"[" + b",".join([b"1"] * 700) + b"]"
    pieces = read(reader, productClusters=many, priceClasses=many)
    both = Joined([reader.together({"productClusters": pieces[0]}), reader.together({"priceClasses": pieces[1]})])
    assert reader.judge(both).verdict == check(OFFERS, both.body, now=NOW, contract=contract)
    assert len(reader.judge(both).verdict.broken) == 1000


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_any_object_gets_the_same_verdict_in_pieces_as_its_bytes(props: dict[str, Any]) -> None:
    reader = reader_of()
    pieces = [reader.read(name, written(prop)) for name, prop in props.items()]
    known = [piece for piece in pieces if piece is not None]
    assert len(known) == len(props)
    message = Joined(known)
    assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW)


@pytest.mark.parametrize(
    "text",
    [b"", b"1,2", b'1,"b":2', b"1],[2", b"01", b"NaN", b"[", b'"\xff"', b"\xef\xbb\xbf1", b"1}", b'{"a":1', b"\0", b"[" * 70 + b"1.0e0" + b"]" * 70],
)
def test_text_that_is_not_a_json_value_cannot_be_a_piece(text: bytes) -> None:
    assert reader_of().read("number", text) is None


def test_bytes_without_pieces_are_judged_as_they_are() -> None:
    assert reader_of().judge(b"no JSON").verdict == check(OFFERS, b"no JSON", now=NOW)


def test_duplicate_properties_in_pieces_are_detected() -> None:
    reader = reader_of()
    twice = Joined([*read(reader, number=b'"a"'), *read(reader, number=b"2")])
    verdict = reader.judge(twice).verdict
    assert verdict == check(OFFERS, twice.body, now=NOW)
    assert "duplicate-properties" in {touched.ambiguity for touched in verdict.ambiguities}


def test_a_message_with_two_ambiguous_properties_is_judged_as_a_whole() -> None:
    reader = reader_of()
    both = Joined(read(reader, defaultPrice=b"0.1000000000000000055511151231257827", surcharge=b"1e400", orderMinimum=b"18446744073709551617"))
    assert reader.judge(both).verdict == check(OFFERS, both.body, now=NOW)


def test_deeply_nested_properties_get_the_same_verdict_as_their_bytes() -> None:
    reader = reader_of()
    for depth in (60, 130, 253, 254, 255, 256, 600):
        piece = reader.read("accessGroups", b"[" * depth + b"]" * depth)
        if piece is not None:
            message = Joined([piece])
            assert reader.judge(message).verdict == check(OFFERS, message.body, now=NOW)
