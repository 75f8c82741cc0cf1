"""Reads the settings and the results of a campaign from its journal."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from brokerfuzz.commands import target_options

if TYPE_CHECKING:
    from brokerfuzz.campaign import Result
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.schemas import Policies


@dataclass(frozen=True)
class Recorded:
    """The settings of a campaign, from its journal.

    `now` is the time that counts as the present (None: the actual time). `target_options` is None if they contain a secret.
    `target_description` describes the target without secrets.
    """

    path: str
    plan: "Plan"
    now: datetime | None
    policies: "Policies"
    target_options: Mapping[str, Any] | None
    target_description: Mapping[str, Any]
    target: str


def recorded(path: str) -> Recorded:
    from brokerfuzz.campaign import journal
    from brokerfuzz.cases.plan import Plan
    from brokerfuzz.errors import JournalError

    head = journal.head_of(path)
    try:
        now = head["judged_at"] and datetime.fromisoformat(head["judged_at"])
        plan = Plan.of(head["plan"])
        return Recorded(
            path,
            plan,
            now,
            plan.demands.check_policies(head["policies"]),
            head["target_options"],
            dict(head["target_description"]),
            str(head["target"]),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise JournalError(
            f"{path} has an invalid first line ({type(problem).__name__}: {problem}): use a journal that `brokerfuzz fire` wrote"
        ) from problem


def about(plan: "Plan", now: datetime | None, description: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the part of the report that describes the settings of the campaign."""
    spelled = now.isoformat().replace("+00:00", "Z") if now else None
    return {"message": plan.message_type, "seed": plan.seed if plan.count != 0 else None, "now": spelled, **description}


def outcome(known: Recorded) -> "Result":
    """Returns the result of the cases whose answers are in the journal. It sends no requests."""
    from brokerfuzz.campaign import Campaign, Options, Recalled, run
    from brokerfuzz.campaign.journal import Key
    from brokerfuzz.cases.catalogue import plainest

    plain = plainest(known.plan.message_type, contract=known.plan.demands)
    options = Options(now=known.now, contract=known.plan.demands, policies=known.policies, plain=plain)
    with closing(Recalled(known.path)) as recalled:
        shards = (shard for shard in known.plan.shards() if shard <= recalled.last)
        cases = ((number, case) for shard in shards for number, case in known.plan.cases(shard) if recalled.has(Key("case", number)))
        return run(Campaign(cases, target_options.described_target(known.target, known.target_description), options, recalled=recalled, sends=False))
