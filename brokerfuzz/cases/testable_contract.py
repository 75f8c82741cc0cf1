"""Checks that brokerfuzz can test a changed contract: it must be able to generate valid messages, and to break each
rule.
"""

import warnings
from collections.abc import Collection
from functools import cache

from brokerfuzz.cases.case import compact, supported_time
from brokerfuzz.cases.case_filters import EXCLUDES, Selection
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.errors import ContractError
from brokerfuzz.generation import COMPLETE, REQUIRED, left_out_sites, message
from brokerfuzz.pointers import is_within
from brokerfuzz.schemas import Contract, Label, MessageType, check
from brokerfuzz.wording import listed

_NAMED = 5
"""The maximum number of rules or places that an error names."""


def check_testable(
    contract: Contract, message_type: MessageType, chosen: Selection, verdicts: Collection[Label]
) -> None:
    """Raises `ContractError` if brokerfuzz cannot generate a valid message, or cannot break any rule that the filter
    `chosen` selects. Warns if it can break only some of them, or has to leave out a property.

    Without invalid cases in `verdicts`, no rule has to be broken.
    """
    if contract.is_tested:
        return
    contract.check_described(message_type)
    if wrong := _why_invalid(contract, message_type, full=False):
        raise ContractError(
            f"brokerfuzz cannot generate a valid {message_type} for this contract: the simplest message that it "
            f"generates {wrong}; "
            "change the schema there"
        )
    untested = untested_rules(contract, message_type, chosen)
    left_out = _left_out(contract, message_type, untested)
    problems = [f"brokerfuzz leaves out {site}: {reason}" for site, reason in left_out.items()]
    if untested and "invalid" in verdicts:
        wrong = _why_invalid(contract, message_type, full=True)
        sites = {rule: contract.rules_by_id[rule].site for rule in untested}
        unexplained = [rule for rule in untested if not any(is_within(sites[rule], outer) for outer in left_out)]
        if unexplained:
            problems.append(_untestable(unexplained, wrong))
        if wrong or len(untested) == len(chosen.among(contract.rules[message_type]) or ()):
            raise ContractError("; ".join(problems))
    for problem in problems:
        warnings.warn(problem, stacklevel=2)


def untested_rules(contract: Contract, message_type: MessageType, chosen: Selection) -> list[str]:
    """Returns the IDs of the chosen rules that brokerfuzz cannot break without breaking another rule."""
    unbroken = _unbroken(contract, message_type)
    return [rule for rule in unbroken if chosen.rules is None or rule in chosen.rules]


def _left_out(contract: Contract, message_type: MessageType, untested: list[str]) -> dict[str, str]:
    """Returns the sites that no message contains although they have some of these rules, and why."""
    sites = [contract.rules_by_id[rule].site for rule in untested]
    left_out = left_out_sites(contract, message_type) if untested else {}
    return {outer: reason for outer, reason in left_out.items() if any(is_within(site, outer) for site in sites)}


@cache
def _unbroken(contract: Contract, message_type: MessageType) -> list[str]:
    injector = FaultInjector(contract, message_type, supported_time(None))
    return [rule.id for rule in contract.rules[message_type] if not injector.techniques(rule)]


def _why_invalid(contract: Contract, message_type: MessageType, *, full: bool) -> str:
    """Says why a message with all (or only the required) properties is not clearly valid. Returns "" if it is."""
    verdict = check(
        message_type, compact(message(contract, message_type, COMPLETE if full else REQUIRED)), contract=contract
    )
    if verdict.broken:
        return f"breaks {_named(sorted({violation.rule for violation in verdict.broken}))}"
    places = sorted({touch.at for touch in verdict.ambiguities})
    return "" if verdict.label == "valid" else f"has an ambiguous value at {_named(places)}"


def _untestable(untested: list[str], wrong: str) -> str:
    """Says that no case breaks these rules. `wrong` is what is wrong with a message with all properties, if known."""
    if wrong:
        return (
            f"brokerfuzz cannot generate valid messages in which it could break {_named(untested, 'or')}: a message "
            f"with all properties {wrong}; "
            "change the schema there"
        )
    exclusions = " ".join(f"--rule '{EXCLUDES}{rule}'" for rule in untested[:_NAMED])
    return (
        f"brokerfuzz cannot generate a message that breaks only {_named(untested, 'or')}, so no case tests this; "
        "change the contract if another rule makes this one impossible, or "
        f"exclude what cannot be tested: {exclusions} (in Python: rules=['{EXCLUDES}...'])"
    )


def _named(names: list[str], last: str = "and") -> str:
    more = [f"{len(names) - _NAMED:,} others"] if len(names) > _NAMED else []
    return listed([*names[:_NAMED], *more], last)
