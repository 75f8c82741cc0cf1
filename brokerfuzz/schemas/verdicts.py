"""Defines the verdict of the oracle, and the words that describe places and values in a verdict."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from brokerfuzz.contract_names import LABELS, Label
from brokerfuzz.errors import UnknownNameError, listed_names, shortened
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas.keywords import KEYWORDS
from brokerfuzz.schemas.rule import parts_of_id
from brokerfuzz.wording import counted, printable

RIGHT_ANSWERS: Mapping[str, Sequence[str]] = {
    "valid": ("accepted",),
    "invalid": ("rejected",),
    "unspecified": ("accepted", "rejected"),
}
"""Maps each label to the answers that the contract allows for a message with this label."""
_FEW = 3
_LONGEST_VALUE = 80


def known_labels(names: Collection[str]) -> Sequence[Label]:
    """Converts names to labels. Raises `UnknownNameError`, and `TypeError` for a single `str`."""
    wanted = set(listed_names("verdicts", names))
    for name in sorted(wanted.difference(LABELS)):
        raise UnknownNameError("verdict", name, LABELS, f"use one of {', '.join(LABELS)}")
    return [label for label in LABELS if label in wanted]


NOTHING, PRESENT = "nothing", "to be present"
"""If a required property is missing, `Violation.found` is `NOTHING`, and `Violation.demanded` is `PRESENT`."""
NOT_JSON, UNKNOWN_PROPERTY = "not JSON: ", "unknown property "
"""If `Violation.found` begins with one of these prefixes, it is the complete description of the violation."""


def violation(found: str, demanded: str) -> str:
    """Describes a violation, for example as `expected at least 1, found 0` or as `required property is missing`."""
    if found.startswith((NOT_JSON, UNKNOWN_PROPERTY)):
        return found
    if (found, demanded) == (NOTHING, PRESENT):
        return "required property is missing"
    return f"expected {demanded}, found {found}"


def must(keyword: str, demanded: str) -> str:
    """Puts a verb before a demand: `must be at least 1`, `must have at least 1 item`."""
    definition = KEYWORDS.get(keyword)
    return f"must {definition.verb if definition else 'be'} {demanded.removeprefix('to be ')}"


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a message breaks. `at` is the JSON Pointer of the place. For a missing property, `at` is the place
    where the property should be.

    `under` contains the interpretations in which the message breaks the rule, such as `duplicate-properties=first`. If
    the message breaks the rule in every interpretation, `under` is empty.
    """

    rule: str
    at: str
    found: str
    demanded: str
    under: str = ""

    def __str__(self) -> str:
        under = f" under {self.under}" if self.under else ""
        return f"{self.rule} at {self.at or 'the root'}{under}: {violation(self.found, self.demanded)}"


def place_of(broken: Violation) -> str:
    """Returns the site of a wrong value, or that of the object with an unknown property. It is not empty."""
    is_unknown = broken.found.startswith(UNKNOWN_PROPERTY)
    return printable(site_of(broken.at.rpartition("/")[0] if is_unknown else broken.at), 100) or "message"


def wrong_answer(broken: Violation, answered: str) -> str:
    """Says what a target did with a wrong value, and what the contract demands: `accepted 0; must be at least 1`.
    `answered` is a verb: `accepted`, or for example `crashed (status 500) on`.
    """
    value = shortened(printable(broken.found), _LONGEST_VALUE)
    if broken.found.startswith(UNKNOWN_PROPERTY):
        value = f"the {value}"
    elif broken.found.startswith(NOT_JSON):
        value = f"bytes that are not JSON ({value.removeprefix(NOT_JSON)})"
    elif broken.found == NOTHING:
        value = "a message without it"
    demand = must(parts_of_id(broken.rule).keyword, shortened(printable(broken.demanded), 2 * _LONGEST_VALUE))
    return f"{answered} {value}; {demand if answered == 'accepted' else 'must be rejected'}"


@dataclass(frozen=True, slots=True)
class Touched:
    """An ambiguity that a message touches. `at` is the JSON Pointer of the affected place in the message.

    `stays_open` is True if the message can be invalid even in the interpretation that accepts such values. For example,
    `2999-001` is a time, but a program that parses it may think that it is in the past.
    """

    ambiguity: str
    at: str
    found: str
    stays_open: bool = False

    def __str__(self) -> str:
        return f"{self.ambiguity} at {self.at or 'the root'}: found {self.found}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a message.

    A verdict is `invalid` if the message breaks a rule in every allowed interpretation, and `valid` if the message
    breaks no rule in any interpretation. In all other cases, the verdict is `unspecified`, because it depends on the
    answers to the questions in `ambiguities`. If the message breaks no rule in some interpretations, `ambiguities`
    contains only the ambiguities of these interpretations.

    >>> from brokerfuzz import check
    >>> verdict = check("offer-creation-request", {"number": "A"})
    >>> (verdict.label, [broken.at for broken in verdict.broken])
    ('invalid', ['/offerType'])
    """

    label: Label
    broken: tuple[Violation, ...] = ()
    ambiguities: tuple[Touched, ...] = ()

    @property
    def brief(self) -> str:
        """The verdict on one line, with only the first few rules and ambiguities."""
        reasons = [*(f"breaks {b}" for b in self.broken[:_FEW]), *(f"touches {t}" for t in self.ambiguities[:_FEW])]
        omitted = len(self.broken) + len(self.ambiguities) - len(reasons)
        return "; ".join(
            [self.label, *(shortened(line, 240) for line in reasons), *([f"and {omitted:,} more"] if omitted else [])]
        )

    def __str__(self) -> str:
        return "\n  ".join(
            [self.label, *(f"breaks {b}" for b in self.broken), *(f"touches {t}" for t in self.ambiguities)]
        )


VALID = Verdict("valid")


_WORDS = {None: "null", True: "true", False: "false"}
_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
_LONGEST_SHOWN = 60
_MOST_PARTS = 8


def describe_whole(value: Any) -> str:
    """Describes a value in a few words. Short objects and arrays are shown, too."""
    is_nested = isinstance(value, dict | list) and len(value) <= _MOST_PARTS
    text = _written(value) if is_nested else ""
    return text if 0 < len(text) <= _LONGEST_SHOWN else describe(value)


def describe(value: Any) -> str:
    """Describes a value in a few words: the value itself if it is short, otherwise its type and size."""
    if isinstance(value, str):
        return _written(value) if len(value) <= _LONGEST_SHOWN else f"a string of {len(value):,} characters"
    if isinstance(value, dict):
        return f"an object with {counted(len(value), 'property')}"
    if isinstance(value, list):
        return f"an array with {counted(len(value), 'item')}"
    if isinstance(value, Decimal):
        return str(value) if len(str(value)) <= _LONGEST_SHOWN else f"a number of {len(str(value)):,} characters"
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return repr(value) if not isinstance(value, int) or abs(value) < 1 << 200 else "an integer of more than 60 digits"
