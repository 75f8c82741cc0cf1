"""Creates the target from the options of a command: an HTTP endpoint, a command, a function, an application or the
reference service.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from brokerfuzz import config
from brokerfuzz.campaign.settings import NOT_FRESH
from brokerfuzz.case_options import contract_of
from brokerfuzz.cases.fresh_values import fresh_properties
from brokerfuzz.commands.output import UsageError, note
from brokerfuzz.commands.target_output import hide
from brokerfuzz.config import Configuration
from brokerfuzz.errors import ConfigurationError, HookError
from brokerfuzz.hooks.cleanup import cleanup
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.option import completed
from brokerfuzz.schemas import Contract, MessageType, Policies, load_contract
from brokerfuzz.service.running import running, serve_command
from brokerfuzz.target_options import http_options, substituted, with_variables
from brokerfuzz.targets import CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.application import OPTIONS, NamedApplicationTarget
from brokerfuzz.wording import listed

_NUMBER = "number"
_KINDS = ("exec", "call", "app", "lines", "demo")
"""The options that say what the target is, except for a URL."""
_OF_TARGET = ("headers", "cert", "hooks", "cleanup")
"""Options that may contain secrets of one target, or that may change its data."""


# ------------------------------------------------------------------------------- the command line and the configuration


def with_settings(kind: type, given: Mapping[str, Any], url: str | None, usage: str) -> Any:
    """Adds the settings of the configuration to the options of the command line, and the defaults of `kind`. Inserts
    environment variables.

    If the command line specifies no target, the one in the configuration is used. The headers in the configuration may
    contain secrets, so brokerfuzz sends them only to the server in the configuration. If there is no target, raises
    `UsageError`, which suggests the command line `usage`, such as `brokerfuzz fire TARGET`.
    """
    configuration = _configuration(given.get("config"))
    configured = dict(configuration.options)
    if url is not None or any(name in given for name in _KINDS):
        configured = {name: value for name, value in configured.items() if name not in ("url", *_KINDS)}
        if url is None or not _has_same_server(url, configuration):
            configured = _without_secrets(configured, given)
    options = completed(kind, configured, given if url is None else {**given, "url": url})
    _check(options, usage)
    contract = contract_of(options)
    policies = [contract.check_policies(options.get("policies", {})) for options in (configured, given)]
    return {**with_variables(options), "policies": Policies({**policies[0], **policies[1]})}


def _configuration(given: str | None) -> Configuration:
    path = config.find(Path.cwd()) if given is None else Path(given)
    return Configuration() if path is None else config.read(path)


def _without_secrets(configured: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    ignored = [name for name in _OF_TARGET if name in configured and name not in given]
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


def _check(options: Mapping[str, Any], usage: str) -> None:
    named = [name for name in (options["app"] or options["url"], options["exec"], options["call"]) if name is not None]
    if "" in named or not (named or options["demo"]):
        problem = "the target is empty" if named else "no target given"
        kinds = (
            "a URL, --exec COMMAND, --call MODULE:FUNCTION, --app MODULE:APP, or --demo for the built-in "
            "reference service"
        )
        raise UsageError(f"{problem}: run `{usage}`, where TARGET is {kinds}")
    if len(named) + options["demo"] > 1:
        raise UsageError("more than one target given: use only one of URL, --exec, --call, --app and --demo")
    if options["lines"] and not options["exec"]:
        raise UsageError("--lines works only with --exec: add --exec, or remove --lines")
    if options["bugs"] and not options["demo"]:
        raise UsageError("--bug works only with --demo: add --demo, or remove --bug")
    hooks = next((f"--{name}" for name in ("hooks", "cleanup") if options[name] is not None), None)
    if hooks is not None and (options["url"] is None or options["app"] is not None):
        raise UsageError(f"{hooks} works only with a URL: use a URL, or remove {hooks}")


def fresh_property(
    options: Mapping[str, Any], recorded: str | None, message_type: MessageType, contract: Contract
) -> str | None:
    """Returns the property that gets a new value in each message: the value of `--fresh`, or the property in the
    journal or report. With `--cleanup`, the default is the number of an offer: without a new number, concurrent
    messages would have the same number, and cleanup could remove an offer of somebody else.
    """
    given: str | None = options["fresh"]
    if given is not None:
        return None if given == NOT_FRESH else given
    known = contract.values.used(message_type) if contract.values is not None else ()
    if (
        recorded is None
        and options["cleanup"] is not None
        and _NUMBER in fresh_properties(message_type, contract)
        and _NUMBER not in known
    ):
        note(
            f"because of --cleanup, each message gets a new number (--fresh {_NUMBER}): to turn this off, use --fresh "
            f"{NOT_FRESH}"
        )
        return _NUMBER
    return recorded


# ----------------------------------------------------------------------------------------------------------- the target


@contextmanager
def opened(
    options: Mapping[str, Any], message_type: MessageType, contract: str | None, *, campaign_id: str = "",
    processes: int | None = None,
) -> Iterator[Target]:  # fmt: skip
    """Creates the target, and hides its secrets in all output. The target starts at most `processes` processes (None:
    no limit). The reference service runs until the `with` block ends, and has the contract in the folder `contract`.
    """
    if options["demo"]:
        with _reference_service(options, message_type, contract, campaign_id) as target:
            yield target
        return
    target = _given_target(options, campaign_id, processes)
    _hide_secrets(target)
    yield target


def _given_target(options: Mapping[str, Any], campaign_id: str, processes: int | None) -> Target:
    url: str | None = options["url"]
    http = http_options(options, campaign_id)
    of_program = {"timeout": options["timeout"], "processes": processes, "secrets": http["secrets"]}
    if options["exec"] is not None and options["lines"] is not None:
        return LineTarget(options["exec"], encoding=options["lines"], **of_program)
    if options["exec"] is not None:
        return CommandTarget(options["exec"], **of_program)
    if options["call"] is not None:
        return CallTarget(options["call"], **of_program)
    if options["app"] is not None:
        return NamedApplicationTarget(options["app"], url or "/", **{name: http[name] for name in OPTIONS})
    assert url is not None, "a target is given"
    target = HttpTarget(url, **http)
    return target if options["hooks"] is None and options["cleanup"] is None else _hooked_target(options, target)


def _hooked_target(options: Mapping[str, Any], inner: HttpTarget) -> Target:
    secrets = inner.secrets
    hide(lambda: secrets.masks)  # before the file with hooks is loaded, because this file may print secrets
    try:
        hooks = Hooks(options["hooks"], options["timeout"])
    except HookError as problem:
        raise HookError(secrets.hide(str(problem)), details=secrets.hide(problem.details)) from None
    removal = None if options["cleanup"] is None else cleanup(options["cleanup"])
    return HookedTarget(inner, hooks=hooks, cleanup=removal)


@contextmanager
def _reference_service(
    options: Mapping[str, Any], message_type: str, folder: str | None, campaign_id: str
) -> Iterator[Target]:
    own = load_contract(folder)
    if not own.is_request(message_type):
        requests = ", ".join(name for name in own.message_types if own.is_request(name))
        raise UsageError(
            f"the reference service (--demo) accepts only {requests or 'requests'}, not {message_type}: specify "
            "another target"
        )
    settings = {"bugs": options["bugs"], "now": options["now"], "seed": options.get("seed", 0)}
    with running(**settings, contract=own) as base:
        started_by = serve_command(base, **settings, contract=folder)
        yield HttpTarget(
            f"{base}{own.transfers[message_type].path}",
            started_by=started_by,
            **http_options(options, campaign_id),
        )


def _hide_secrets(target: Target) -> None:
    """Hides the secrets of the target in the output of hooks and applications. Prints a note about secrets that are too
    short to be hidden.
    """
    hide(lambda: target.secrets.masks)
    if target.secrets.note:
        note(target.secrets.note)
