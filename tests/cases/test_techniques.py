"""The tests derive their expectations from the contract's sites and the bytes of messages, not from the code of the
techniques.
"""

import base64
import json
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from validators import _node

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.changes import Put, Rewrite, places
from brokerfuzz.cases.fault_wishes import wishes_for
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.techniques import TECHNIQUES, FaultContext, registry
from brokerfuzz.explaining import explain
from brokerfuzz.generation import message as generated
from brokerfuzz.pointers import steps_of, unescape
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, Rule, load_contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import instant, spell
from brokerfuzz.schemas.sites import JSON_RULE

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONTRACT = load_contract()
RULES = [rule for message_type in MESSAGE_TYPES for rule in CONTRACT.rules[message_type] if rule.condition is None]


def types_at(rule: Rule) -> frozenset[str]:
    return types_of(CONTRACT.sites[rule.message_type][rule.site].schema) - {"null"}


def rules(*keywords: str, of: frozenset[str] | set[str] | None = None) -> pytest.MarkDecorator:
    fitting = [rule for rule in RULES if rule.keyword in keywords and (of is None or types_at(rule) <= of)]
    return pytest.mark.parametrize("rule", fitting, ids=[rule.id for rule in fitting])


@cache
def broken(rule: Rule) -> dict[str, Case]:
    """Maps each technique that can break the rule to a complete message with one fault, which the technique causes."""
    faults, message = (
        Faults(CONTRACT, rule.message_type, NOW),
        generated(CONTRACT, rule.message_type, wishes=wishes_for(CONTRACT, rule)),
    )
    steps = places(message, rule.site)[0]
    cases = {technique.name: faults.inject(message, steps, rule, technique) for technique in faults.techniques(rule)}
    return {name: case for name, case in cases.items() if case is not None}


def found(rule: Rule) -> dict[str, Any]:
    """Maps each technique to the value that the technique puts at the rule's place."""
    return {name: _at(case.value, case.faults[0].at) for name, case in broken(rule).items()}


def value_in_twin(rule: Rule) -> Any:
    case = next(iter(broken(rule).values()))
    assert case.twin is not None
    return _at(case.twin.value, case.faults[0].at)


def _at(message: Any, pointer: str) -> Any:
    for step in steps_of(pointer):
        message = message[int(step)] if isinstance(message, list) else message[step]
    return message


# ---------------------------------------------------------------------------------------------------------- types

OF_JSON: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, float),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


@rules("type")
def test_every_wrong_type_is_tried_at_every_place(rule: Rule) -> None:
    allowed = types_of(CONTRACT.sites[rule.message_type][rule.site].schema)
    put = {json_type for json_type, is_one in OF_JSON.items() for value in found(rule).values() if is_one(value)}
    others = set(OF_JSON) - allowed - ({"integer"} if "number" in allowed else set())
    assert others <= put | {"number"}  # an integer stands for all numbers if none is allowed
    assert put <= others


IN_PLACE_OF_NUMBERS = {
    "a number as a string": r"-?\d+(\.\d+)?", "padded": r" -?\d+(\.\d+)? ", "with a line break": r"-?\d+(\.\d+)?\n",
    "with leading zeros": r"00\d+(\.\d+)?",
    "with a plus sign": r"\+\d+(\.\d+)?", "scientific": r"-?\d+(\.\d+)?e0", "hexadecimal": r"0x\d+",
    "with a thousands comma": r"1,000",
    "with an underscore": r"1_000", "with a decimal comma": r"1,5", "with a unit": r"\d+(\.\d+)? lb",
    "with a currency": r"\$\d+(\.\d+)?",
    "of other digits": "[١٢]+", "infinite": "Infinity", "not a number": "NaN", "null in words": "null", "empty": "",
    "blank": " ", "a word": "one",
}  # fmt: skip


