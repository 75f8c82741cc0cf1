"""What several commands make: the contract, the cases that were asked for."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from brokerfuzz import options
from brokerfuzz.commands.option_values import CaseOptions
from brokerfuzz.commands.output import NAME
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.options import RANDOM_CASES

if TYPE_CHECKING:
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.schemas import Contract, MessageType

NOTHING_LEFT = "no case is left: choose more messages, verdicts, rules, techniques, sites or tags"


def contract_of(folder: str | None) -> "Contract":
    from brokerfuzz.schemas import load_contract

    return load_contract(folder)


def tell_unbroken(contract: "Contract", message_types: "Iterable[MessageType]") -> None:
    """Says which rules of a changed contract no technique breaks; ours has none."""
    from brokerfuzz.schemas import load_contract

    if contract is load_contract():
        return
    from brokerfuzz.cases.case import clock
    from brokerfuzz.cases.faults import FaultMaker

    for rule in (rule for message_type in message_types for rule in FaultMaker(contract, message_type, clock(None)).unbroken()):
        click.echo(f"{NAME}: no technique breaks {rule.id}: it is kept in valid messages, and nothing tries to break it", err=True)


def _random_count(count: int | None, only_random: bool) -> int:
    if only_random and count == 0:
        raise click.UsageError("--random --count 0 leaves no case: give a --count above 0", click.get_current_context())
    return count if count is not None else RANDOM_CASES if only_random else 0


def plans_of(message_types: "Sequence[MessageType]", cases: CaseOptions, *, endless: bool = False) -> "tuple[Plan, ...]":
    """A plan for each message type, all made against one time, with random cases that never end if they are `endless`. Raises `ClockError`."""
    from brokerfuzz.cases.case import clock

    if cases.minimal and cases.only_random:
        raise click.UsageError("--minimal chooses from the catalogue, which --random leaves out: give one of them", click.get_current_context())
    count, now = None if endless else _random_count(cases.count, cases.only_random), clock(cases.now)
    return tuple(_plan(message_type, cases, count, now) for message_type in message_types)


def _plan(message_type: "MessageType", cases: CaseOptions, count: int | None, now: datetime) -> "Plan":
    from brokerfuzz.cases.plan import Plan

    return Plan(
        message_type=message_type, now=now, seed=cases.seed, count=count, only_random=cases.only_random, strength=cases.strength,
        verdicts=cases.verdicts or LABELS, rules=cases.rules, techniques=cases.techniques, tags=cases.tags, sites=cases.sites,
        minimal=cases.minimal, contract=cases.contract,
    )  # fmt: skip


def recipe_of(plans: "Sequence[Plan]", fmt: str) -> str:
    """The arguments of `export` that make the cases of the plans again, in this format, wherever they go. Bytes that are no UTF-8 are escaped."""
    import shlex

    from brokerfuzz.schemas.instants import spell

    plan, types = plans[0], tuple(plan.message_type for plan in plans)
    words = [f"--message={name}" for name in types if types != MESSAGE_TYPES]
    words += [f"--verdict={label}" for label in plan.verdicts if plan.verdicts != LABELS]
    words += [f"--{name[:-1]}={value}" for name in options.CHOICE for value in getattr(plan, name)]
    words += [word for word, said in (("--minimal", plan.minimal), ("--random", plan.only_random)) if said]
    words += [f"--count={plan.count}", f"--seed={plan.seed}"] if plan.count else []
    words += [f"--strength={plan.strength}"] if plan.strength != 2 else []
    words += [f"--contract={plan.contract}"] if plan.contract is not None else []
    return shlex.join([*words, f"--now={spell(plan.now)}", f"--format={fmt}"]).encode(errors="backslashreplace").decode()
