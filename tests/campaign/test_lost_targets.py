import asyncio
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hand_made_servers import response, serving
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.campaign import Campaign, Options, Recalled, Result, run, run_sharded
from brokerfuzz.campaign.journal import Journal, records
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.plan import Plan
from brokerfuzz.targets import HttpTarget
from brokerfuzz.workers import processes

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAN = Plan(message_type=PRICING, now=NOW, rules=("!*:json",), tags=("!probe:*",))
OPTIONS = Options(now=NOW, plain=plain_messages(PRICING), longest_wait=0.5, concurrency=4, shrink_requests=20)
EXPIRED = "now rejects an ordinary valid message that it accepted before (status 401)"
MOST = 300
"""The number of requests that the server answers as usual."""


class Service:
    """Answers like `lenient`. After `MOST` requests, the token expires, or the service stops answering (see `end`)."""

    def __init__(self, end: str) -> None:
        self.end, self.seen, self.late = end, 0, 0

    async def __call__(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        self.seen += 1
        if self.seen <= MOST or self.end == "never":
            writer.write(response(lenient(body)))
            return
        self.late += 1
        if self.end == "hangs":
            await asyncio.sleep(3600)
        writer.write(response(401, b'{"error":"token expired"}'))


def fired(service: Service, workers: int, journal: Path, *, resumed: bool = False) -> Result:
    writer = Journal.continued(journal) if resumed else Journal.begun(journal, {"journal": 2})
    with serving(service) as url, closing(writer):
        target = HttpTarget(url, timeout=3.0)
        recalled = Recalled(journal) if resumed else None
        if workers == 1:
            result = run(Campaign(PLAN.numbered(), target, OPTIONS, journal=writer, recalled=recalled))
        else:
            with processes(workers) as pool:
                campaign = Campaign((), target, OPTIONS, journal=writer, recalled=recalled)
                result = run_sharded(campaign, PLAN, pool, str(journal), recalled)
        if recalled is not None:
            recalled.close()
    return result


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Returns the result of a campaign whose target always answers."""
    return fired(Service("never"), 1, tmp_path_factory.mktemp("whole") / "run.ndjson")


@pytest.mark.parametrize(
    ("end", "reason", "workers"),
    [("expires", EXPIRED, 1), ("expires", EXPIRED, 2), ("hangs", "stopped answering", 2)],
)
@pytest.mark.rotated(3)
def test_a_campaign_that_loses_its_target_can_be_continued_without_a_difference(
    tmp_path: Path, whole: Result, end: str, reason: str, workers: int
) -> None:
    journal = tmp_path / "run.ndjson"
    service = Service(end)
    lost = fired(service, workers, journal)
    assert lost.outcome.state in ("partial", "untested")
    assert reason in lost.outcome.reason
    assert {finding.reasons[0].rule for finding in lost.findings if finding.kind != "stopped-answering"} <= {BUG}
    assert service.late < 60
    assert {record.answer.status for record in records(journal)} <= {200, 400}
    assert workers > 1 or lost.unproven <= OPTIONS.concurrency  # twins that were on their way when the target was lost
    resumed = fired(Service("never"), workers, journal, resumed=True)
    assert (resumed.counts, resumed.unproven, resumed.outcome.state) == (whole.counts, 0, "complete")
    assert [finding.fingerprint for finding in resumed.findings] == [finding.fingerprint for finding in whole.findings]
