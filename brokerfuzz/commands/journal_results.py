"""Reads the settings and the results of a campaign from its journal.

A journal may come from a person whom you do not trust. For this reason, brokerfuzz takes only the cases, their answers,
and the settings for judging them from the journal. The target, the contract and all files come from the command line or
the configuration.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from brokerfuzz.campaign import Campaign, Result, Settings, journal
from brokerfuzz.campaign.exchanges import KnownAnswers
from brokerfuzz.campaign.settings import CAMPAIGN_ID, new_campaign_id
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import STRIDE, Plan, time_of
from brokerfuzz.commands.output import UsageError
from brokerfuzz.errors import JournalError, quoted
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.reports import json_document
from brokerfuzz.reports.report_files import read_report
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import Answer, Message, Target, threads

CASE_ID = re.compile("[0-9a-f]{16}")
_HEAD = frozenset({"journal", "brokerfuzz", "started", "campaign", "target", "plan", "policies", "fresh", "judged_at"})
"""The properties of the first line of a journal (see `Settings`)."""


def recorded(path: str, contract: str | None, options: FireOptions | None = None) -> Settings:
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
    if plan.message_type not in plan.demands.message_types:
        raise JournalError(
            f"{path} has the message type {quoted(plan.message_type)}, which the contract lacks: specify the contract "
            "of the campaign with --contract"
        )
    policies, fresh, campaign_id = head.get("policies"), head.get("fresh"), str(head.get("campaign"))
    described: FireOptions = completed(FireOptions, options or {})
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


def recorded_document(path: str, contract: str | None) -> tuple[dict[str, Any], Settings | None]:
    """Returns the document of a JSON report or of a journal, and the settings in a journal."""
    if Path(path).suffix == ".json":
        return read_report(path), None
    settings = recorded(path, contract)
    return json_document.document(_outcome(path, settings), settings.about(), settings.plan.demands), settings


def _outcome(path: str, settings: Settings) -> Result:
    known = KnownAnswers(journal.exchanges(path))
    options: FireOptions = {**settings.options, "longest_wait": 0.0, "max_time": None}
    campaign = Campaign(
        replace(settings, options=options),
        _RecordedTarget(known),
        cases=_recorded_cases(settings.plan, known),
        known=known,
    )
    threads.run(campaign.run())
    result = campaign.result()
    if result.stop is not None and result.stop.cause == "journal":
        raise JournalError(result.stop.reason)
    return result


def _recorded_cases(plan: Plan, known: KnownAnswers) -> Iterator[tuple[int, Case]]:
    last = max(known.cases, default=-1) // STRIDE
    for part in takewhile(lambda part: part <= last, plan.shards()):  # some plans have an infinite number of parts
        yield from ((number, case) for number, case in plan.cases(part) if number in known.cases)


class _RecordedTarget(Target):
    """Replaces the target while brokerfuzz only reads a journal and sends nothing."""

    name = "the target of the journal"

    def __init__(self, known: KnownAnswers) -> None:
        self._known = known

    async def send(self, message: Message) -> Answer:
        """Returns the answer to a plain message. The campaign knows all other answers in the journal."""
        answer = self._known.answer("plain", message.case_id)
        if answer is None:
            raise TargetLostError("the journal contains no further answers", Answer("timeout"), sent=False)
        return answer

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return True

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns advice instead of a command, because a journal does not say how to reach its target."""
        return "use `brokerfuzz replay` with the journal and the target"