@rules("type", of={"integer", "number"})
def test_a_number_is_tried_as_every_string_that_parsers_convert_to_a_number(rule: Rule) -> None:
    texts = [value for value in found(rule).values() if isinstance(value, str)]
    missing = [
        kind for kind, pattern in IN_PLACE_OF_NUMBERS.items() if not any(re.fullmatch(pattern, text) for text in texts)
    ]
    assert missing == []


@rules("type", of={"integer"})
def test_an_integer_is_tried_as_fractions_and_as_a_string_with_a_fraction(rule: Rule) -> None:
    values = found(rule).values()
    assert {1.5, 2.0000001, 1.9999999, 0.5, -1.5} <= {value for value in values if isinstance(value, float)}
    assert any(isinstance(value, str) and re.fullmatch(r"-?\d+\.0", value) for value in values)
    assert any(b"15e-1" in case.body for case in broken(rule).values())


IN_PLACE_OF_BOOLEANS = [
    "true", "false", "True", "False", "TRUE", " true ", "yes", "no", "on", "off", "1", "0", "t", "f", "Y", "N", "",
    "null", 1, 0, -1, 2, 0.5,
]  # fmt: skip


@rules("type", of={"boolean"})
def test_a_boolean_is_tried_as_every_value_that_parsers_convert_to_a_boolean(rule: Rule) -> None:
    values = [(type(value), value) for value in found(rule).values() if isinstance(value, str | int | float)]
    assert [value for value in IN_PLACE_OF_BOOLEANS if (type(value), value) not in values] == []


@rules("type", of={"string"})
def test_a_string_is_tried_as_every_scalar(rule: Rule) -> None:
    values = [(type(value), value) for value in found(rule).values() if isinstance(value, int | float)]
    expected = (1, 0, -1, 1.5, True, False, 12345678901234567890)
    assert [value for value in expected if (type(value), value) not in values] == []


def test_a_time_is_tried_as_seconds_milliseconds_and_parts() -> None:
    ambiguity = next(ambiguity for ambiguity in CONTRACT.ambiguities if ambiguity.detector == "timestamp")
    places = [(message_type, site) for message_type, sites in (ambiguity.sites or {}).items() for site in sites]
    assert places
    for message_type, site in places:
        rule = CONTRACT.rule(f"{message_type}/{site}:type")
        when = instant(value_in_twin(rule))
        assert when is not None
        seconds = int(when.timestamp())
        assert {"epoch-number": seconds, "epoch-milliseconds": seconds * 1000}.items() <= found(rule).items()
        assert found(rule)["date-in-parts"][:3] == [when.year, when.month, when.day]


@rules("type", of={"array", "object"})
def test_arrays_and_objects_are_tried_unwrapped_swapped_and_as_strings(rule: Rule) -> None:
    present, values = value_in_twin(rule), list(found(rule).values())
    assert compact(present).decode() in values
    if isinstance(present, dict):
        assert [[name, value] for name, value in present.items()] in values
        assert list(present.values()) in values
        assert [present] in values
    elif present:
        assert {"0": present[0]} in values
        assert present[0] in values
        assert ",".join(map(str, present)) in values


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_whole_message_is_tried_as_every_other_type(message_type: MessageType) -> None:
    cases = broken(CONTRACT.rule(f"{message_type}/:type")).values()
    twin = next(iter(cases)).twin
    assert twin is not None
    wrapped = {b"[%b]" % twin.body, compact(twin.body.decode())}
    assert {b"[]", b"null", b"true", b"false", b"0", b"1", b'""', b'"a"', *wrapped} <= {case.body for case in cases}


# -------------------------------------------------------------------------------------------------- unknown properties

