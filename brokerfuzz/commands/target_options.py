"""Creates the target from the options of a command: an HTTP endpoint, a command, a function or the reference
service.
"""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from brokerfuzz.cases.fresh_values import fresh_properties
from brokerfuzz.commands.option_values import TargetOptions
from brokerfuzz.commands.output import UsageError, note
from brokerfuzz.commands.streams import hide
from brokerfuzz.configuration.substituting import substituted
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.errors import HookError
from brokerfuzz.hooks.cleanup import cleanup
from brokerfuzz.hooks.hook_file import hook_file
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.options import CONFIGURATION
from brokerfuzz.schemas import Contract, MessageType, PolicyValues, load_contract
from brokerfuzz.schemas.contract import Policies
from brokerfuzz.service.running import running, serve_command
from brokerfuzz.targets import (
    AnswerRules,
    CallTarget,
    CommandTarget,
    DemoTarget,
    HttpTarget,
    LineTarget,
    Target,
    TraceHeaders,
    event_loop,
    status_patterns,
)
from brokerfuzz.targets.application import NamedApplicationTarget
from brokerfuzz.targets.secret_masking import Secrets, of_environment
from brokerfuzz.targets.trace_headers import new_campaign_id, trace_headers
from brokerfuzz.targets.waiting import wait_until_listening
from brokerfuzz.wording import listed

NOT_FRESH = "off"
_NUMBER = "number"


# ------------------------------------------------------------------------------- the command line and the configuration


def resolved_target(ctx: click.Context, target: TargetOptions, url: str | None, command: str) -> TargetOptions:
    """Returns the target of the command line. If the command line contains no target, returns the target of the
    configuration. If the configuration contains no target either, raises `UsageError`. This error suggests the command
    line `command`, such as `brokerfuzz fire TARGET`. The headers in the configuration may contain secrets, so
    brokerfuzz sends them only to the server in the configuration.
    """
    configured = _configured_url(ctx)
    typed = {name for name in ("exec_", "call", "app", "lines", "demo") if _typed(ctx, name)}
    if url is None and not typed:
        target = replace(target, url=configured)
    else:
        target = _only_typed(target, url, typed)
        own = None if configured is None else _origin(configured)
        if url is None or _origin(url) != own:
            target = _without_configured_secrets(ctx, target)
    _check(target, command)
    return target


def _check(target: TargetOptions, command: str) -> None:
    """Raises `UsageError` if the options do not specify exactly one target, or if an option does not apply to this kind
    of target.
    """
    named = [name for name in (target.app or target.url, target.exec_, target.call) if name is not None]
    if "" in named or not (named or target.demo):
        problem = "the target is empty" if named else "no target given"
        kinds = (
            "a URL, --exec COMMAND, --call MODULE:FUNCTION, --app MODULE:APP, or --demo for the built-in "
            "reference service"
        )
        raise UsageError(f"{problem}: run `{command}`, where TARGET is {kinds}")
    if len(named) + target.demo > 1:
        raise UsageError("more than one target given: use only one of URL, --exec, --call, --app and --demo")
    if target.lines and not target.exec_:
        raise UsageError("--lines works only with --exec: add --exec, or remove --lines")
    if target.bugs and not target.demo:
        raise UsageError("--bug works only with --demo: add --demo, or remove --bug")
    hooks = next(
        (option for option, value in (("--hooks", target.hooks), ("--cleanup", target.cleanup)) if value is not None),
        None,
    )
    if hooks is not None and (target.url is None or target.app is not None):
        raise UsageError(f"{hooks} works only with a URL: use a URL, or remove {hooks}")


def resolved_policies(ctx: click.Context, policies: "PolicyValues", contract: "Contract") -> "Policies":
    """Policies on the command line replace policies in the configuration."""

    configuration = ctx.meta.get(CONFIGURATION)
    configured = {} if configuration is None else configuration.values.get("policies", {})
    return Policies({**contract.check_policies(configured), **contract.check_policies(policies)})


def _only_typed(target: TargetOptions, url: str | None, typed: set[str]) -> TargetOptions:
    return replace(
        target,
        url=url,
        exec_=target.exec_ if "exec_" in typed else None,
        call=target.call if "call" in typed else None,
        app=target.app if "app" in typed else None,
        lines=target.lines if "lines" in typed else None,
    )


def _without_configured_secrets(ctx: click.Context, target: TargetOptions) -> TargetOptions:
    if target.headers and not _typed(ctx, "headers"):
        note(
            "the headers in the configuration are not sent, because they belong to a different target: specify the "
            "headers for this target with -H"
        )
        target = replace(target, headers=())
    unused: dict[str, Any] = {
        name: None
        for name in ("auth", "cert", "key", "hooks", "cleanup")
        if getattr(target, name) is not None and not _typed(ctx, name)
    }
    if unused:
        note(
            f"{listed(unused)} in the configuration belong to a different target and are ignored: specify these "
            "settings on the command line"
        )
    return replace(target, **unused)


def _typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _configured_url(ctx: click.Context) -> str | None:
    default = (ctx.default_map or {}).get("url")
    url = default() if callable(default) else default
    return url if isinstance(url, str) else None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2]


