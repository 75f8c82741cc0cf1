"""Defines `Secret`, the type of strings that contain secrets."""

from collections.abc import Mapping


class Secret(str):
    """A string that contains secrets, such as a header. `variables` maps the names of the environment variables in the
    string to their values. If there are none, the whole string is secret.
    """

    __slots__ = ("variables",)
    variables: Mapping[str, str]

    def __new__(cls, text: str, variables: Mapping[str, str] | None = None) -> "Secret":
        secret = super().__new__(cls, text)
        secret.variables = variables or {}
        return secret

    def __str__(self) -> "Secret":
        """Keeps the type `Secret`, because click calls `str()` on each option, and a plain string has no variables."""
        return self

    def __reduce__(self) -> tuple[type["Secret"], tuple[str, Mapping[str, str]]]:
        return Secret, (self[:], self.variables)