EVERYWHERE: dict[str, Callable[[str, set[str]], bool]] = {
    "in the other case": lambda new, listed: new.lower() in {name.lower() for name in listed},
    "in upper case": lambda new, listed: new.isupper() and new.lower() in {name.lower() for name in listed},
    "with a space after it": lambda new, listed: new.removesuffix(" ") in listed,
    "with a space before it": lambda new, listed: new.removeprefix(" ") in listed,
    "with a tab": lambda new, listed: new.replace("\t", "") in listed,
    "with a line break": lambda new, listed: new.replace("\n", "") in listed,
    "with a control character": lambda new, listed: re.sub("[\x01-\x08]", "", new) in listed,
    "with a NUL": lambda new, listed: new.partition("\0")[0] in listed,
    "with a zero-width space": lambda new, listed: new.replace("\u200b", "") in listed,
    "with a byte order mark": lambda new, listed: new.replace("\ufeff", "") in listed,
    "with an underscore before it": lambda new, listed: new.removeprefix("_") in listed,
    "with x- before it": lambda new, listed: new.removeprefix("x-") in listed,
    "with a dollar sign before it": lambda new, listed: new.removeprefix("$") in listed,
    "an extension": lambda new, listed: new == "x-note",
    "typed": lambda new, listed: new == "$type",
    "of a prototype": lambda new, listed: new == "__proto__",
    "of a constructor": lambda new, listed: new == "constructor",
    "privileged": lambda new, listed: new == "isAdmin",
    "empty": lambda new, listed: not new,
    "very long": lambda new, listed: len(new) > 1024,
}


def added(rule: Rule) -> list[tuple[str, Any]]:
    """Returns the names and the values of the unknown properties that techniques add."""
    props = []
    for case in broken(rule).values():
        at, _, token = case.faults[0].at.rpartition("/")
        name = unescape(token)
        props.append((name, _at(case.value, at)[name]))
    return props


def listed_at(rule: Rule) -> set[str]:
    """Returns the names of the properties that the contract allows at the rule's site."""
    return set(CONTRACT.sites[rule.message_type][rule.site].schema["properties"])


@rules("additionalProperties")
def test_every_object_gets_unknown_properties_of_every_spelling(rule: Rule) -> None:
    listed, names = listed_at(rule), {name for name, _ in added(rule)}
    assert not names & listed
    assert [kind for kind, is_one in EVERYWHERE.items() if not any(is_one(name, listed) for name in names)] == []
    several_words = {name for name in listed if not name.islower()}
    for separator in "_- ":
        assert not several_words or names & {_joined(name, separator) for name in several_words}


def _joined(name: str, separator: str) -> str:
    return "".join(separator + letter.lower() if letter.isupper() else letter for letter in name)


@rules("additionalProperties")
def test_every_object_gets_properties_of_its_outer_and_inner_objects(rule: Rule) -> None:
    listed, names = listed_at(rule), {name for name, _ in added(rule)}
    sites = [path.replace("[]", "").split(".") for path in CONTRACT.sites[rule.message_type] if not path.endswith("[]")]
    here = [step for step in rule.site.replace("[]", "").split(".") if step]
    below = {path[-1] for path in sites if path[: len(here)] == here and len(path) == len(here) + 2} - listed
    above = {here[-1]} - listed if here else set()
    assert names & below or not below
    assert above <= names


@rules("additionalProperties")
def test_unknown_properties_have_values_of_every_type(rule: Rule) -> None:
    values = [value for _, value in added(rule)]
    assert [
        kind for kind in ("null", "boolean", "string", "array", "object") if not any(map(OF_JSON[kind], values))
    ] == []


# --------------------------------------------------------------------------------------------------- enumerations


