"""Describes each kind of target: its option, and how the target is created."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from brokerfuzz.commands.output import UsageError, note
from brokerfuzz.commands.target_output import hide
from brokerfuzz.errors import HookError
from brokerfuzz.hooks.cleanup import cleanup
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.schemas import MessageType, load_contract
from brokerfuzz.service.running import running, serve_command
from brokerfuzz.target_options import http_options
from brokerfuzz.targets import CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.application_target import ApplicationTarget

DEMONSTRATION = "the demonstration service"
"""The beginning of the name of the reference service."""


@dataclass(frozen=True)
class _AboutCampaign:
    """What a target has to know about the campaign. `http` are the options of an HTTP target. A target starts at most
    `processes` processes (None: no limit). The reference service has the contract in the folder `contract`.
    """

    message_type: MessageType
    contract: str | None
    processes: int | None
    http: Mapping[str, Any]


@dataclass(frozen=True)
class TargetKind:
    """`option` says what the target is, and `name` is this option in errors. `usage` describes the target in the help.
    `create` returns the target, as long as a `with` block lasts. `own_options` work only with this kind.
    """

    option: str
    name: str
    usage: str
    create: Callable[[Mapping[str, Any], _AboutCampaign], AbstractContextManager[Target]]
    is_http: bool = False
    own_options: tuple[str, ...] = ()

    def is_chosen(self, options: Mapping[str, Any]) -> bool:
        """With --app, the URL is a path in the application."""
        is_given = options[self.option] not in (None, False)
        return is_given and not (self.option == "url" and options["app"] is not None)


def _endpoint(options: Mapping[str, Any], campaign: _AboutCampaign) -> AbstractContextManager[Target]:
    target = HttpTarget(options["url"], **campaign.http)
    if options["hooks"] is None and options["cleanup"] is None:
        return nullcontext(target)
    secrets = target.secrets
    hide(secrets)  # before the file with hooks is loaded, because this file may print secrets
    try:
        hooks = Hooks(options["hooks"], options["timeout"])
    except HookError as problem:
        raise HookError(secrets.hide(str(problem)), details=secrets.hide(problem.details)) from None
    removal = None if options["cleanup"] is None else cleanup(options["cleanup"])
    return nullcontext(HookedTarget(options["url"], hooks=hooks, cleanup=removal, **campaign.http))


def _program(options: Mapping[str, Any], campaign: _AboutCampaign) -> AbstractContextManager[Target]:
    command, encoding, of_program = options["exec"], options["lines"], _of_program(options, campaign)
    if encoding is None:
        return nullcontext(CommandTarget(command, **of_program))
    return nullcontext(LineTarget(command, encoding=encoding, **of_program))


def _function(options: Mapping[str, Any], campaign: _AboutCampaign) -> AbstractContextManager[Target]:
    return nullcontext(CallTarget(options["call"], **_of_program(options, campaign)))


def _of_program(options: Mapping[str, Any], campaign: _AboutCampaign) -> dict[str, Any]:
    return {"timeout": options["timeout"], "processes": campaign.processes, "secrets": campaign.http["secrets"]}


def _application(options: Mapping[str, Any], campaign: _AboutCampaign) -> AbstractContextManager[Target]:
    return nullcontext(ApplicationTarget(options["app"], options["url"] or "/", **campaign.http))


@contextmanager
def _reference_service(options: Mapping[str, Any], campaign: _AboutCampaign) -> Iterator[Target]:
    own = load_contract(campaign.contract)
    if not own.is_request(campaign.message_type):
        requests = ", ".join(name for name in own.message_types if own.is_request(name))
        raise UsageError(
            f"the reference service (--demo) accepts only {requests or 'requests'}, not {campaign.message_type}: "
            "specify another target"
        )
    settings = {"bugs": options["bugs"], "now": options["now"], "seed": options.get("seed", 0)}
    with running(**settings, contract=own) as base:
        target = HttpTarget(f"{base}{own.transfers[campaign.message_type].path}", **campaign.http)
        target.name = f"{DEMONSTRATION} {target.name}"
        # the service of the campaign stops at its end
        target.before_curl = serve_command(base, **settings, contract=campaign.contract)
        yield target


TARGET_KINDS = (
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
    return next(kind for kind in TARGET_KINDS if kind.is_chosen(options))


@contextmanager
def opened_target(
    options: Mapping[str, Any], message_type: MessageType, contract: str | None, *, campaign_id: str = "",
    processes: int | None = None,
) -> Iterator[Target]:  # fmt: skip
    """Creates the target (see `_AboutCampaign`), and hides its secrets in the output of hooks and applications. Prints
    a note about secrets that are too short to be hidden.
    """
    campaign = _AboutCampaign(message_type, contract, processes, http_options(options, campaign_id))
    with kind_of(options).create(options, campaign) as target:
        hide(target.secrets)
        if target.secrets.note:
            note(target.secrets.note)
        yield target
