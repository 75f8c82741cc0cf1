"""Maps the settings of a configuration to the options of the command line."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from brokerfuzz.configuration.files import Configuration, above
from brokerfuzz.configuration.substituting import substituted


class _Origin(NamedTuple):
    file: Path
    table: str

    def key(self, name: str) -> str:
        return f"{self.file}: {name} in [{'.'.join((*above(self.file), self.table))}]"


Conversion = Callable[[Any, _Origin], Any]


def _file(value: str, origin: _Origin) -> str:
    return str(origin.file.parent / value)


def _file_or_module(value: str, origin: _Origin) -> str:
    return _file(value, origin) if value.endswith(".py") else value


def _files(values: list[str], origin: _Origin) -> list[str]:
    return [_file(value, origin) for value in values]


def _command(value: str | list[str], origin: _Origin) -> str:
    return value if isinstance(value, str) else shlex.join(value)


def _joined(values: Sequence[str | int], origin: _Origin) -> str:
    return ",".join(map(str, values))


def _policies(values: Mapping[str, Any], origin: _Origin) -> list[str]:
    return [
        f"{ambiguity}={_joined(policy if isinstance(policy, list) else [policy], origin)}"
        for ambiguity, policy in values.items()
    ]


def _url(value: str, origin: _Origin) -> Callable[[], str]:
    return lambda: substituted(value, origin.key("url"))


def _headers(values: Mapping[str, str], origin: _Origin) -> Callable[[], list[str]]:
    return lambda: [f"{name}:{value}" for name, value in values.items()]


def _trace_headers(values: list[str], origin: _Origin) -> str:
    return _joined(values, origin) if values else "off"


def _hidden(value: str, origin: _Origin) -> Callable[[], str]:
    return lambda: value


def _file_with_values(value: Mapping[str, Any], origin: _Origin) -> str | None:
    """Returns the path of the configuration file, because its section `[values]` contains reference data. Returns None
    if the section is empty.
    """
    return str(origin.file) if value else None


_NAMES: Mapping[tuple[str, ...], str] = {
    ("target", "exec"): "exec_",
    ("target", "message"): "message_type",
    ("reports", "files"): "reports",
}
"""Maps settings to their options, if the setting and the option have different names. All other settings have the name
of their option, with hyphens instead of underscores.
"""
_CONVERSIONS: Mapping[str, Conversion] = {
    "url": _url,
    "exec_": _command,
    "ca": _file,
    "cert": _file,
    "key": _file,
    "proxy": _hidden,
    "auth": _hidden,
    "headers": _headers,
    "hooks": _file_or_module,
    "trace_headers": _trace_headers,
    "accept": _joined,
    "authenticate_after": _joined,
    "reject": _joined,
    "policies": _policies,
    "values": _file_with_values,
    "contract": _file,
    "journal": _file,
    "baseline": _file,
    "reports": _files,
}
"""Maps the name of an option to the function that converts the value of the setting. Settings without such a function
keep their value.
"""
WHOLE_SECTIONS = ("policies", "values")
"""Each of these sections corresponds to a single option. For example, all settings in `[policies]` become the value of
`--policy`.
"""


def option_of(*place: str) -> str:
    """Returns the name of the option of `fire` that corresponds to a setting. `place` is a section and a key, or only a
    section.
    """
    return _NAMES.get(place, place[-1].replace("-", "_"))


def option_defaults(configuration: Configuration) -> dict[str, Any]:
    """Returns the settings of a configuration as the default values of options, in the form of click's `default_map`.

    In the result, `url`, `headers`, `auth` and `proxy` are functions, because their values may contain secrets. Such a
    function is called only if the command line does not contain the option. The function for `url` inserts environment
    variables, and raises `ConfigurationError` if a variable is missing. The variables in `headers` and `auth` are
    inserted only when a request is sent.

    Headers become NAME:VALUE, policies become AMBIGUITY=INTERPRETATION, and an array for `exec` becomes a command line.
    A list of statuses becomes a string with commas. File names are relative to the folder of the configuration.
    """
    found = {}
    for section, values in configuration.values.items():
        settings = (
            {(section,): values}
            if section in WHOLE_SECTIONS
            else {(section, key): value for key, value in values.items()}
        )
        for place, value in settings.items():
            name = option_of(*place)
            convert = _CONVERSIONS.get(name)
            found[name] = value if convert is None else convert(value, _Origin(configuration.path, section))
    return found
