"""Creates the contract and the plans from the options of a command. A plan describes the cases to generate."""

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime

from brokerfuzz import options
from brokerfuzz.cases import testable_contract
from brokerfuzz.cases.plan import Plan
from brokerfuzz.commands.option_values import CaseFilters, CaseOptions
from brokerfuzz.commands.output import UsageError
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.format_names import BASE64
from brokerfuzz.options import RANDOM_CASES
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.instants import spell

NOTHING_LEFT = (
    "no case matches the filters: remove or change --message, --verdict, --rule, --technique, --site or --tag"
)


def contract_of(folder: str | None, values: str | None = None) -> "Contract":
    """`folder` contains a changed contract (None: the built-in contract). `values` is a file with reference data: the
    values that the target knows.
    """

    return load_contract(folder, values)


def _random_count(count: int | None, only_random: bool) -> int:
    if only_random and count == 0:
        raise UsageError("--random with --count 0 generates no case: use a --count above 0")
    return count if count is not None else RANDOM_CASES if only_random else 0


def plans_of(
    message_types: "Sequence[MessageType]", cases: CaseOptions, now: datetime | None, *, endless: bool = False
) -> "tuple[Plan, ...]":
    """`now` is the time for which time-dependent cases are generated (None: no time-dependent cases). If `endless` is
    true, the number of random cases has no limit.
    """
    contract = contract_of(cases.contract, cases.values)
    check_rules(cases, message_types, contract)
    count = None if endless else _random_count(cases.count, cases.only_random)
    check_testable(cases, message_types, contract)
    known = None if contract.values is None else contract.values.text
    return tuple(_plan(message_type, cases, count, now, known) for message_type in message_types)


def check_testable(filters: CaseFilters, message_types: "Iterable[MessageType]", contract: "Contract") -> None:
    """Raises `ContractError` if brokerfuzz cannot generate valid messages, or cannot break a rule that `filters`
    select.
    """

    for message_type in message_types:
        testable_contract.check_testable(
            contract, message_type, filters.selection(contract), filters.verdicts or LABELS
        )


def check_rules(filters: CaseFilters, message_types: "Sequence[MessageType]", contract: "Contract") -> None:
    """Raises `UsageError` if none of the chosen rules belongs to `message_types`. Raises `UnknownNameError` if
    `filters` contains an unknown name.
    """
    found = filters.selection(contract).among(contract.rules_by_id.values())
    types = list(dict.fromkeys(rule.message_type for rule in found or ()))
    if types and not set(types) & set(message_types):
        raise UsageError(
            f"--rule and --site match only rules of {' and '.join(types)}: use --message {types[0]}, or choose other "
            "rules"
        )


def _plan(
    message_type: "MessageType", cases: CaseOptions, count: int | None, now: datetime | None, values: str | None
) -> "Plan":
    return Plan(
        message_type=message_type, now=now, seed=cases.seed, count=count, only_random=cases.only_random,
        verdicts=cases.verdicts or LABELS, rules=cases.rules, techniques=cases.techniques, tags=cases.tags,
        sites=cases.sites,
        contract=cases.contract, values=values,
    )  # fmt: skip


def recipe_of(plans: "Sequence[Plan]", fmt: str, values: str | None) -> str:
    """Returns the options with which `export` generates the same cases again. If a file name is not UTF-8, the options
    contain its invalid bytes as escapes. `values` is the file with the reference data.
    """

    plan, types = plans[0], tuple(plan.message_type for plan in plans)
    words = [f"--message={name}" for name in types if types != MESSAGE_TYPES]
    words += [f"--verdict={label}" for label in plan.verdicts if plan.verdicts != LABELS and not plan.plausible]
    words += [f"--{name[:-1]}={value}" for name in options.CHOICE for value in getattr(plan, name)]
    random = plan.only_random and not plan.plausible
    flags = {
        "--random": random,
        "--plausible": plan.plausible,
        "--full": plan.scope == "whole" and not plan.only_random,
        "--large": plan.large,
    }
    words += [flag for flag, is_set in flags.items() if is_set]
    words += [f"--count={plan.count}", f"--seed={plan.seed}"] if plan.count else []
    words += [f"--contract={plan.contract}"] if plan.contract is not None else []
    words += [f"--values={values}"] if values is not None else []
    words += ["--clock", f"--now={spell(plan.now)}"] if plan.now is not None else []
    return (
        shlex.join([*words, "--base64" if fmt == BASE64 else f"--format={fmt}"])
        .encode(errors="backslashreplace")
        .decode()
    )
