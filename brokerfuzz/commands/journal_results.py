"""Reads the settings and the results of a campaign from its journal.

Somebody else may have written the journal. So only the journal determines which cases the campaign contains and how they are judged.
The target, the contract and all files come from the command line or the configuration.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from brokerfuzz.campaign import Result
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.schemas import Policies
    from brokerfuzz.schemas.headers import Headers
    from brokerfuzz.targets import Answer


@dataclass(frozen=True)
class Recorded:
    """The settings of a campaign, from its journal. `now` is the time that counts as the present (None: the actual time)."""

    path: str
    plan: "Plan"
    now: datetime | None
    policies: "Policies"
    campaign_id: str | None


def recorded(path: str, contract: str | None) -> Recorded:
    """Reads the first line of a journal. `contract` is the folder of a changed contract; it is not used if the campaign used the
    built-in one.

    Raises `JournalError`, and `UsageError` if the campaign used a changed contract and the user gives none.
    """
    from brokerfuzz.campaign import journal
    from brokerfuzz.cases.plan import Plan, time_of
    from brokerfuzz.errors import JournalError
    from brokerfuzz.targets.trace_headers import CAMPAIGN_ID

    head = journal.head_of(path)
    try:
        plan, now = Plan.of(head.get("plan")), time_of(head.get("judged_at"))
    except ValueError as problem:
        raise JournalError(f"{path} has an invalid first line ({problem}): use a journal that `brokerfuzz fire` wrote") from problem
    if plan.contract is not None:
        if contract is None:
            raise click.UsageError(
                f"the campaign of {path} used a changed contract: specify the folder of this contract with --contract", click.get_current_context()
            )
        plan = replace(plan, contract=contract)
    policies = head.get("policies")
    campaign_id = str(head.get("campaign"))
    return Recorded(
        path,
        plan,
        now,
        plan.demands.check_policies(policies if isinstance(policies, dict) else {}),
        campaign_id if CAMPAIGN_ID.fullmatch(campaign_id) else None,
    )


def about(plan: "Plan", now: datetime | None, campaign_id: str | None, description: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of the report that describes the settings of the campaign."""
    spelled = now.isoformat().replace("+00:00", "Z") if now else None
    return {"message": plan.message_type, "seed": plan.seed if plan.count != 0 else None, "now": spelled, "campaign": campaign_id, **description}


def outcome(known: Recorded) -> "Result":
    """Returns the result of the cases whose answers are in the journal. No requests are sent."""
    from brokerfuzz.campaign import Campaign, Options, Recalled, run
    from brokerfuzz.campaign.journal import Key
    from brokerfuzz.cases.catalogue import plain_messages
    from brokerfuzz.errors import JournalError

    plain = plain_messages(known.plan.message_type, contract=known.plan.demands)
    options = Options(now=known.now, contract=known.plan.demands, policies=known.policies, repeats=True, plain=plain)
    with closing(Recalled(known.path)) as recalled:
        shards = takewhile(lambda shard: shard <= recalled.last, known.plan.shards())  # the shards of some plans never end
        cases = ((number, case) for shard in shards for number, case in known.plan.cases(shard) if recalled.has(Key("case", number)))
        result = run(Campaign(cases, _NoTarget(), options, recalled=recalled, sends=False))
    if result.stop is not None and result.stop.cause == "journal":
        raise JournalError(result.stop.reason)
    return result


class _NoTarget:
    """Replaces the target of a journal. brokerfuzz sends nothing to it."""

    name = "the target of the journal"

    async def open(self) -> None:
        """Does nothing."""

    async def send(self, body: bytes, headers: "Headers" = ()) -> "Answer":
        """Raises `NotImplementedError`, because brokerfuzz sends nothing to this target."""
        raise NotImplementedError

    def can_send(self, body: bytes, headers: "Headers" = ()) -> bool:
        """Returns True."""
        return True

    async def close(self) -> None:
        """Does nothing."""

    def reproduction(self, body: bytes, headers: "Headers" = ()) -> str:
        """Returns a placeholder, because a journal does not say how to reach its target."""
        return "use `brokerfuzz replay` with the journal and the target"
