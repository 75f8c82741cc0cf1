"""The options that several commands share, and how their values are read. It imports click alone: see `cli`."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz.format_names import FORMATS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from brokerfuzz.schemas import Label, MessageType

MESSAGES: "tuple[MessageType, ...]" = ("offer-creation-request", "product-list-response", "offer-pricing-response")
VERDICTS: "tuple[Label, ...]" = ("valid", "invalid", "unspecified")
RANDOM_CASES = 100
"""How many random cases there are where `--random` leaves the catalogue out and no `--count` says otherwise."""

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]


def known(items: str, *, excludable: bool = False) -> Complete:
    """Completes names of a kind, behind a `!` too where they are `excludable`. The command itself reports unknown names."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from brokerfuzz import completing

        return completing.matching(getattr(completing, items), ctx, incomplete, excludable=excludable)

    return complete


def _stances(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """SILENCE=accept, SILENCE=reject."""
    for value in values:
        if "=" not in value:
            raise click.BadParameter(f"{value!r} says nothing of a silence: give it as {value}=accept or {value}=reject", ctx, param)
    return {silence: stance for silence, _, stance in (value.partition("=") for value in values)}


def _time(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """A point in time as RFC 3339 spells it."""
    import re

    if value is None:
        return None
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", value, re.ASCII):
            return datetime.fromisoformat(value.upper())
    except ValueError:
        pass
    raise click.BadParameter(f"{value!r} is no RFC 3339 time: give one such as 2025-06-15T12:00:00Z", ctx, param)


def headers(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """NAME:VALUE."""
    for value in values:
        if not value.partition(":")[0].strip() or ":" not in value:
            raise click.BadParameter(f"{value!r} is no header: give it as NAME:VALUE", ctx, param)
    return [(name.strip(), text.strip()) for name, _, text in (value.partition(":") for value in values)]


def above_zero(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A number above 0, and not without end."""
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} leaves nothing to do: give a number above 0", ctx, param)
    return value


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
ONE_OF_MESSAGES = f"{', '.join(MESSAGES[:-1])} or {MESSAGES[-1]}"

CONTRACT = "brokerfuzz.contract"
"""Where a context's `meta` has the folder of a changed contract."""


def _noted_contract(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """So that what goes wrong can be told of it."""
    ctx.meta[CONTRACT] = value
    return value


contract_option = click.option(
    "--contract", metavar="DIR", type=click.Path(file_okay=False), callback=_noted_contract, is_eager=True,
    help="A changed contract: a folder with the files that differ.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
seed_option = click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="What random cases are made from.")
message_option = click.option(
    "--message", "message_types", metavar="TYPE", type=click.Choice(MESSAGES), multiple=True,
    callback=lambda _, __, given: tuple(dict.fromkeys(given)), help=f"Only this type (repeatable): {ONE_OF_MESSAGES}.",
)  # fmt: skip
verdict_option = click.option(
    "--verdict", "verdicts", metavar="VERDICT", type=click.Choice(VERDICTS), multiple=True,
    help=f"Only cases that are this (repeatable): {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}.",
)  # fmt: skip
random_option = click.option("--random/--catalogue", "only_random", default=False, help="Whether the catalogue is left out.  [default: it is in]")
bug_option = click.option(
    "--bug", "bugs", metavar="NAME", shell_complete=known("bugs"), multiple=True, help="Seed this bug (repeatable); `serve --list-bugs` names them."
)
stance_option = click.option(
    "--stance", "stances", metavar="SILENCE=accept|reject", callback=_stances, shell_complete=known("stances"), multiple=True,
    help="Settle a question that the contract leaves open (repeatable).",
)  # fmt: skip
_rule_option = click.option(
    "--rule", "rules", metavar="ID", shell_complete=known("rule_ids", excludable=True), multiple=True,
    help="Only faults of this rule (repeatable); * stands for anything.",
)  # fmt: skip
_technique_option = click.option(
    "--technique", "techniques", metavar="NAME", shell_complete=known("techniques", excludable=True), multiple=True,
    help="Only faults by this technique (repeatable).",
)  # fmt: skip
strength_option = click.option(
    "--strength", metavar="NUMBER", type=click.IntRange(1, 4), default=2, show_default=True,
    help="Of how many members every combination of states occurs: 2 for pairs, 3 for triples; fewer where they are too many.",
)  # fmt: skip
format_option = click.option(
    "--format", "fmt", metavar="FORMAT", type=click.Choice(tuple(FORMATS)),
    help="What it is written as: see below.  [default: what OUT's end tells, else ndjson]",
)  # fmt: skip
force_option = click.option("--force", is_flag=True, help="Replace OUT where it is there already; other files in its folder stay.")


def now_option(what: str) -> Decorator:
    """The option of the time that counts as the present; `what` happens at it."""
    return click.option("--now", metavar="TIME", callback=_time, help=f"{what} at this time, as 2025-06-15T12:00:00Z; else at the present.")


def count_option(unit: str) -> Decorator:
    """The option of how many random cases there are."""
    default = f"[default: 0; {RANDOM_CASES} with --random]"
    return click.option("--count", metavar="NUMBER", type=click.IntRange(min=0), help=f"Random cases {unit} the catalogue.  {default}")


def workers_option(what: str) -> Decorator:
    """The option of how many processes there are, which do `what`."""
    return click.option("--workers", metavar="NUMBER", type=click.IntRange(1, 999), default=1, show_default=True, help=f"Processes that {what}.")


# ------------------------------------------------------------------------------------------------- of targets and campaigns

OF_TARGET = ("url", "exec_", "call", "lines")
"""The parameters that name a target. One on the command line takes the place of all of a configuration's."""


def _configured(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Makes what a configuration says the default of the other parameters."""
    from brokerfuzz import configuration
    from brokerfuzz.errors import ConfigurationError

    found = Path(value) if value is not None else configuration.find(Path.cwd())
    if found is not None:
        if value is not None and not found.is_file():
            raise ConfigurationError(f"{value} is not there: name a configuration, or let `brokerfuzz init` write one")
        settings = configuration.load(found)
        ctx.meta[CONFIGURATION] = settings
        ctx.default_map = {**configuration.option_defaults(settings), **(ctx.default_map or {})}
    return value


CONFIGURATION = "brokerfuzz.configuration"
"""Where the context of a command keeps its configuration."""

config_option = click.option(
    "--config", metavar="FILE", type=click.Path(dir_okay=False), is_eager=True, callback=_configured,
    help="The configuration. Else brokerfuzz.toml, or pyproject.toml with [tool.brokerfuzz], of this folder or one above it.",
)  # fmt: skip

url_argument = click.argument("url", required=False)

_TARGET_OPTIONS = (
    click.option("--exec", "exec_", metavar="COMMAND", help="Fire at a command: the message is its standard input, exit status 0 accepts."),
    click.option(
        "--lines", metavar="plain|base64", type=click.Choice(("plain", "base64")),
        help="The command of --exec runs on: a message a line in, `accepted` or `rejected` a line out.",
    ),
    click.option(
        "--call", metavar="MODULE:FUNCTION", help="Fire at a Python function, in a process of its own: it gets bytes, and returns or raises."
    ),
    click.option("--method", metavar="METHOD", default="POST", show_default=True, help="The HTTP method."),
    click.option("-H", "--header", "headers", metavar="NAME:VALUE", callback=headers, multiple=True, help="Send this header (repeatable)."),
    click.option("--insecure", is_flag=True, help="Take any TLS certificate."),
    click.option("--ca", metavar="FILE", type=click.Path(dir_okay=False), help="Trust the authorities of this file too (PEM)."),
    click.option(
        "--timeout", metavar="SECONDS", type=float, callback=above_zero, default=10.0, show_default=True, help="How long to wait for an answer."
    ),
    click.option("--accept", metavar="STATUS,...", help="Status codes that accept, as 200,201 or 2xx.  [default: 2xx]"),
    click.option("--reject", metavar="STATUS,...", help="Status codes that refuse; all others are crashes.  [default: 1xx,3xx,4xx]"),
    click.option("--envelope/--no-envelope", default=True, help="Whether operationWasSuccessful: false refuses.  [default: it does]"),
    click.option(
        "--fresh", metavar="MEMBER", help="Give this member a text of its own in each message, for a target that refuses what it has seen."
    ),
    click.option("--concurrency", metavar="NUMBER", type=click.IntRange(min=1), default=16, show_default=True, help="Requests on their way at once."),
    click.option("--rate", metavar="NUMBER", type=float, callback=above_zero, help="Requests a second at the most."),
)  # fmt: skip

_CHOICE_OPTIONS = (
    _rule_option,
    _technique_option,
    click.option(
        "--site", "sites", metavar="SITE", shell_complete=known("sites", excludable=True), multiple=True,
        help="Only faults of rules at this site (repeatable); * stands for anything. As with --rule, no other cases but their twins.",
    ),
    click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only cases with this tag (repeatable); * stands for anything."),
)  # fmt: skip
_minimal_option = click.option(
    "--minimal", is_flag=True, help="Of the catalogue only the smallest set that breaks every rule by every technique once."
)
CHOICE = ("rules", "techniques", "sites", "tags")
"""The parameters of `choice_options` that are patterns of names."""


class Sectioned(click.Command):
    """A command whose help parts its many options by what they are about."""

    sections: tuple[tuple[str, str, str], ...] = (
        ("Target", "config", "rate"),
        ("Cases", "message_type", "strength"),
        ("Limits", "max_time", "preflight"),
        ("What stays", "journal", "write_config"),
        ("Workers", "workers", "cluster"),
    )
    """(heading, the first parameter of it, the last); what is in none of them comes behind."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options, section by section."""
        params = [param for param in self.get_params(ctx) if isinstance(param, click.Option) and param.get_help_record(ctx) is not None]
        names = [param.name for param in params]
        sections = [(heading, names.index(first), names.index(last)) for heading, first, last in self.sections]
        left = [param for number, param in enumerate(params) if not any(start <= number <= end for _, start, end in sections)]
        for heading, found in [*((heading, params[start : end + 1]) for heading, start, end in sections), ("Options", left)]:
            with formatter.section(heading):
                formatter.write_dl([record for param in found if (record := param.get_help_record(ctx)) is not None])


def _all(options: tuple[Decorator, ...]) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


target_options = _all(_TARGET_OPTIONS)
"""What is fired at, and how its answers are read."""
choice_options = _all((*_CHOICE_OPTIONS, _minimal_option))
"""Which cases are wanted, and which not."""
name_options = _all(_CHOICE_OPTIONS)
"""The same of cases that are there already."""
