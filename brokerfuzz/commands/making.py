"""What several commands make: the contract, the cases that were asked for."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

import click

from brokerfuzz.commands.output import NAME
from brokerfuzz.options import RANDOM_CASES

if TYPE_CHECKING:
    from brokerfuzz.cases.case import Case
    from brokerfuzz.schemas import Contract, Label, MessageType


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


def random_count(count: int | None, only_random: bool) -> int:
    if only_random and count == 0:
        raise click.UsageError("--random --count 0 leaves no case: give a --count above 0", click.get_current_context())
    return count if count is not None else RANDOM_CASES if only_random else 0


def chosen_cases(
    message_type: "MessageType", verdicts: "tuple[Label, ...]", contract: "Contract", now: datetime | None, seed: int, count: int,
    strength: int, *, only_random: bool, twins: bool = False,
) -> "Iterator[Case]":  # fmt: skip
    """The catalogue's cases, then random ones (with `twins`, each fault's own before it), each once."""
    from brokerfuzz.cases.at_random import random_cases
    from brokerfuzz.cases.catalogue import catalogue

    seen: set[str] = set()
    for case in () if only_random else catalogue(message_type, verdicts=verdicts, now=now, contract=contract, strength=strength):
        seen.add(case.id)
        yield case
    if count:
        for case in islice(random_cases(message_type, seed, verdicts=verdicts, now=now, contract=contract), count):
            for one in (case.twin, case) if twins else (case,):
                if one is not None and one.id not in seen and one.label in verdicts:
                    seen.add(one.id)
                    yield one
