"""Places in a message, and JSON Pointers (RFC 6901) to them."""

from collections.abc import Iterable

Place = tuple["Place", str | int] | None
"""A way down from the root: the place above and the last step."""


def pointer(place: Place) -> str:
    """The JSON Pointer of a place."""
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return pointer_of(reversed(steps))


def pointer_of(steps: Iterable[str | int]) -> str:
    """The JSON Pointer of steps from the root: names of properties, and indexes of items."""
    return "".join([f"/{escape(str(step))}" for step in steps])


def steps_of(pointer: str) -> list[str]:
    """The steps of a JSON Pointer. An index is a step of digits here, because a pointer does not say what its steps lead into."""
    return [unescape(token) for token in pointer.split("/")[1:]]


def escape(name: str) -> str:
    """A property's name as a reference token of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The name that a reference token of a JSON Pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")
