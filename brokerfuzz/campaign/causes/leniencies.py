"""Names what a lenient reader does when it accepts an invalid message: it has a habit, or does not check a place. Other
faults show which of them is the reason.

    fault             "1" for 1 at /priceClasses/1/price
    habit             accepts strings for numbers
    unchecked places  priceClasses[].price:type is not checked; priceClasses: nothing is checked; priceClasses: only the
                      first item is checked; ...
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from brokerfuzz.campaign.causes.explanation import MOST_NAMED
from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.pointers import names_and_indexes, path_below, path_to, steps_of, value_at
from brokerfuzz.schemas import Contract, Rule
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.rule import JSON_RULE, parts_of_id
from brokerfuzz.wording import listed

_NAMES: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "booleans",
    int: "numbers",
    float: "numbers",
    str: "strings",
    list: "arrays",
    dict: "objects",
}
_HABITS: Final = {
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
"""What a reader does that does not check a keyword, or not this family of techniques."""
_INT32: Final = (-(2**31), 2**31 - 1)
_MOST_ITEMS: Final = 10


class Habit(NamedTuple):
    """What a reader does at any place. If it converts values, `accepted` says which, and `instead_of` what they should
    be: `strings` and `numbers`.
    """

    text: str
    accepted: str = ""
    instead_of: str = ""


class UncheckedPlace(NamedTuple):
    """What a reader does not check: a `rule`, rules with a `condition`, all values `below` a site, or the items of an
    array after the first `checked_items` (`later items`). Or it checks a site only if it has a value that is not empty
    (`without value`), or only if it is not `missing or null`, perhaps only in later items of an `array`. `name` is that
    of the rule, the condition, the site or the array.

    A sentence about it consists of the `site` (empty if there are several) and the `statement`.
    """

    kind: Literal["rule", "condition", "below", "without value", "missing or null", "later items"]
    name: str
    site: str
    statement: str
    array: str = ""
    checked_items: int = 0


def unchecked_places_of(case: Case, contract: Contract) -> Iterator[UncheckedPlace]:
    for fault in case.faults:
        rule = parts_of_id(fault.rule)
        is_json = rule.keyword == JSON_RULE
        statement = "accepts text that is not JSON" if is_json else f"{rule.keyword_with_condition} is not checked"
        yield UncheckedPlace("rule", fault.rule, rule.site or "message", statement)
        if rule.condition:
            yield UncheckedPlace("condition", rule.condition, "", f"the rules for {rule.condition} are not checked")
        path = ""
        for step in names_and_indexes(fault.at):
            if isinstance(step, int):
                yield from _in_item(path, step)
            path = path_below(path, step)
            yield UncheckedPlace("below", path, path, "nothing is checked")
        absence = missing_null_or_empty(path, fault, case, contract)
        if absence:
            yield UncheckedPlace("without value", path, path, "accepted if it is missing, null or empty")
        if absence in ("missing", "null"):
            for array in ("", *arrays_with_later_item(fault)):
                yield UncheckedPlace("missing or null", path, path, "accepted if it is missing or null", array)


def arrays_with_later_item(fault: Fault) -> list[str]:
    """Returns the arrays that have a fault in an item after the first."""
    steps = names_and_indexes(fault.at)
    return [path_to(steps[:depth]) for depth, step in enumerate(steps) if isinstance(step, int) and step > 0]


def _in_item(array: str, index: int) -> Iterator[UncheckedPlace]:
    """Yields the unchecked items of one array, and of all arrays."""
    for name in (array, ""):
        for checked_items in range(1, min(index, _MOST_ITEMS) + 1):
            items = "item is" if checked_items == 1 else f"{checked_items} items are"
            statement = f"only the first {items} checked"
            yield UncheckedPlace("later items", name, name or "arrays", statement, checked_items=checked_items)


def missing_null_or_empty(path: str, fault: Fault, case: Case, contract: Contract) -> str:
    """Says that the place of a fault contains no value, null, or an empty array or string. `path` is its site."""
    site = contract.sites[case.message_type].get(path)
    if site is None:
        return ""
    types = types_of(site.schema)
    try:
        value = value_at(case.value, steps_of(fault.at))
    except (KeyError, IndexError):
        return "missing"
    except (ValueError, TypeError, RecursionError):
        return ""
    if value is None:
        return "null"
    return "empty" if (value == [] and "array" in types) or (value == "" and "string" in types) else ""


# ------------------------------------------------------------------------------------------------------------- habits

IGNORES_UNKNOWN: Final = Habit(_HABITS["additionalProperties"])
IGNORES_CASE: Final = Habit(_HABITS["name-in-another-case"])
"""Where a reader ignores unknown properties, this is a part of it."""


def habit_of(case: Case, contract: Contract) -> Habit:
    """Describes what a reader does that accepts a case with exactly one fault."""
    (fault,) = case.faults
    rule = contract.rule(fault.rule)
    if rule.keyword == JSON_RULE:
        return Habit(f"accepts text that is not JSON ({family_of(fault.technique)})")
    if rule.keyword == "type":
        return _conversion(case, fault, rule, contract)
    if rule.keyword in ("minimum", "maximum") and rule.value in _INT32:
        return Habit("accepts integers beyond 32 bits")
    family = family_of(fault.technique)
    text = _HABITS.get(family) or _HABITS.get(rule.keyword, f"does not check {rule.keyword}")
    return Habit(text)


def _conversion(case: Case, fault: Fault, rule: Rule, contract: Contract) -> Habit:
    schema = contract.sites[case.message_type][rule.site].schema
    instead_of = " or ".join(sorted({_plural(name) for name in types_of(schema) - {"null"}})) or "nothing"
    accepted = _NAMES[type(value_at(case.value, steps_of(fault.at)))]
    if accepted == instead_of == "numbers":
        return Habit("accepts fractions for integers")
    return Habit(f"accepts {accepted} for {instead_of}", accepted=accepted, instead_of=instead_of)


def _plural(json_type: str) -> str:
    return "numbers" if json_type == "integer" else f"{json_type}s"


def conversions_with_one_cause(habits: Sequence[Habit], shown: Iterable[Habit]) -> list[Habit]:
    """Returns those of the `shown` conversions that have one cause if a reader has these habits: two of the same
    values, two to the same type, or several of any. Null at a few places may have another cause.
    """
    accepted = {habit.accepted for habit in habits}
    instead_of = {habit.instead_of for habit in habits}
    if len(habits) > 1 and len(accepted) == 1:
        return [habit for habit in shown if habit.accepted in accepted]
    possible = [habit for habit in shown if habit in habits or habit.accepted not in ("", "null")]
    if len(habits) > 1 and len(instead_of) == 1:
        return [habit for habit in possible if habit.instead_of in instead_of]
    return possible if len(habits) > 2 else []


def conversions_in_words(conversions: Iterable[Habit]) -> str:
    """Writes, for example, `accepts null for objects, strings and numbers`, if all conversions have one side. The most
    frequent ones come first.
    """
    distinct = [conversion for conversion, _ in Counter(conversions).most_common()]
    accepted = list(dict.fromkeys(conversion.accepted for conversion in distinct))
    instead_of = list(dict.fromkeys(conversion.instead_of for conversion in distinct))
    if 1 in (len(accepted), len(instead_of)):
        return f"accepts {listed(accepted, most=MOST_NAMED)} for {listed(instead_of, most=MOST_NAMED)}"
    pairs = [f"{conversion.accepted} for {conversion.instead_of}" for conversion in distinct]
    return f"converts values of wrong types: {listed(pairs, most=MOST_NAMED)}"
