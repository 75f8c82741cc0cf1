"""Replaces `${NAME}` in a value by an environment variable, so that no secret is written into a file.

Variables are read when a value is used, not when the file is read: a command that needs no target needs no token. Error messages contain
neither the value nor the result.
"""

import os
import re

from brokerfuzz.errors import ConfigurationError

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}`, `${NAME:-default}` (the default applies if NAME is missing or empty) and `$$`. `where` names the key in errors.

    Raises `ConfigurationError` if a variable is not set and has no default.
    """

    def value(reference: re.Match[str]) -> str:
        name, default = reference[1], reference[2]
        if name is None:
            return "$"
        found = os.environ.get(name)
        if default is not None:
            return found or default
        if found is None:
            raise ConfigurationError(f"{where} needs the environment variable {name}, which is not set: set it, or write ${{{name}:-default}}")
        return found

    return _REFERENCE.sub(value, text)
