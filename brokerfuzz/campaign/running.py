"""Runs a campaign with everything that it needs: its journal, the answers in it, and workers."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from brokerfuzz import workers
from brokerfuzz.campaign.exchanges import KnownAnswers
from brokerfuzz.campaign.firing import Campaign, OnProgress
from brokerfuzz.campaign.journal import Journal, exchanges
from brokerfuzz.campaign.outcome import Stop
from brokerfuzz.campaign.results import Result
from brokerfuzz.campaign.settings import Settings
from brokerfuzz.targets import Target, threads


def fire(settings: Settings, target: Target, on_progress: OnProgress | None = None) -> Result:
    """Runs a campaign until it ends or Ctrl-C is pressed, and returns the result.

    Raises `TargetError` if the target cannot be reached, and `WorkerError` if the workers cannot be started. Raises
    `BaselineError` or `JournalError` if the baseline or the journal cannot be used.
    """
    with _campaign(settings, target, on_progress) as campaign:
        try:
            threads.run(campaign.run())
        except (KeyboardInterrupt, asyncio.CancelledError):
            campaign.stop = Stop("interrupted", "interrupt")
        return campaign.result()


async def fire_here(settings: Settings, target: Target, on_progress: OnProgress | None = None) -> Result:
    with _campaign(settings, target, on_progress) as campaign:
        await campaign.run()
        return campaign.result()


@contextmanager
def _campaign(settings: Settings, target: Target, on_progress: OnProgress | None) -> Iterator[Campaign]:
    with ExitStack() as stack:
        known, path = KnownAnswers(), settings.journal
        journal = None if path is None else stack.enter_context(closing(_journal(path, settings, target)))
        if path is not None and settings.resume:
            known = KnownAnswers(exchanges(path))
        pool = stack.enter_context(workers.started(settings.options["workers"])) if settings.uses_workers else None
        yield Campaign(settings, target, on_progress, known=known, journal=journal, pool=pool)


def _journal(path: str, settings: Settings, target: Target) -> Journal:
    return Journal.continued(path) if settings.resume else Journal.begun(path, settings.journal_head(target))
