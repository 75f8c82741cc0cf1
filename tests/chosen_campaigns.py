"""Runs campaigns with chosen cases, which `brokerfuzz.fire` generates from a plan."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from brokerfuzz.campaign import Campaign, Result, Settings, Stop
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.targets import Target, threads

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


def fired(
    cases: Iterable[Case],
    target: Target,
    *,
    plain: tuple[Case, ...] = (),
    now: datetime | None = NOW,
    contract: Contract | None = None,
    **options: Any,
) -> Result:
    """`plain` are the ordinary valid messages with which the campaign begins."""
    known = contract or load_contract()
    values = None if known.values is None else known.values.text
    folder = None if known.folder == load_contract().folder else str(known.folder)
    settings = Settings(
        plan=Plan(message_type="offer-creation-request", now=now, case_set="random", contract=folder, values=values),
        options=completed(FireOptions, {**options, "now": now}),
    )
    settings.__dict__["plain"] = plain
    campaign = Campaign(settings, target, cases=enumerate(cases))
    try:
        threads.run(campaign.run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        campaign.stop = Stop("interrupted", "interrupt")
    return campaign.result()
