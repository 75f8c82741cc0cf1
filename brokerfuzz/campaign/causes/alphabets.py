"""Describes the characters of the strings that a target accepts at a site: it may allow, for example, only letters,
digits and hyphens.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

from brokerfuzz.schemas.verdicts import describe
from brokerfuzz.wording import listed

MOST_OTHERS: Final = 5
"""With more characters besides letters and digits, it is improbable that the target has a list of them."""
_CLASSES: Final = {
    "A-Z": ascii_uppercase,
    "a-z": ascii_lowercase,
    "0-9": digits,
}


@dataclass(frozen=True)
class Alphabet:
    """Classes of characters, and `others`, in the order of their code points."""

    classes: tuple[str, ...]
    others: str

    def __str__(self) -> str:
        return listed([*self.classes, *map(describe, self.others)])

    def has_all_of(self, text: str) -> bool:
        allowed = self.others + "".join(_CLASSES[name] for name in self.classes)
        return set(text) <= set(allowed)


def alphabet_of(texts: Iterable[str]) -> Alphabet | None:
    """Returns the smallest alphabet with all characters of some strings, or None if they have too many different
    ones.
    """
    used = set("".join(texts))
    classes = tuple(name for name, letters in _CLASSES.items() if used.intersection(letters))
    others = used.difference(*(_CLASSES[name] for name in classes))
    return Alphabet(classes, "".join(sorted(others))) if len(others) <= MOST_OTHERS else None