def near_misses(value: str) -> set[str]:
    """Returns spellings that a loose comparison could treat as equal to `value`."""
    joined = value.replace(" ", "")
    return {
        value.lower(), value.upper(), f" {value}", f"{value} ", f"{value}\t", f"{value}\n", joined,
        joined[0].lower() + joined[1:],
        value.replace(" ", "_"), value.replace(" ", "-"), value.upper().replace(" ", "_"), value.lower().replace(" ",
        "_"),
        value.replace(" ", "  "), value.replace(" ", "\u00a0"), value.replace(" ", "%20"), value.replace(" ", "+"),
        value.replace(" ", "&#32;"),
        value[: len(value) // 2], value[:-1], value[1:], f"{value}s", f"x{value}", f'"{value}"', f"'{value}'",
        f"{value}\u0301",
        f"{value}\0", value[0] + "\u200b" + value[1:],
        "".join(chr(ord(letter) + 0xFEE0) if letter != " " else letter for letter in value),
    }  # fmt: skip


@rules("enum")
def test_an_enumeration_value_is_misspelled_in_every_way(rule: Rule) -> None:
    values = set(found(rule).values())
    present = next(prop for prop in rule.value if " " in prop)
    assert near_misses(present) <= values
    assert {"", " ", "Unknown", "1", "null", "*", ",".join(rule.value[:2])} <= values
    assert not values & set(rule.value)
    assert any(re.search("[а-яА-Яіѕ]", value) for value in values)


# --------------------------------------------------------------------------------------------------------- bounds


@rules("minimum", "maximum", of={"integer"})
def test_bounds_are_exceeded_by_integers_that_wrap_around(rule: Rule) -> None:
    schema = CONTRACT.sites[rule.message_type][rule.site].schema
    values = {value for value in found(rule).values() if isinstance(value, int)}
    step = -1 if rule.keyword == "minimum" else 1
    assert rule.value + step in values
    assert any(
        schema["minimum"] <= (value + (1 << 31)) % (1 << 32) - (1 << 31) <= schema["maximum"] and abs(value) < 1 << 33
        for value in values
    )
    assert any(
        schema["minimum"] <= (value + (1 << 63)) % (1 << 64) - (1 << 63) <= schema["maximum"] for value in values
    )
    assert any(len(str(abs(value))) == 40 for value in values)
    assert any(value.is_integer() for value in found(rule).values() if isinstance(value, float)), (
        "an exponent gives an integer, too"
    )
    edges = (
        {-(1 << 63), -(1 << 63) - 1}
        if rule.keyword == "minimum"
        else {(1 << 32) - 1, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, 1 << 64}
    )
    assert edges <= values
    if rule.keyword == "minimum" and rule.value > 0:
        assert {0, -1, -(1 << 31) - 1} <= values


@rules("minimum", of={"number"})
def test_a_minimum_price_is_missed_narrowly_and_widely(rule: Rule) -> None:
    assert {-1, -0.01, -5e-324, -1.7976931348623157e308, float("-inf")} <= set(found(rule).values())


# ---------------------------------------------------------------------------------------------------------- clock


@rules("not-in-future")
def test_times_are_in_the_future_by_minutes_to_millennia(rule: Rule) -> None:
    texts = set(found(rule).values())
    for ahead in (timedelta(minutes=6), timedelta(hours=1), timedelta(days=1), timedelta(days=366)):
        assert spell(NOW + ahead) in texts
    assert {"9999-12-31T23:59:59Z", "2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z"} <= texts
    assert {1, 3, 6, 7, 9} <= {len(text.partition(".")[2].rstrip("Z")) for text in texts}


def test_no_clock_technique_fails_at_the_last_date() -> None:
    rule = next(rule for rule in RULES if rule.keyword == "not-in-future")
    ahead = [technique for technique in TECHNIQUES.values() if "not-in-future" in technique.keywords]
    for year in (2001, 2039, 2300, 9999):
        context = FaultContext(rule, {}, "2000-01-01T00:00:00Z", datetime(year, 6, 1, tzinfo=UTC))
        changes = [technique.change(context) for technique in ahead]
        assert any(change is not None for change in changes)


# ---------------------------------------------------------------------------------------------------------- slips

SLIPS = [technique for technique in TECHNIQUES.values() if JSON_RULE in technique.keywords]


@cache
def slipped(message_type: MessageType) -> dict[str, bytes]:
    """Maps the name of each technique in `SLIPS` to a complete message with the JSON error of this technique."""
    message = compact(generated(CONTRACT, message_type))
    rule = CONTRACT.rule(f"{message_type}/:{JSON_RULE}")
    changes = {
        technique.name: technique.change(FaultContext(rule, CONTRACT.flat[message_type], json.loads(message), NOW))
        for technique in SLIPS
    }
    return {name: change.how(message) for name, change in changes.items() if isinstance(change, Rewrite)}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_slip_is_made_only_if_the_message_has_a_place_for_it(message_type: MessageType) -> None:
    rule = CONTRACT.rule(f"{message_type}/:{JSON_RULE}")
    message = {"number": "a"}
    made = {
        technique.name
        for technique in SLIPS
        if technique.change(FaultContext(rule, CONTRACT.flat[message_type], message, NOW))
    }
    assert {"trailing-comma", "raw-tab", "unquoted-key", "empty-body"} <= made
    assert not {"trailing-comma-in-array", "leading-zero", "capital-true", "doubled-comma"} & made


def test_every_malformed_text_of_the_json_test_suite_has_a_slip() -> None:
    """`json_test_suite.txt` lists files of github.com/nst/JSONTestSuite. Each file with `n_` in its name has a slip
    that makes the same error.
    """
    lines = (Path(__file__).parent / "json_test_suite.txt").read_text().splitlines()
    slips = dict(line.split() for line in lines if line.startswith("n_"))
    assert len(slips) == 188
    assert set(slips.values()) <= {technique.name for technique in SLIPS}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_every_slip_gives_different_bytes(message_type: MessageType) -> None:
    texts = slipped(message_type)
    assert len(texts) == len(SLIPS)
    assert len(set(texts.values())) == len(texts)


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_three_strict_parsers_reject_every_slip(message_type: MessageType) -> None:
    texts = slipped(message_type)
    assert [name for name, text in texts.items() if _passes(_strictly, text)] == []
    assert [name for name, text in texts.items() if _passes(orjson.loads, text)] == []
    assert [name for name, parsed in zip(texts, _parsed_in_node(list(texts.values())), strict=True) if parsed] == []


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
    done = subprocess.run(
        [_node(), "-e", _PARSE], input=lines, capture_output=True, encoding="utf-8", timeout=120, check=True
    )
    parsed: list[bool] = json.loads(done.stdout)
    return parsed


# --------------------------------------------------------------------------------------------------------- naming


def test_technique_names_are_words_with_hyphens() -> None:
    assert [name for name in TECHNIQUES if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name)] == []


