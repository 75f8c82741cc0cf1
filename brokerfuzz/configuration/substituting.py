"""Replaces `${NAME}` with an environment variable, so that the configuration file does not have to contain secrets.

brokerfuzz reads the variables in a setting only when the setting is used. For example, a command that sends no requests
does not need the variable `TOKEN` in a header. Error messages never contain the setting or the contents of a variable.
"""

import os
import re

from brokerfuzz.errors import ConfigurationError
from brokerfuzz.secret_values import Secret

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}` with an environment variable, and `$$` with a dollar sign. `where` is the name of the setting
    in error messages.

    `${NAME:-default}` becomes `default` if the variable is missing or empty. If the text contains a variable, the
    result is a `Secret`. Raises `ConfigurationError` if a variable is not set and has no default.
    """
    parts: list[tuple[str, str | None]] = []
    at = 0
    for found in _REFERENCE.finditer(text):
        parts += [(text[at : found.start()], None), _part(found, where)]
        at = found.end()
    parts.append((text[at:], None))
    whole = "".join(part for part, _ in parts)
    return Secret(whole, parts) if any(name is not None for _, name in parts) else whole


def _part(reference: re.Match[str], where: str) -> tuple[str, str | None]:
    """Returns the text that replaces a reference, and the name of the environment variable. The name is None if the
    text does not come from a variable: for `$$`, and for a default.
    """
    name, default = reference[1], reference[2]
    if name is None:
        return "$", None
    found = os.environ.get(name)
    if found is None and default is None:
        raise ConfigurationError(
            f"{where} needs the environment variable {name}, which is not set: set the variable, or write "
            f"${{{name}:-default}}"
        )
    return (default, None) if not found and default is not None else (found or "", name)
