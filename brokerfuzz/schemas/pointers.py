"""Places in a message, and how they are written."""

Place = tuple["Place", str | int] | None
"""A way down from the root: the place above and the last step."""


def pointer(place: Place) -> str:
    """The JSON Pointer (RFC 6901) of a place."""
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.append(escape(str(step)))
    return "".join(f"/{step}" for step in reversed(steps))


def escape(name: str) -> str:
    """A member's name as a reference token of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