def test_a_technique_has_an_example_if_the_contract_has_a_rule_for_it() -> None:
    ruled = {rule.keyword for rule in RULES}
    without = [
        technique.name
        for technique in TECHNIQUES.values()
        if technique.keywords & ruled and explain(technique.name, now=NOW).example is None
    ]
    assert without == ["one-item-fewer"]  # no array needs two items


def test_the_techniques_to_try_first_exist() -> None:
    assert [name for name in registry._TRIED_FIRST if name not in TECHNIQUES] == []


def test_techniques_have_different_descriptions() -> None:
    texts = [technique.text for technique in TECHNIQUES.values()]
    assert len(set(texts)) == len(texts)
    assert max(map(len, texts)) <= 120


@pytest.mark.parametrize("name", ["as-python", "as-yaml", "as-form", "joined-string"])
def test_python_literals_do_not_depend_on_the_unicode_version(name: str) -> None:
    """Techniques must treat the letter U+0E01 and the unassigned code point U+0E00 equally. Python's `repr` escapes
    only U+0E00.
    """
    technique = TECHNIQUES[name]
    rule = next(
        rule
        for rule in CONTRACT.rules["offer-creation-request"]
        if rule.site == "priceClasses" and rule.keyword == "type"
    )
    written = []
    for letter in ("\u0e01", "\u0e00"):
        message = {"number": letter, "priceClasses": [{"name": letter}]}
        change = technique.change(
            FaultContext(rule, {"type": "array"}, message["priceClasses"] if name == "joined-string" else message, NOW)
        )
        assert isinstance(change, Put | Rewrite)
        body = change.how(compact(message)) if isinstance(change, Rewrite) else compact(change.value)
        for spelling in (letter, quote(letter), f"u{ord(letter):04x}"):
            body = body.replace(spelling.encode(), b"?")
        written.append(body)
    assert written[0] == written[1]
