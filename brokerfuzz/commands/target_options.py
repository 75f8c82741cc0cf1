"""Creates the target from the options of a command: an HTTP endpoint, a command, a function or the reference service."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from brokerfuzz.commands.option_values import OF_HTTP, OF_PROCESSES, TargetOptions
from brokerfuzz.commands.output import note
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.options import CONFIGURATION

if TYPE_CHECKING:
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.schemas import Contract, Policies, PolicyValues
    from brokerfuzz.targets import AnswerRules, Target


# ---------------------------------------------------------------------------------- the command line and the configuration


def resolved_target(ctx: click.Context, target: TargetOptions, url: str | None) -> TargetOptions:
    """Returns the target from the command line or, if there is none, from the configuration.

    The headers in the configuration may contain secrets, so brokerfuzz sends them only to the server in the configuration.
    """
    configured = _configured_url(ctx)
    typed = {name for name in ("exec_", "call", "lines") if _typed(ctx, name)}
    if url is None and not typed:
        target = replace(target, url=configured)
    else:
        target = _only_typed(target, url, typed)
        own = None if configured is None else _origin(configured)
        if target.headers and not _typed(ctx, "headers") and (url is None or _origin(url) != own):
            note("the headers in the configuration are not sent, because they belong to a different target: give headers with -H")
            target = replace(target, headers=())
    if sum(name is not None for name in (target.url, target.exec_, target.call)) > 1:
        raise click.UsageError("more than one target given: use only one of URL, --exec and --call", ctx)
    if target.lines and not target.exec_:
        raise click.UsageError("--lines works only with --exec: add --exec, or remove --lines", ctx)
    return target


def resolved_policies(ctx: click.Context, policies: "PolicyValues", contract: "Contract") -> "Policies":
    """Returns the policies from the configuration and the command line. The command line has priority."""
    from brokerfuzz.schemas.contract import Policies

    configuration = ctx.meta.get(CONFIGURATION)
    configured = {} if configuration is None else configuration.values.get("policies", {})
    return Policies({**contract.check_policies(configured), **contract.check_policies(policies)})


def _only_typed(target: TargetOptions, url: str | None, typed: set[str]) -> TargetOptions:
    return replace(
        target,
        url=url,
        exec_=target.exec_ if "exec_" in typed else None,
        call=target.call if "call" in typed else None,
        lines=target.lines if "lines" in typed else None,
    )


def _typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _configured_url(ctx: click.Context) -> str | None:
    default = (ctx.default_map or {}).get("url")
    url = default() if callable(default) else default
    return url if isinstance(url, str) else None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2]


# ------------------------------------------------------------------------------------------------------------- the target


def given_target(target: TargetOptions, *, processes: int | None = None) -> "Target":
    """Returns the target that the options name. It starts at most `processes` processes (None: no limit)."""
    from brokerfuzz.targets import CallTarget, CommandTarget, LineTarget

    if target.exec_ is not None and target.lines is not None:
        return LineTarget(target.exec_, encoding=target.lines, timeout=target.timeout, processes=processes)
    if target.exec_ is not None:
        return CommandTarget(target.exec_, timeout=target.timeout, processes=processes)
    if target.call is not None:
        return CallTarget(target.call, timeout=target.timeout, processes=processes)
    assert target.url is not None, "a target is given"
    return _endpoint(target.url, target)


@contextmanager
def reference_service(target: TargetOptions, plan: "Plan", now: datetime | None) -> Iterator["Target"]:
    """Runs the reference service for the cases of a plan, until the context ends."""
    from brokerfuzz.service.running import running

    if plan.message_type != MESSAGE_TYPES[0]:
        raise click.UsageError(f"the reference service accepts only {MESSAGE_TYPES[0]} messages: specify a target (URL, --exec or --call)")
    with running(bugs=target.bugs, contract=plan.demands, now=now, seed=plan.seed) as base:
        yield _endpoint(f"{base}/offers", target)


def _endpoint(url: str, target: TargetOptions) -> "Target":
    from brokerfuzz.targets import HttpTarget

    return HttpTarget(
        url,
        method=target.method,
        headers=target.headers,
        timeout=target.timeout,
        rules=_rules(target),
        insecure=target.insecure,
        ca=target.ca,
    )


def _rules(target: TargetOptions) -> "AnswerRules":
    from brokerfuzz.targets import AnswerRules, status_patterns

    patterns = {"accept": target.accept, "reject": target.reject}
    return AnswerRules(**{name: status_patterns(text) for name, text in patterns.items() if text is not None}, envelope=target.envelope)


# ------------------------------------------------------------------------------------------------------ journals and reports


def description(target: "Target") -> Mapping[str, Any]:
    """Returns the part of the report that describes the target: the HTTP request, and the interpretation of answers."""
    from brokerfuzz.targets import HttpTarget

    if not isinstance(target, HttpTarget):
        return {"request": None}
    rules = target.rules
    return {"request": target.request, "answers": {"accept": list(rules.accept), "reject": list(rules.reject), "envelope": rules.envelope}}


def described_target(name: str, description: Mapping[str, Any]) -> "Target":
    """Returns the target from a journal or report, to describe it. It may lack secrets, so it cannot send requests."""
    from brokerfuzz.targets import AnswerRules, HttpTarget

    request = description.get("request")
    if request is None:
        return _process_target(name)
    return HttpTarget(
        request["url"], method=request["method"], headers=[(header, value) for header, value in request["headers"]], rules=AnswerRules()
    )


def _process_target(name: str) -> "Target":
    from brokerfuzz.targets import CallTarget, CommandTarget

    return CallTarget(name) if ":" in name and " " not in name and "/" not in name else CommandTarget(name)


def recordable(options: TargetOptions, target: "Target") -> Mapping[str, Any] | None:
    """Returns the target options for a journal. Returns None if they contain a secret, because a journal must not contain secrets."""
    from brokerfuzz.targets import HttpTarget

    if options.is_embedded:
        return {"bugs": list(options.bugs), **{name: getattr(options, name) for name in OF_HTTP}}
    if isinstance(target, HttpTarget):
        secret = target.request["url"] != options.url or [list(pair) for pair in target.headers] != target.request["headers"]
        return None if secret else {name: getattr(options, name) for name in ("url", *OF_HTTP)}
    secret = options.exec_ is not None and target.name != options.exec_
    return None if secret else {name: getattr(options, name) for name in OF_PROCESSES}


def with_recorded_target(options: TargetOptions, known: Mapping[str, Any] | None) -> TargetOptions:
    """Returns the options with the target from the journal, if they name no target."""
    if not options.is_embedded:
        return options
    if known is None:
        raise click.UsageError("the journal does not contain the target, because it has secrets: specify the target and its headers again")
    simple = {name: known[name] for name in ("url", *OF_HTTP, *OF_PROCESSES) if name in known}
    headers, bugs = [(name, value) for name, value in known.get("headers", [])], tuple(known.get("bugs", ()))
    return replace(options, **{**simple, "headers": headers, "bugs": bugs})