def fresh_property(
    given: str | None, recorded: str | None, cleanup: str | None, message_type: "MessageType", contract: "Contract"
) -> str | None:
    """Returns the property that gets a new value in each message: the value of `--fresh`, or the property in the
    journal or report. With `--cleanup`, the default is the number of an offer: without a new number, concurrent
    messages would have the same number, and cleanup could remove an offer of somebody else.
    """

    if given is not None:
        return None if given == NOT_FRESH else given
    known = contract.values.used(message_type) if contract.values is not None else ()
    if (
        recorded is None
        and cleanup is not None
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


def given_target(target: TargetOptions, *, processes: int | None = None) -> "Target":
    """Creates the target from the options. For `--demo`, use `reference_service` instead. The target starts at most
    `processes` processes (None: no limit).
    """

    if target.exec_ is not None and target.lines is not None:
        return LineTarget(
            target.exec_,
            encoding=target.lines,
            timeout=target.timeout,
            processes=processes,
            secrets=of_environment(target.secrets),
        )
    if target.exec_ is not None:
        return CommandTarget(
            target.exec_, timeout=target.timeout, processes=processes, secrets=of_environment(target.secrets)
        )
    if target.call is not None:
        return CallTarget(
            target.call, timeout=target.timeout, processes=processes, secrets=of_environment(target.secrets)
        )
    if target.app is not None:
        return NamedApplicationTarget(
            target.app, target.url or "/", **{name: _http_options(target)[name] for name in _OF_APPLICATIONS}
        )
    assert target.url is not None, "a target is given"
    if target.hooks is None and target.cleanup is None:
        return HttpTarget(target.url, **_http_options(target))
    return _hooked_target(target, target.url)


def _hooked_target(target: TargetOptions, url: str) -> "Target":

    options = _http_options(target)
    inner = HttpTarget(url, **options)
    secrets = inner.secrets
    hide(lambda: secrets.masks)  # before the file with hooks is loaded, because this file may print secrets
    try:
        hooks = None if target.hooks is None else Hooks(hook_file(target.hooks), target.timeout)
    except HookError as problem:
        raise HookError(secrets.hide(str(problem)), details=secrets.hide(problem.details)) from None
    removal = None if target.cleanup is None else cleanup(target.cleanup)
    return HookedTarget(inner, hooks=hooks, cleanup=removal, renews=status_patterns(target.authenticate_after))


_OF_APPLICATIONS = ("method", "headers", "timeout", "rules", "secrets")


@contextmanager
def reference_service(
    target: TargetOptions, message_type: str, folder: str | None, *, now: datetime | None, seed: int = 0
) -> Iterator["Target"]:
    """Runs the reference service until the `with` block ends.

    The service receives messages of the type `message_type`. `folder` is the folder of the service's contract.
    """

    if message_type != MESSAGE_TYPES[0]:
        raise UsageError(
            f"the reference service (--demo) accepts only {MESSAGE_TYPES[0]} messages: specify another target"
        )
    with running(bugs=target.bugs, contract=load_contract(folder), now=now, seed=seed) as base:
        started_by = serve_command(base, bugs=target.bugs, contract=folder, now=now, seed=seed)
        yield DemoTarget(f"{base}/offers", started_by=started_by, **_http_options(target))


def _http_options(target: TargetOptions) -> dict[str, Any]:

    return {
        "method": target.method,
        "headers": [
            *((name, substituted(value, f"the header {name}")) for name, value in target.headers),
            *_credentials(target),
        ],
        "timeout": target.timeout,
        "longest_wait": target.longest_wait,
        "rules": _rules(target),
        "trace": _trace(target),
        "secrets": of_environment(target.secrets),
        **{name: getattr(target, name) for name in ("insecure", "ca", "cert", "key", "proxy")},
    }


def _credentials(target: TargetOptions) -> Iterator[tuple[str, str]]:
    """Yields the header `Authorization` with the user and the password of `--auth`."""
    if target.auth is None:
        return
    if any(name.lower() == "authorization" for name, _ in target.headers) or (
        target.url is not None and urlsplit(target.url).username is not None
    ):
        raise UsageError(
            "the credentials are specified twice: use only one of --auth, -H 'Authorization: ...' and a user in the URL"
        )

    user_and_password = substituted(target.auth, "--auth")
    if ":" not in user_and_password:
        raise UsageError("--auth has no password: write USER:PASSWORD")
    yield "Authorization", f"Basic {b64encode(user_and_password.encode()).decode()}"


def hide_secrets(target: "Target") -> None:
    """Hides the secrets of the target in the output of hooks and applications. Prints a note about secrets that are too
    short to be hidden.
    """
    secrets: Secrets | None = getattr(target, "secrets", None)
    if secrets is None:
        return
    hide(lambda: getattr(target, "secrets", secrets).masks)
    if secrets.note:
        note(secrets.note)


def wait_for(target: "Target", seconds: float | None) -> None:
    """Waits at most `seconds` until an HTTP target listens (None: does not wait). Raises `TargetError` if the target
    does not listen within this time.
    """

    if seconds is not None and target.is_http:
        event_loop.run(wait_until_listening(target, seconds))


def _trace(target: TargetOptions) -> "TraceHeaders":

    return trace_headers(target.trace_headers, target.campaign_id or new_campaign_id())


def _rules(target: TargetOptions) -> "AnswerRules":

    patterns = {"accept": target.accept, "reject": target.reject}
    return AnswerRules(
        **{name: status_patterns(text) for name, text in patterns.items() if text is not None}, envelope=target.envelope
    )
