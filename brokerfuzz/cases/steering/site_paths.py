"""Finds a place in a message that belongs to a site."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.changes import Steps

ITEM = None
"""The step from an array to its items."""

Site = Sequence[str | None]
"""The path of a site: property names, and `ITEM` for the items of an array."""


@lru_cache(maxsize=4096)
def steps_of(site: str) -> Site:
    found: list[str | None] = []
    for part in site.split(".") if site else ():
        name = part.rstrip("[]")
        found += [name] if name else []
        found += [ITEM] * part.count("[]")
    return found


def way_to(message: Any, site: Site, turn: int) -> Steps | None:
    """Returns the path to one place in the message that belongs to the site. Returns None if the message has no such place.

    `turn` selects the item of each array: the first, the last, a middle or the eleventh item.
    """
    found: list[str | int] = []
    for step in site:
        if step is ITEM:
            if not isinstance(message, list) or not message:
                return None
            index = _item(len(message), turn + len(found))
            found.append(index)
            message = message[index]
        else:
            if step is None or not isinstance(message, dict) or step not in message:
                return None
            found.append(step)
            message = message[step]
    return tuple(found)


def _item(size: int, turn: int) -> int:
    indices = (0, size - 1, size // 2) if size <= 10 else (10, 0, size - 1, 4)
    return indices[turn % len(indices)]


def placement(message: Any, steps: Steps) -> str:
    """Returns the position of the array item in the path `steps`: `only`, `first`, `last`, `eleventh` or `middle`. If arrays are
    nested, the innermost item counts. Returns `root` if the path contains no array item.
    """
    named = "root"
    for step in steps:
        if isinstance(step, int):
            size = len(message)
            named = "only" if size == 1 else "eleventh" if step == 10 else "first" if step == 0 else "last" if step == size - 1 else "middle"
        message = message[step]
    return named
