"""Replaces `${NAME}` with an environment variable, so that the configuration file need not contain secrets.

brokerfuzz reads a variable only when it uses the setting. So a command that sends no requests does not need the variable. Error
messages never contain the setting or the contents of a variable.
"""

import os
import re

from brokerfuzz.errors import ConfigurationError

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}` with an environment variable, and `$$` with a dollar sign. `where` is the name of the setting in error
    messages.

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
