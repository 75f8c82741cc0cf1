"""Names what a lenient reader does when it accepts an invalid message: which value it takes for which, or what it does
not check. The same leniency at many places is one cause.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.pointers import value_at
from brokerfuzz.schemas import Contract, Rule
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.rule import JSON_RULE

_NAMES: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "booleans",
    int: "numbers",
    float: "numbers",
    str: "strings",
    list: "arrays",
    dict: "objects",
}
_UNCHECKED: Final = {
    "additionalProperties": "ignores unknown properties",
    "name-in-another-case": "accepts names of properties in another case",
    "required": "does not require required properties",
    "enum": "accepts values that are not in the list of allowed values",
    "minimum": "accepts numbers below the minimum",
    "maximum": "accepts numbers above the maximum",
    "minLength": "accepts strings that are too short",
    "maxLength": "accepts strings that are too long",
    "minItems": "accepts arrays with too few items",
    "maxItems": "accepts arrays with too many items",
    "not-in-future": "accepts times in the future",
}
_INT32: Final = (-(2**31), 2**31 - 1)


class Leniency(NamedTuple):
    """If values are converted, `found` and `wanted` say which: `strings` for `numbers`."""

    text: str
    found: str = ""
    wanted: str = ""


IGNORES_UNKNOWN: Final = Leniency(_UNCHECKED["additionalProperties"])
IGNORES_CASE: Final = Leniency(_UNCHECKED["name-in-another-case"])
"""Where a reader ignores unknown properties, this is a part of it."""


def leniency_of(case: Case, contract: Contract) -> Leniency:
    """Describes what a reader does that accepts a case with exactly one fault."""
    (fault,) = case.faults
    rule = contract.rule(fault.rule)
    if rule.keyword == JSON_RULE:
        return Leniency(f"accepts text that is not JSON ({family_of(fault.technique)})")
    if rule.keyword == "type":
        return _conversion(case, fault, rule, contract)
    if rule.keyword in ("minimum", "maximum") and rule.value in _INT32:
        return Leniency("accepts integers beyond 32 bits")
    family = family_of(fault.technique)
    return Leniency(_UNCHECKED.get(family) or _UNCHECKED.get(rule.keyword, f"does not check {rule.keyword}"))


def _conversion(case: Case, fault: Fault, rule: Rule, contract: Contract) -> Leniency:
    schema = contract.sites[case.message_type][rule.site].schema
    wanted = " or ".join(sorted({_plural(name) for name in types_of(schema) - {"null"}})) or "nothing"
    found = _NAMES[type(value_at(case.value, fault.at))]
    if found == wanted == "numbers":
        return Leniency("accepts fractions for integers")
    return Leniency(f"accepts {found} for {wanted}", found, wanted)


def _plural(json_type: str) -> str:
    return "numbers" if json_type == "integer" else f"{json_type}s"


def conversions_with_one_cause(habits: Sequence[Leniency], leniencies: Iterable[Leniency]) -> list[Leniency]:
    """Returns the conversions that have one cause if these are habits of a reader: two of the same values, two to the
    same type, or several of any. Null at a single place may have another cause.
    """
    found, wanted = {habit.found for habit in habits}, {habit.wanted for habit in habits}
    if len(habits) > 1 and len(found) == 1:
        return [leniency for leniency in leniencies if leniency.found in found]
    if len(habits) > 1 and len(wanted) == 1:
        return [leniency for leniency in leniencies if leniency.wanted in wanted]
    if len(habits) > 2:
        return [leniency for leniency in leniencies if leniency in habits or leniency.found not in ("", "null")]
    return []
