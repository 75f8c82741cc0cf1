"""Names what a lenient reader does when it accepts an invalid message: which value it takes for which, or what it does
not check. The same leniency at many places is one headline.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.pointers import value_at
from brokerfuzz.schemas import Contract, Rule
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import JSON_RULE

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


class Leniency(NamedTuple):
    """`conversion` says which values are converted, for example `strings for numbers`, if it is a conversion."""

    text: str
    conversion: str = ""

    @property
    def is_of_null(self) -> bool:
        return self.conversion.startswith("null")


def leniency_of(case: Case, contract: Contract) -> Leniency:
    """Describes what a reader does that accepts a case with exactly one fault."""
    (fault,) = case.faults
    rule = contract.rule(fault.rule)
    if rule.keyword == JSON_RULE:
        return Leniency(f"accepts text that is not JSON ({family_of(fault.technique)})")
    if rule.keyword == "type":
        return _conversion(case, fault, rule, contract)
    return Leniency(_UNCHECKED.get(rule.keyword, f"does not check {rule.keyword}"))


def _conversion(case: Case, fault: Fault, rule: Rule, contract: Contract) -> Leniency:
    schema = contract.sites[case.message_type][rule.site].schema
    wanted = " or ".join(sorted({_plural(name) for name in types_of(schema) - {"null"}})) or "nothing"
    found = _NAMES[type(value_at(case.value, fault.at))]
    if found == wanted == "numbers":
        return Leniency("accepts fractions for integers")
    return Leniency(f"accepts {found} for {wanted}", f"{found} for {wanted}")


def _plural(json_type: str) -> str:
    return "numbers" if json_type == "integer" else f"{json_type}s"
