"""Places in a message, and JSON Pointers (RFC 6901) to them."""

from collections.abc import Iterable

Place = tuple["Place", str | int] | None
"""A place, as a linked list: the place that contains it, and the last step (a property name or an item index). None is the root."""


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
    """Returns the steps of a JSON Pointer as strings. An item index is returned as a string of digits, because a pointer does not
    show whether digits are an index or a property name.
    """
    return [unescape(token) for token in pointer.split("/")[1:]]


def escape(name: str) -> str:
    """Returns a property name as a part of a JSON Pointer, with `~` and `/` escaped."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Returns the property name for a part of a JSON Pointer."""
    return token.replace("~1", "/").replace("~0", "~")
