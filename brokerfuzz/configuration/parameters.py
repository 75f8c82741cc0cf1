"""Maps the settings of a configuration to the options of the command line."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from brokerfuzz.configuration.files import Configuration, above
from brokerfuzz.configuration.substituting import substituted


class _Origin(NamedTuple):
    """The position of a setting: the file and the TOML table."""

    file: Path
    table: str

    def key(self, name: str) -> str:
        return f"{self.file}: {name} in [{'.'.join((*above(self.file), self.table))}]"


Conversion = Callable[[Any, _Origin], Any]


class Parameter(NamedTuple):
    """The name of an option, and a function that converts the setting to the value of this option."""

    name: str
    conversion: Conversion = lambda value, origin: value


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
    return [f"{ambiguity}={_joined(policy if isinstance(policy, list) else [policy], origin)}" for ambiguity, policy in values.items()]


def _url(value: str, origin: _Origin) -> Callable[[], str]:
    return lambda: substituted(value, origin.key("url"))


def _headers(values: Mapping[str, str], origin: _Origin) -> Callable[[], list[str]]:
    return lambda: [f"{name}:{value}" for name, value in values.items()]


def _trace_headers(values: list[str], origin: _Origin) -> str:
    return _joined(values, origin) if values else "off"


def _hidden(value: str, origin: _Origin) -> Callable[[], str]:
    return lambda: value


def _own_file(value: Mapping[str, Any], origin: _Origin) -> str | None:
    """Returns the path of the configuration file, because its section `[values]` contains the reference data."""
    return str(origin.file) if value else None


PARAMETERS: Mapping[tuple[str, ...], Parameter] = {
    ("target", "url"): Parameter("url", _url),
    ("target", "exec"): Parameter("exec_", _command),
    ("target", "call"): Parameter("call"),
    ("target", "app"): Parameter("app"),
    ("target", "lines"): Parameter("lines"),
    ("target", "message"): Parameter("message_type"),
    ("target", "method"): Parameter("method"),
    ("target", "timeout"): Parameter("timeout"),
    ("target", "concurrency"): Parameter("concurrency"),
    ("target", "rate"): Parameter("rate"),
    ("target", "fresh"): Parameter("fresh"),
    ("target", "insecure"): Parameter("insecure"),
    ("target", "ca"): Parameter("ca", _file),
    ("target", "cert"): Parameter("cert", _file),
    ("target", "key"): Parameter("key", _file),
    ("target", "proxy"): Parameter("proxy", _hidden),
    ("target", "auth"): Parameter("auth", _hidden),
    ("target", "secrets"): Parameter("secrets"),
    ("target", "wait-for"): Parameter("wait_for"),
    ("target", "headers"): Parameter("headers", _headers),
    ("target", "hooks"): Parameter("hooks", _file_or_module),
    ("target", "cleanup"): Parameter("cleanup"),
    ("target", "trace-headers"): Parameter("trace_headers", _trace_headers),
    ("answers", "accept"): Parameter("accept", _joined),
    ("answers", "reject"): Parameter("reject", _joined),
    ("answers", "envelope"): Parameter("envelope"),
    ("policies",): Parameter("policies", _policies),
    ("values",): Parameter("values", _own_file),
    ("cases", "contract"): Parameter("contract", _file),
    ("cases", "now"): Parameter("now"),
    ("cases", "strength"): Parameter("strength"),
    ("cases", "seed"): Parameter("seed"),
    ("cases", "count"): Parameter("count"),
    ("cases", "verdicts"): Parameter("verdicts"),
    ("cases", "rules"): Parameter("rules"),
    ("cases", "techniques"): Parameter("techniques"),
    ("cases", "sites"): Parameter("sites"),
    ("cases", "tags"): Parameter("tags"),
    ("campaign", "max-time"): Parameter("max_time"),
    ("campaign", "max-findings"): Parameter("max_findings"),
    ("campaign", "shrink"): Parameter("shrink"),
    ("campaign", "journal"): Parameter("journal", _file),
    ("campaign", "baseline"): Parameter("baseline", _file),
    ("campaign", "workers"): Parameter("workers"),
    ("campaign", "preflight"): Parameter("preflight"),
    ("reports", "files"): Parameter("reports", _files),
}
"""Maps a section and a key of the configuration to an option of `fire`."""


def option_defaults(configuration: Configuration) -> dict[str, Any]:
    """Returns the settings of a configuration as the default values of options, in the form of click's `default_map`.

    `url`, `headers`, `auth` and `proxy` are functions, because their values may contain secrets. click calls the functions only
    if the command line has no value. The function for `url` inserts environment variables, and raises `ConfigurationError` if a
    variable is missing. The variables in `headers` and `auth` are inserted only when a request is sent.

    Headers become NAME:VALUE, policies become AMBIGUITY=INTERPRETATION, lists of statuses get commas, and an array for `exec`
    becomes a command line. File names are relative to the folder of the configuration.
    """
    found = {}
    for (section, *rest), parameter in PARAMETERS.items():
        value: Any = configuration.values.get(section)
        for key in rest:
            value = None if value is None else value.get(key)
        if value is not None:
            found[parameter.name] = parameter.conversion(value, _Origin(configuration.path, section))
    return found
