"""Defines `Secret`, the type of strings that contain secrets."""

from collections.abc import Sequence

Parts = Sequence[tuple[str, str | None]]
"""The parts of a text. Each part is a pair: a string, and the name of the environment variable that contains this
string. The name is None if the string does not come from an environment variable.
"""


class Secret(str):
    """A string that contains secrets, such as a header. `parts` says which parts of the string come from environment
    variables. If there are no parts, the whole string is secret.
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
