"""Each technique of the catalogue breaks its rule and no other, and its twin differs only at the place of the fault."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson
import pytest
from fixture_types import Run
from validators import said_by_node

from brokerfuzz import MESSAGE_TYPES, Case, MessageType, catalogue, check, corpus

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@cache
def faults(message_type: MessageType) -> list[Case]:
    """Returns the cases of the catalogue and of the default corpus with one fault."""
    listed = [*catalogue(message_type, verdicts=["invalid"], now=NOW), *corpus.load(message_type, verdicts=["invalid"])]
    return [case for case in listed if len(case.faults) == 1]


@EVERY_TYPE
def test_a_fault_breaks_its_rule_at_its_place_and_no_other_and_its_twin_differs_only_there(
    message_type: MessageType,
) -> None:
    for case in faults(message_type):
        (fault,) = case.faults
        assert {(broken.rule, broken.at) for broken in case.verdict.broken} == {(fault.rule, fault.at)}
        assert case.twin is not None
        assert check(message_type, case.twin.body, now=NOW).label == "valid", fault
        if not fault.rule.endswith(":json"):
            assert list(differences(case.twin.value, case.value)) == [fault.at], fault


def differences(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Yields JSON Pointers of differences. If several parts of an object or an array differ, yields only the pointer of
    this object or array.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        found = list(_below({**one, **other}, one, other, at))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = list(_below(range(len(one)), one, other, at))
    else:
        found = [] if one == other and type(one) is type(other) else [at]
    yield from found if len(found) < 2 else [at]


def _below(steps: Iterable[Any], one: Any, other: Any, at: str) -> Iterator[str]:
    for step in steps:
        below = f"{at}/{str(step).replace('~', '~0').replace('/', '~1')}"
        if isinstance(one, dict) and (step not in one or step not in other):
            yield below
        else:
            yield from differences(one[step], other[step], below)


# ----------------------------------------------------------------------------------------------------------- slips


@EVERY_TYPE
def test_three_strict_parsers_reject_every_text_that_should_not_be_json(message_type: MessageType) -> None:
    slips = [case for case in faults(message_type) if case.faults[0].rule.endswith(":json")]
    texts = {case.body: case.faults[0].technique for case in slips}
    assert len(set(texts.values())) > 90
    assert [name for text, name in texts.items() if _passes(_strictly, text)] == []
    assert [name for text, name in texts.items() if _passes(orjson.loads, text)] == []
    assert [name for name, parsed in zip(texts.values(), _parsed_in_node(list(texts)), strict=True) if parsed] == []


def _passes(parse: Callable[[bytes], Any], text: bytes) -> bool:
    try:
        parse(text)
    except (ValueError, RecursionError):
        return False
    return True


def _strictly(text: bytes) -> Any:
    def reject(constant: str) -> None:  # Python's parser accepts NaN and Infinity
        raise ValueError(constant)

    return json.loads(text, parse_constant=reject)


_PARSE = """
const passes = (line) => {
  try { JSON.parse(new TextDecoder().decode(Buffer.from(line, "base64"))); return true } catch { return false }
}
const lines = require("node:fs").readFileSync(0, "utf8").split("\\n").slice(0, -1)
process.stdout.write(JSON.stringify(lines.map(passes)))
"""


def _parsed_in_node(texts: list[bytes]) -> list[bool]:
    lines = "".join(base64.b64encode(text).decode() + "\n" for text in texts)
    parsed: list[bool] = json.loads(said_by_node("-e", _PARSE, text=lines))
    return parsed


# ----------------------------------------------------------------------------------------------------------- names


def test_every_technique_has_a_name_and_a_description_of_its_own_and_breaks_some_rule(run: Run) -> None:
    listed = json.loads(run("rules", "--techniques", "--json").stdout)["techniques"]
    texts = {one["name"]: one["text"] for one in listed}
    assert len(listed) == len(texts) == len(set(texts.values()))
    assert all(re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name) for name in texts)
    assert all(text.endswith(".") and len(text) <= 120 for text in texts.values())
    used = {case.faults[0].technique for message_type in MESSAGE_TYPES for case in faults(message_type)}
    # The built-in contract has no exclusive bounds, steps, maximum lengths, patterns, formats, or arrays with two or more
    # items, and none of the rules that need a search.
    assert set(texts) - used == {
        "on-the-bound", "below-the-bound", "above-the-bound", "off-the-step", "one-item-fewer", "one-item-more",
        "repeated-item", "one-longer", "one-longer-with-blank", "unfitting-string", "fitting-and-more", "zero",
        "impossible-value", "incomplete-value", "other-notation", "fraction-instead", "short-counterexample",
        "middle-counterexample", "long-counterexample", *(f"near-miss-{number}" for number in range(1, 17)),
    }  # fmt: skip
