"""Converts the options of a campaign to the options of targets, and inserts environment variables."""

import os
import re
from collections.abc import Mapping
from typing import Any

from brokerfuzz.errors import ConfigurationError
from brokerfuzz.targets import AnswerRules
from brokerfuzz.targets.secret_masking import of_environment, server_of

_REFERENCE = re.compile(r"\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def substituted(text: str, where: str) -> str:
    """Replaces `${NAME}` with an environment variable, and `$$` with a dollar sign. `where` is the name of the setting
    in error messages, which never contain the setting or the contents of a variable.

    `${NAME:-default}` becomes `default` if the variable is missing or empty. Raises `ConfigurationError` if a variable
    is not set and has no default.
    """
    return _REFERENCE.sub(lambda reference: _value(reference, where), text)


def _value(reference: re.Match[str], where: str) -> str:
    name, default = reference[1], reference[2]
    if name is None:
        return "$"
    value = os.environ.get(name)
    if value is None and default is None:
        raise ConfigurationError(
            f"{where} needs the environment variable {name}, which is not set: set the variable, or write "
            f"${{{name}:-default}}"
        )
    return value or default or ""


def _variables_in(text: str) -> list[str]:
    """Returns the names of the environment variables that `substituted` inserts into the text."""
    names = (reference[1] for reference in _REFERENCE.finditer(text))
    return [name for name in names if name is not None and os.environ.get(name)]


def with_variables(options: Mapping[str, Any]) -> dict[str, Any]:
    """Inserts environment variables into the URL and the headers, and adds their names to the `secrets`. A variable in
    the address of the server is no secret, unless this address contains a user, as in `https://me:${PASSWORD}@host`.
    """
    url: str = options["url"] or ""
    address = server_of(url)
    texts = [url if "@" in address else url[len(address) :], *(value for _, value in options["headers"])]
    return {
        **options,
        "url": None if options["url"] is None else substituted(url, "the URL"),
        "headers": [(name, substituted(value, f"the header {name}")) for name, value in options["headers"]],
        "secrets": [*options["secrets"], *(name for text in texts for name in _variables_in(text))],
    }


def http_options(options: Mapping[str, Any], campaign_id: str = "") -> dict[str, Any]:
    """Returns the options of an HTTP target."""
    return {
        "rules": AnswerRules(accept=options["accept"], reject=options["reject"]),
        "campaign_id": campaign_id,
        "secrets": of_environment(options["secrets"]),
        **{name: options[name] for name in ("method", "headers", "timeout", "insecure", "ca", "cert")},
    }
