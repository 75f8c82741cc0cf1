"""Converts the options of a campaign to the options of targets, and inserts environment variables."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from brokerfuzz.errors import ConfigurationError
from brokerfuzz.targets import AnswerRules
from brokerfuzz.targets.secret_masking import Secret, of_environment

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")

Replaced = Callable[[str, str], str]


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}` with an environment variable, and `$$` with a dollar sign. `where` is the name of the setting
    in error messages, which never contain the setting or the contents of a variable.

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


def http_options(
    options: Mapping[str, Any], campaign_id: str = "", *, replaced: Replaced = substituted
) -> dict[str, Any]:
    """Returns the options of an HTTP target. `replaced` replaces the environment variables in headers. Its second
    argument is the name of the setting.
    """
    return {
        "headers": [(name, replaced(value, f"the header {name}")) for name, value in options["headers"]],
        "rules": AnswerRules(accept=options["accept"], reject=options["reject"]),
        "campaign_id": campaign_id,
        "secrets": of_environment(options["secrets"]),
        **{name: options[name] for name in ("method", "timeout", "insecure", "ca", "cert")},
    }
