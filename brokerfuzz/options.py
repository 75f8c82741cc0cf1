"""The options that several commands share, and how their values are read. It imports click alone: see `cli`."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from brokerfuzz.schemas import Label, MessageType

MESSAGES: "tuple[MessageType, ...]" = ("offer-creation-request", "product-list-response", "offer-pricing-response")
VERDICTS: "tuple[Label, ...]" = ("valid", "invalid", "unspecified")
RANDOM_CASES = 100
"""How many random cases there are where `--random` leaves the catalogue out and no `--count` says otherwise."""

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]


def known(items: str) -> Complete:
    """Completes names of a kind. Whether something bears a name is for the command to say, which knows the nearest one."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from brokerfuzz import completing

        return completing.matching(getattr(completing, items), ctx, incomplete)

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

contract_option = click.option(
    "--contract", metavar="DIR", type=click.Path(file_okay=False), is_eager=True, help="A changed contract: a folder with the files that differ."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
seed_option = click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="What random cases are made from.")
message_option = click.option(
    "--message", "message_types", metavar="TYPE", type=click.Choice(MESSAGES), multiple=True,
    help=f"Only this type (repeatable): {ONE_OF_MESSAGES}.",
)  # fmt: skip
verdict_option = click.option(
    "--verdict", "verdicts", metavar="VERDICT", type=click.Choice(VERDICTS), multiple=True,
    help=f"Only cases that are this (repeatable): {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}.",
)  # fmt: skip
random_option = click.option("--random", "only_random", is_flag=True, help="Leave the catalogue out.")
bug_option = click.option(
    "--bug", "bugs", metavar="NAME", shell_complete=known("bugs"), multiple=True, help="Seed this bug (repeatable); `serve --list-bugs` names them."
)
stance_option = click.option(
    "--stance", "stances", metavar="SILENCE=accept|reject", callback=_stances, shell_complete=known("stances"), multiple=True,
    help="Settle a question that the contract leaves open (repeatable).",
)  # fmt: skip
rule_option = click.option(
    "--rule", "rules", metavar="ID", shell_complete=known("rule_ids"), multiple=True,
    help="Only faults of this rule (repeatable); * stands for anything.",
)  # fmt: skip
technique_option = click.option(
    "--technique", "techniques", metavar="NAME", shell_complete=known("techniques"), multiple=True,
    help="Only faults by this technique (repeatable).",
)  # fmt: skip
strength_option = click.option(
    "--strength", metavar="NUMBER", type=click.IntRange(1, 4), default=2, show_default=True,
    help="Of how many members every combination of states occurs: 2 for pairs, 3 for triples; fewer where they are too many.",
)  # fmt: skip
force_option = click.option("--force", is_flag=True, help="Replace OUT where it is there already.")


def now_option(what: str) -> Decorator:
    """The option of the time that counts as the present; `what` happens at it."""
    return click.option("--now", metavar="TIME", callback=_time, help=f"{what} at this time, as 2025-06-15T12:00:00Z; else at the present.")


def count_option(unit: str) -> Decorator:
    """The option of how many random cases there are."""
    default = f"[default: 0; {RANDOM_CASES} with --random]"
    return click.option("--count", metavar="NUMBER", type=click.IntRange(min=0), help=f"Random cases {unit} the catalogue.  {default}")
