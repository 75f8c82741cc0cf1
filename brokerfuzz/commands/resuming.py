"""Reads the settings of a campaign from its journal, and builds the command that continues a campaign.

A journal may come from a person whom you do not trust. For this reason, brokerfuzz takes only the cases, their answers,
and the settings for judging them from the journal. The target, the contract and all files come from the command line or
the configuration.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from brokerfuzz.campaign import Settings, journal
from brokerfuzz.campaign.settings import CAMPAIGN_ID, new_campaign_id
from brokerfuzz.cases.plan import Plan, time_of
from brokerfuzz.commands.output import UsageError
from brokerfuzz.errors import JournalError, quoted
from brokerfuzz.option import completed, declared, flag_of
from brokerfuzz.options import FireCommandOptions, FireOptions
from brokerfuzz.targets.reproduction import shell_quoted
from brokerfuzz.targets.secret_masking import Secrets

_HEAD = frozenset({"journal", "brokerfuzz", "started", "campaign", "target", "plan", "policies", "fresh", "judged_at"})
"""The properties of the first line of a journal (see `Settings`)."""
_OF_FIRST_RUN = ("journal", "resume", "reports")
"""Options that are not repeated. The campaign that continues would overwrite the reports."""


def recorded(path: str, contract: str | None, options: FireOptions) -> Settings:
    """Returns the campaign of a journal, so that it can be resumed with `options`. `contract` is the folder of a
    changed contract. If the campaign used the built-in contract, `contract` is ignored.

    Raises `JournalError` if the journal is invalid, and `UsageError` if the campaign used a changed contract and
    `contract` is None.
    """
    head = journal.head_of(path)
    if unknown := head.keys() - _HEAD:
        raise JournalError(f"{path} has the unknown property {quoted(min(unknown))} in its first line: remove it")
    try:
        plan, now = Plan.of(head.get("plan")), time_of(head.get("judged_at"))
    except ValueError as problem:
        raise JournalError(
            f"{path} has an invalid first line ({problem}): use a journal that `brokerfuzz fire` wrote"
        ) from problem
    if plan.contract is not None:
        if contract is None:
            raise UsageError(
                f"the campaign of {path} used a changed contract: specify the folder of this contract with --contract"
            )
        plan = replace(plan, contract=contract)
    if plan.message_type not in plan.loaded_contract.message_types:
        raise JournalError(
            f"{path} has the message type {quoted(plan.message_type)}, which the contract lacks: specify the contract "
            "of the campaign with --contract"
        )
    policies, fresh, campaign_id = head.get("policies"), head.get("fresh"), str(head.get("campaign"))
    described: FireOptions = completed(FireOptions, options)
    described["now"] = now
    described["policies"] = policies if isinstance(policies, dict) else {}
    described["fresh"] = None if fresh is None else str(fresh)
    described["journal"] = path
    return Settings(
        plan=plan,
        options=described,
        campaign_id=campaign_id if CAMPAIGN_ID.fullmatch(campaign_id) else new_campaign_id(),
        resume=True,
    )


def continuing_command(journal: str, params: Mapping[str, Any], from_journal: list[str], secrets: Secrets) -> str:
    """`params` are the words of the command line, and `from_journal` are the options that the journal contains.
    Environment variables replace secrets.
    """
    words = ["brokerfuzz", "fire"]
    if params["url"] is not None:
        words.append(params["url"])
    words += ["--resume", journal]
    words += _options({name: value for name, value in params.items() if name not in (*from_journal, *_OF_FIRST_RUN)})
    return " ".join(_quoted(word, secrets) for word in words)


def _options(params: Mapping[str, Any]) -> Iterator[str]:
    for name, option in declared(FireCommandOptions).items():
        value = None if option.flags == () else params.get(name)
        if isinstance(value, bool):
            yield flag_of(name, option)
        elif value is not None:
            for item in value if option.many else [value]:
                yield from (flag_of(name, option), item)


def _quoted(word: str, secrets: Secrets) -> str:
    described = secrets.described(word)
    return shlex.quote(word) if described == word and word.isprintable() else shell_quoted(described)
