"""Creates the target from the options of a command: an HTTP endpoint, a command, a function, an application or the
reference service.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
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
from brokerfuzz.option import completed, declared, flag_of
from brokerfuzz.options import TargetOptions
from brokerfuzz.schemas import Contract, MessageType, Policies, load_contract
from brokerfuzz.service.running import running, serve_command
from brokerfuzz.target_options import http_options, substituted, with_variables
from brokerfuzz.targets import CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.application import OPTIONS, NamedApplicationTarget
from brokerfuzz.targets.demonstration_target import DemonstrationTarget
from brokerfuzz.wording import listed

_NUMBER = "number"
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
    chosen = {*(kind.option for kind in KINDS), "lines"}
    if url is not None or chosen & given.keys():
        configured = {name: value for name, value in configured.items() if name not in chosen}
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
    kinds = [kind for kind in KINDS if kind.is_chosen(options)]
    if not kinds or "" in [options[kind.option] for kind in kinds]:
        problem = "the target is empty" if kinds else "no target given"
        raise UsageError(f"{problem}: run `{usage}`, where TARGET is {listed([kind.usage for kind in KINDS], 'or')}")
    if len(kinds) > 1:
        raise UsageError(f"more than one target given: use only one of {listed([kind.name for kind in KINDS])}")
    for kind in KINDS:
        for name in kind.own_options:
            if options[name] and kind not in kinds:
                flag = flag_of(name, declared(TargetOptions)[name])
                raise UsageError(f"{flag} works only with {kind.name}: use {kind.name}, or remove {flag}")


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


# ---------------------------------------------------------------------------------------------------- kinds of targets


@dataclass(frozen=True)
class _Campaign:
    """What a target has to know about the campaign. It starts at most `processes` processes (None: no limit). The
    reference service has the contract in the folder `contract`.
    """

    message_type: MessageType
    contract: str | None
    campaign_id: str
    processes: int | None


@dataclass(frozen=True)
class TargetKind:
    """`option` says what the target is, and `name` is this option in errors. `usage` describes the target in the help.
    `create` returns the target, as long as a `with` block lasts. `own_options` work only with this kind.
    """

    option: str
    name: str
    usage: str
    create: Callable[[Mapping[str, Any], _Campaign], AbstractContextManager[Target]]
    is_http: bool = False
    own_options: tuple[str, ...] = ()

    def is_chosen(self, options: Mapping[str, Any]) -> bool:
        """With --app, the URL is a path in the application."""
        is_given = options[self.option] not in (None, False)
        return is_given and not (self.option == "url" and options["app"] is not None)


def _endpoint(options: Mapping[str, Any], campaign: _Campaign) -> AbstractContextManager[Target]:
    url, http = options["url"], http_options(options, campaign.campaign_id)
    target = HttpTarget(url, **http)
    if options["hooks"] is None and options["cleanup"] is None:
        return nullcontext(target)
    secrets = target.secrets
    hide(lambda: secrets.masks)  # before the file with hooks is loaded, because this file may print secrets
    try:
        hooks = Hooks(options["hooks"], options["timeout"])
    except HookError as problem:
        raise HookError(secrets.hide(str(problem)), details=secrets.hide(problem.details)) from None
    removal = None if options["cleanup"] is None else cleanup(options["cleanup"])
    return nullcontext(HookedTarget(url, hooks=hooks, cleanup=removal, **http))


def _program(options: Mapping[str, Any], campaign: _Campaign) -> AbstractContextManager[Target]:
    command, encoding, of_program = options["exec"], options["lines"], _of_program(options, campaign)
    if encoding is None:
        return nullcontext(CommandTarget(command, **of_program))
    return nullcontext(LineTarget(command, encoding=encoding, **of_program))


def _function(options: Mapping[str, Any], campaign: _Campaign) -> AbstractContextManager[Target]:
    return nullcontext(CallTarget(options["call"], **_of_program(options, campaign)))


def _of_program(options: Mapping[str, Any], campaign: _Campaign) -> dict[str, Any]:
    secrets = http_options(options)["secrets"]
    return {"timeout": options["timeout"], "processes": campaign.processes, "secrets": secrets}


def _application(options: Mapping[str, Any], campaign: _Campaign) -> AbstractContextManager[Target]:
    http = http_options(options)
    of_application = {name: http[name] for name in OPTIONS}
    return nullcontext(NamedApplicationTarget(options["app"], options["url"] or "/", **of_application))


@contextmanager
def _reference_service(options: Mapping[str, Any], campaign: _Campaign) -> Iterator[Target]:
    own = load_contract(campaign.contract)
    if not own.is_request(campaign.message_type):
        requests = ", ".join(name for name in own.message_types if own.is_request(name))
        raise UsageError(
            f"the reference service (--demo) accepts only {requests or 'requests'}, not {campaign.message_type}: "
            "specify another target"
        )
    settings = {"bugs": options["bugs"], "now": options["now"], "seed": options.get("seed", 0)}
    with running(**settings, contract=own) as base:
        yield DemonstrationTarget(
            f"{base}{own.transfers[campaign.message_type].path}",
            started_by=serve_command(base, **settings, contract=campaign.contract),
            **http_options(options, campaign.campaign_id),
        )


KINDS = (
    TargetKind("url", "a URL", "a URL", _endpoint, is_http=True, own_options=("hooks", "cleanup")),
    TargetKind("exec", "--exec", "--exec COMMAND", _program, own_options=("lines",)),
    TargetKind("call", "--call", "--call MODULE:FUNCTION", _function),
    TargetKind("app", "--app", "--app MODULE:APP", _application),
    TargetKind(
        "demo", "--demo", "--demo for the built-in reference service", _reference_service, is_http=True,
        own_options=("bugs",),
    ),
)  # fmt: skip


def kind_of(options: Mapping[str, Any]) -> TargetKind:
    return next(kind for kind in KINDS if kind.is_chosen(options))


@contextmanager
def opened(
    options: Mapping[str, Any], message_type: MessageType, contract: str | None, *, campaign_id: str = "",
    processes: int | None = None,
) -> Iterator[Target]:  # fmt: skip
    """Creates the target, and hides its secrets in all output (see `_Campaign`)."""
    campaign = _Campaign(message_type, contract, campaign_id, processes)
    with kind_of(options).create(options, campaign) as target:
        _hide_secrets(target)
        yield target


def _hide_secrets(target: Target) -> None:
    """Hides the secrets of the target in the output of hooks and applications. Prints a note about secrets that are too
    short to be hidden.
    """
    hide(lambda: target.secrets.masks)
    if target.secrets.note:
        note(target.secrets.note)
