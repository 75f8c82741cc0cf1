"""Describes each kind of target: its option, and how the target is created."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from brokerfuzz.case_options import folder_of
from brokerfuzz.commands.output import UsageError, note
from brokerfuzz.commands.process_exits import refused_exits
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.schemas import load_contract
from brokerfuzz.service.running import running, serve_command
from brokerfuzz.target_options import http_options
from brokerfuzz.targets import CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.application_target import ApplicationTarget
from brokerfuzz.targets.hidden_output import output_without_secrets

DEMONSTRATION = "the demonstration service"
"""The beginning of the name of the reference service."""
Options = Mapping[str, Any]


@dataclass(frozen=True)
class TargetKind:
    """`option` says what the target is, and `name` is this option in errors. `usage` describes the target in the help.
    `create` gets all options, those of `HttpTarget`, and a stack for what ends with the campaign. `own_options` work
    only with this kind.
    """

    option: str
    name: str
    usage: str
    create: Callable[[Options, Options, ExitStack], Target]
    own_options: tuple[str, ...] = ()

    def is_chosen(self, options: Options) -> bool:
        """With --app, the URL is a path in the application."""
        is_given = options[self.option] not in (None, False)
        return is_given and not (self.option == "url" and options["app"] is not None)


def _endpoint(options: Options, http: Options, _: ExitStack) -> Target:
    if options["hooks"] is None and options["cleanup"] is None:
        return HttpTarget(options["url"], **http)
    return HookedTarget(options["url"], hooks=options["hooks"], cleanup=options["cleanup"], **http)


def _program(options: Options, http: Options, _: ExitStack) -> Target:
    if options["lines"] is None:
        return CommandTarget(options["exec"], **_of_program(options, http))
    return LineTarget(options["exec"], encoding=options["lines"], **_of_program(options, http))


def _function(options: Options, http: Options, _: ExitStack) -> Target:
    return CallTarget(options["call"], **_of_program(options, http))


def _of_program(options: Options, http: Options) -> dict[str, Any]:
    """Each worker process starts only one program."""
    processes = None if options.get("workers", 1) == 1 else 1
    return {"timeout": http["timeout"], "secrets": http["secrets"], "processes": processes}


def _application(options: Options, http: Options, _: ExitStack) -> Target:
    return ApplicationTarget(options["app"], options["url"] or "/", **http)


def _reference_service(options: Options, http: Options, stack: ExitStack) -> Target:
    message_type, folder = options["message"], folder_of(options)
    contract = load_contract(folder)
    if not contract.is_request(message_type):
        requests = ", ".join(name for name in contract.message_types if contract.is_request(name))
        raise UsageError(
            f"the reference service (--demo) accepts only {requests or 'requests'}, not {message_type}: specify "
            "another target"
        )
    settings = {"bugs": options["bugs"], "now": options["now"], "seed": options.get("seed", 0)}
    base = stack.enter_context(running(**settings, contract=contract))
    target = HttpTarget(f"{base}{contract.transfers[message_type].path}", **http)
    target.name = f"{DEMONSTRATION} {target.name}"
    # the service of the campaign stops at its end
    target.before_curl = serve_command(base, **settings, contract=folder)
    return target


TARGET_KINDS = (
    TargetKind("url", "a URL", "a URL", _endpoint, ("hooks", "cleanup")),
    TargetKind("exec", "--exec", "--exec COMMAND", _program, ("lines",)),
    TargetKind("call", "--call", "--call MODULE:FUNCTION", _function),
    TargetKind("app", "--app", "--app MODULE:APP", _application),
    TargetKind(
        "demo", "--demo", "--demo for the built-in reference service", _reference_service, own_options=("bugs",)
    ),
)


@contextmanager
def opened_target(options: Options, campaign_id: str = "") -> Iterator[Target]:
    """Creates the target of the options, in which `message` is the type of the messages. Prints a note about secrets
    that are too short to be hidden.

    In the `with` block, what hooks and applications print goes to standard error, without secrets. So standard output
    contains only the results.
    """
    kind = next(kind for kind in TARGET_KINDS if kind.is_chosen(options))
    with ExitStack() as stack:
        stack.enter_context(refused_exits())
        target = kind.create(options, http_options(options, campaign_id), stack)
        stack.enter_context(output_without_secrets(target.secrets))
        if target.secrets.note:
            note(target.secrets.note)
        yield target
