"""What the oracle says of a message, and how it names places and values in it."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from brokerfuzz.contract_names import LABELS, Label
from brokerfuzz.errors import UnknownNameError, shortened

_FEW = 3


def known_labels(names: Collection[str]) -> Sequence[Label]:
    """The labels of these names; a text is one name. Raises `UnknownNameError`."""
    wanted = {names} if isinstance(names, str) else set(names)
    for name in sorted(wanted.difference(LABELS)):
        raise UnknownNameError("verdict", name, LABELS, f"there are {', '.join(LABELS)}")
    return [label for label in LABELS if label in wanted]


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a message breaks. `at` is the JSON Pointer of the place (of an absent property: where it should be)."""

    rule: str
    at: str
    found: str
    demanded: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.at or 'the root'}: found {self.found}, demanded {self.demanded}"


@dataclass(frozen=True, slots=True)
class Touched:
    """An ambiguity that a message touches, at a JSON Pointer."""

    ambiguity: str
    at: str
    found: str

    def __str__(self) -> str:
        return f"{self.ambiguity} at {self.at or 'the root'}: found {self.found}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`invalid` where a rule is broken, else `unspecified` where an ambiguity is touched, else `valid`."""

    label: Label
    broken: tuple[Broken, ...] = ()
    ambiguities: tuple[Touched, ...] = ()

    @property
    def brief(self) -> str:
        """The verdict on a line: no more than the first few rules and ambiguities."""
        some = [*(f"breaks {b}" for b in self.broken[:_FEW]), *(f"touches {t}" for t in self.ambiguities[:_FEW])]
        left = len(self.broken) + len(self.ambiguities) - len(some)
        return "; ".join([self.label, *(shortened(line, 240) for line in some), *([f"and {left:,} more"] if left else [])])

    def __str__(self) -> str:
        return "\n  ".join([self.label, *(f"breaks {b}" for b in self.broken), *(f"touches {t}" for t in self.ambiguities)])


VALID = Verdict("valid")


_written = json.JSONEncoder(ensure_ascii=False).encode


def describe(value: Any) -> str:
    """A value in a few words: itself where that is short, else its kind and size."""
    if isinstance(value, str):
        return _written(value) if len(value) <= 60 else f"a string of {len(value):,} characters"
    if isinstance(value, dict):
        return f"an object of {len(value):,} property(s)"
    if isinstance(value, list):
        return f"an array of {len(value):,} item(s)"
    return _written(value) if not isinstance(value, int) or abs(value) < 1 << 200 else "an integer of more than 60 digits"
