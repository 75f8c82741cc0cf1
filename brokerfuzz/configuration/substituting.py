"""Replaces `${NAME}` with an environment variable, so that the configuration file need not contain secrets.

brokerfuzz reads a variable only when it uses the value. So a command that sends no requests does not need the variable. Error
messages contain neither the value nor the variable's content.
"""

import os
import re

from brokerfuzz.errors import ConfigurationError

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}` with an environment variable, and `$$` with a dollar sign. `where` is the name of the key, for errors.

    `${NAME:-default}` becomes `default` if the variable is missing or empty. Raises `ConfigurationError` if a variable is not set
    and has no default.
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
