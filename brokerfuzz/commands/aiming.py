"""What a command fires at: an HTTP endpoint, a command, a function, or the reference service that comes along."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from brokerfuzz.commands.output import note
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.options import CONFIGURATION, OF_TARGET

if TYPE_CHECKING:
    from brokerfuzz.schemas import Contract
    from brokerfuzz.targets import Target

Given = dict[str, Any]
_OF_HTTP = ("url", "method", "headers", "insecure", "ca", "timeout", "accept", "reject", "envelope")
_OF_PROCESSES = ("exec_", "lines", "call", "timeout")


def settled(ctx: click.Context, given: Given, url: str | None) -> Given:
    """The parameters, where the command line and a configuration may both have named a target: one on the command line (a `url` there, too)
    is the only one, and the configuration's headers, which may be secret, go to the configuration's own server alone. Stances of both hold.
    """
    typed = {name: given[name] for name in OF_TARGET if name != "url" and given[name] is not None and _typed(ctx, name)}
    given = {**given, "url": url if url is not None else _configured_url(ctx)}
    if url is not None or typed:
        own = _origin_of_configuration(ctx)
        given |= {name: typed.get(name) for name in OF_TARGET if name != "url"} | {"url": url}
        if given["headers"] and not _typed(ctx, "headers") and (given["url"] is None or _origin(given["url"]) != own):
            note("the configuration's headers are for its own target, and are not sent to this one: give them with -H if they should be")
            given["headers"] = []
    named = [name for name in ("url", "exec_", "call") if given.get(name) is not None]
    if len(named) > 1:
        raise click.UsageError("a URL, --exec and --call are targets each: give one of them", ctx)
    if given.get("lines") and not given.get("exec_"):
        raise click.UsageError("--lines says how the command of --exec is spoken to: give --exec too", ctx)
    if "stances" in given and (configuration := ctx.meta.get(CONFIGURATION)) is not None:
        given["stances"] = {**configuration.values.get("stances", {}), **given["stances"]}
    return given


def _typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _origin_of_configuration(ctx: click.Context) -> tuple[str, str] | None:
    url = _configured_url(ctx)
    return None if url is None else _origin(url)


def _configured_url(ctx: click.Context) -> str | None:
    default = (ctx.default_map or {}).get("url")
    url = default() if callable(default) else default
    return url if isinstance(url, str) else None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2]


@contextmanager
def aimed(given: Given, contract: "Contract") -> Iterator["Target"]:
    """The target that is named, or the reference service while it runs. Raises `TargetError`."""
    from brokerfuzz.targets import CallTarget, CommandTarget, LineTarget

    patience: dict[str, Any] = {"timeout": given["timeout"], "processes": 1 if given.get("workers", 1) > 1 else None}
    if given["exec_"] is not None and given["lines"] is not None:
        yield LineTarget(given["exec_"], encoding=given["lines"], **patience)
    elif given["exec_"] is not None:
        yield CommandTarget(given["exec_"], **patience)
    elif given["call"] is not None:
        yield CallTarget(given["call"], **patience)
    elif given["url"] is not None:
        yield _endpoint(given["url"], given)
    else:
        from brokerfuzz.service.running import running

        if given["message_type"] != MESSAGE_TYPES[0]:
            raise click.UsageError(f"the reference service takes {MESSAGE_TYPES[0]} alone: name a target (a URL, --exec or --call)")
        with running(bugs=given["bugs"], contract=contract, now=given["now"], seed=given["seed"]) as base:
            yield _endpoint(f"{base}/offers", given)


def _endpoint(url: str, given: Given) -> "Target":
    from brokerfuzz.targets import HttpTarget

    return HttpTarget(
        url,
        method=given["method"],
        headers=given["headers"],
        timeout=given["timeout"],
        rules=_rules(given),
        insecure=given["insecure"],
        ca=given["ca"],
    )


def _rules(given: Given) -> Any:
    from brokerfuzz.targets import AnswerRules, status_patterns

    patterns = {name: status_patterns(given[name]) for name in ("accept", "reject") if given[name] is not None}
    return AnswerRules(**patterns, envelope=given["envelope"])


def is_embedded(given: Given) -> bool:
    """Whether no target is named."""
    return all(given[name] is None for name in ("url", "exec_", "call"))


def told(target: "Target") -> dict[str, Any]:
    """What reports say of the target: the request (None where it is no HTTP) and how answers are read."""
    from brokerfuzz.targets import HttpTarget

    if not isinstance(target, HttpTarget):
        return {"request": None}
    rules = target.rules
    return {"request": target.request, "answers": {"accept": list(rules.accept), "reject": list(rules.reject), "envelope": rules.envelope}}


def unaimed(name: str, told: Mapping[str, Any]) -> "Target":
    """The target that a journal or a report tells of, to speak of it; it may lack the secrets that it takes to send anything."""
    from brokerfuzz.targets import AnswerRules, HttpTarget

    request = told.get("request")
    if request is None:
        return _endpoint_of_process(name)
    return HttpTarget(
        request["url"], method=request["method"], headers=[(header, value) for header, value in request["headers"]], rules=AnswerRules()
    )


def _endpoint_of_process(name: str) -> "Target":
    from brokerfuzz.targets import CallTarget, CommandTarget

    return CallTarget(name) if ":" in name and " " not in name and "/" not in name else CommandTarget(name)


def remembered(given: Given, target: "Target") -> dict[str, Any] | None:
    """The parameters of the target for a journal; None where a secret is among them, which no journal holds."""
    from brokerfuzz.targets import HttpTarget

    if is_embedded(given):
        return {"bugs": list(given["bugs"]), **{name: given[name] for name in _OF_HTTP if name != "url"}}
    if isinstance(target, HttpTarget):
        secret = target.request["url"] != given["url"] or [list(pair) for pair in target.headers] != target.request["headers"]
        return None if secret else {name: given[name] for name in _OF_HTTP}
    secret = given["exec_"] is not None and target.name != given["exec_"]
    return None if secret else {name: given[name] for name in _OF_PROCESSES}


def recalled(given: Given, aim: Mapping[str, Any] | None) -> Given:
    """The parameters with the target that a journal remembers, where none is named now."""
    if not is_embedded(given):
        return given
    if aim is None:
        raise click.UsageError("the journal does not hold its target, since there were secrets in it: give the target and its headers again")
    return {**given, **aim, "headers": [(name, value) for name, value in aim.get("headers", [])]}
