"""Places in a message, and JSON Pointers (RFC 6901) to them."""

from collections.abc import Iterable

Place = tuple["Place", str | int] | None
"""The steps from the root to a place, as a linked list: the place above, and the last step. None is the root."""


def pointer(place: Place) -> str:
    """Returns the JSON Pointer of a place."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return pointer_of(reversed(steps))


def pointer_of(steps: Iterable[str | int]) -> str:
    """Returns the JSON Pointer for steps from the root: property names and item indexes."""
    return "".join([f"/{escape(str(step))}" for step in steps])


def steps_of(pointer: str) -> list[str]:
    """Returns the steps of a JSON Pointer as strings. An item index is a string of digits, because a pointer does not distinguish it from a name."""
    return [unescape(token) for token in pointer.split("/")[1:]]


def escape(name: str) -> str:
    """Converts a property name to a reference token of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Converts a reference token of a JSON Pointer to a property name."""
    return token.replace("~1", "/").replace("~0", "~")
