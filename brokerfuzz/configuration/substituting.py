"""`${NAME}` in a value: what the environment holds, so that no secret is written into a file.

Values are taken from the environment when they are used, not when the file is read: a command that needs no target needs no token either.
Neither a value nor what it becomes is ever part of a message.
"""

import os
import re

from brokerfuzz.errors import ConfigurationError

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """The text with `${NAME}`, `${NAME:-default}` (where NAME is missing or empty) and `$$` replaced; `where` names the key.

    Raises `ConfigurationError` for a variable that is not there and has no default.
    """

    def value(reference: re.Match[str]) -> str:
        name, default = reference[1], reference[2]
        if name is None:
            return "$"
        held = os.environ.get(name)
        if default is not None:
            return held or default
        if held is None:
            raise ConfigurationError(f"{where} needs the environment variable {name}, which is not set: set it, or write ${{{name}:-default}}")
        return held

    return _REFERENCE.sub(value, text)
