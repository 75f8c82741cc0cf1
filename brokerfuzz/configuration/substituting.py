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
    variables: dict[str, str] = {}
    whole = _REFERENCE.sub(lambda found: _value(found, where, variables), text)
    return Secret(whole, variables) if variables else whole


def _value(reference: re.Match[str], where: str, variables: dict[str, str]) -> str:
    """Returns the text that replaces a reference. If it comes from an environment variable, adds it to `variables`."""
    name, default = reference[1], reference[2]
    if name is None:
        return "$"
    found = os.environ.get(name)
    if found is None and default is None:
        raise ConfigurationError(
            f"{where} needs the environment variable {name}, which is not set: set the variable, or write "
            f"${{{name}:-default}}"
        )
    if not found and default is not None:
        return default
    variables[name] = found or ""
    return variables[name]
