"""Defines `Secret`, the type of strings that contain secrets, and removes secrets from everything that a command writes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

Parts = Sequence[tuple[str, str | None]]
"""The parts of a text. Each part is a pair: a string, and the name of the environment variable that contains this string. The name
is None if the string does not come from an environment variable.
"""


class Secret(str):
    """A string that contains secrets, such as a header. `parts` says which parts of the string come from environment variables. If
    there are no parts, the whole string is secret.
    """

    __slots__ = ("parts",)
    parts: Parts

    def __new__(cls, text: str, parts: Parts = ()) -> "Secret":
        secret = super().__new__(cls, text)
        secret.parts = tuple(parts)
        return secret

    @property
    def variables(self) -> dict[str, str]:
        """Maps the names of the environment variables in the text to their values."""
        return {name: text for text, name in self.parts if name is not None}

    def __str__(self) -> "Secret":
        """Keeps the type `Secret`, because click calls `str()` on each option, and a plain string has no `parts`."""
        return self

    def __reduce__(self) -> tuple[type["Secret"], tuple[str, Parts]]:
        return Secret, (self[:], self.parts)


Hide = Callable[[str], str]
_hiding: list[Hide] = []


def hide_in_output(hide: Hide) -> None:
    """Applies `hide` to everything that the current command writes from now on."""
    _hiding.append(hide)


def cleaned(text: str) -> str:
    """Removes the secrets of the current command from a text. All reports, baselines and standard streams go through this function."""
    for hide in _hiding:
        text = hide(text)
    return text


@contextmanager
def one_command() -> Iterator[None]:
    """Forgets the secrets of the command when the `with` block ends."""
    before = _hiding.copy()
    try:
        yield
    finally:
        _hiding[:] = before
