"""Combines the options of the command line and of the configuration that concern the target, and checks them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from brokerfuzz import config
from brokerfuzz.campaign.settings import NOT_FRESH
from brokerfuzz.case_options import contract_of
from brokerfuzz.cases.fresh_values import fresh_properties
from brokerfuzz.commands.output import UsageError, note
from brokerfuzz.commands.target_kinds import TARGET_KINDS
from brokerfuzz.config import Configuration
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.option import completed, declared, flag_of
from brokerfuzz.options import TargetOptions
from brokerfuzz.schemas import Contract, MessageType, Policies
from brokerfuzz.target_options import substituted, with_variables
from brokerfuzz.wording import listed

_OF_TARGET = ("headers", "cert", "hooks", "cleanup")
"""Options that may contain secrets of one target, or that may change its data."""


# ------------------------------------------------------------------------------- the command line and the configuration


def with_settings(kind: type, command_line: Mapping[str, Any], url: str | None, usage: str) -> Any:
    """Adds the settings of the configuration to the options of the command line, and the defaults of `kind`. Inserts
    environment variables.

    If the command line specifies no target, the one in the configuration is used. The headers in the configuration may
    contain secrets, so brokerfuzz sends them only to the server in the configuration. If there is no target, raises
    `UsageError`, which suggests the command line `usage`, such as `brokerfuzz fire TARGET`.
    """
    configuration = _configuration(command_line.get("config"))
    configured = dict(configuration.options)
    chosen = {"lines", *(target_kind.option for target_kind in TARGET_KINDS)}
    if url is not None or chosen & command_line.keys():
        configured = {name: value for name, value in configured.items() if name not in chosen}
        if url is None or not _has_same_server(url, configuration):
            configured = _without_secrets(configured, command_line)
    options = completed(kind, configured, command_line if url is None else {**command_line, "url": url})
    _check_target(options, usage)
    contract = contract_of(options)
    policies = [contract.check_policies(options.get("policies", {})) for options in (configured, command_line)]
    return {**with_variables(options), "policies": Policies({**policies[0], **policies[1]})}


def _configuration(path_option: str | None) -> Configuration:
    path = config.find(Path.cwd()) if path_option is None else Path(path_option)
    return Configuration() if path is None else config.read_configuration(path)


def _without_secrets(configured: Mapping[str, Any], command_line: Mapping[str, Any]) -> dict[str, Any]:
    ignored = [name for name in _OF_TARGET if name in configured and name not in command_line]
    if ignored:
        note(
            f"{listed(ignored)} in the configuration belong to a different target and are ignored: specify these "
            "settings on the command line"
        )
    return {name: value for name, value in configured.items() if name not in _OF_TARGET}


def _has_same_server(url: str, configuration: Configuration) -> bool:
    configured = configuration.options.get("url")
    try:
        return configured is not None and _origin(url) == _origin(configured)
    except ConfigurationError:  # a variable is not set, perhaps that of the URL in the configuration, which is not used
        return False


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(substituted(url, "the URL"))
    return parts.scheme, parts.netloc.rpartition("@")[2]


def _check_target(options: Mapping[str, Any], usage: str) -> None:
    kinds = [kind for kind in TARGET_KINDS if kind.is_chosen(options)]
    if not kinds or "" in [options[kind.option] for kind in kinds]:
        problem = "the target is empty" if kinds else "no target given"
        raise UsageError(
            f"{problem}: run `{usage}`, where TARGET is {listed([kind.usage for kind in TARGET_KINDS], 'or')}"
        )
    if len(kinds) > 1:
        raise UsageError(f"more than one target given: use only one of {listed([kind.name for kind in TARGET_KINDS])}")
    for kind in TARGET_KINDS:
        for name in kind.own_options:
            if options[name] and kind not in kinds:
                flag = flag_of(name, declared(TargetOptions)[name])
                raise UsageError(f"{flag} works only with {kind.name}: use {kind.name}, or remove {flag}")


def fresh_property(
    options: Mapping[str, Any], recorded: str | None, message_type: MessageType, contract: Contract
) -> str | None:
    """Returns the property that gets a new value in each message: the value of `--fresh`, or the property in the
    journal or report. With `--cleanup`, the default is the first identifier: without a new number, concurrent
    messages would have the same number, and cleanup could remove an offer of somebody else.
    """
    fresh: str | None = options["fresh"]
    if fresh is not None:
        return None if fresh == NOT_FRESH else fresh
    if recorded is not None or options["cleanup"] is None:
        return recorded
    known_values = contract.values.used(message_type) if contract.values is not None else ()
    possible = [name for name in fresh_properties(message_type, contract) if name not in known_values]
    identifier = next((name for name in contract.identifiers(message_type) if name in possible), None)
    if identifier is not None:
        note(
            f"because of --cleanup, each message gets a new {identifier} (--fresh {identifier}): to turn this off, use "
            f"--fresh {NOT_FRESH}"
        )
    return identifier
