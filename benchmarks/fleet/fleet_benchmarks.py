"""The benchmarks of the fleet."""

from collections.abc import Mapping
from datetime import UTC, datetime

from benchmarks.fleet import campaign_findings
from benchmarks.fleet.brokerfuzz_side import cases
from benchmarks.fleet.fleet import fleet as mutants
from benchmarks.fleet.messages import Message, Reader
from benchmarks.fleet.reports import side_by_side, survivors
from benchmarks.fleet.schemathesis_side import Sent, brokerfuzz, schemathesis
from benchmarks.fleet.scoring import Score, score
from brokerfuzz.schemas import load_contract

EVERY = 5
"""A campaign against every mutant takes minutes: every so-many-th has to do."""


def fleet() -> str:
    """How fast the catalogue tells services with one bug each from the conforming one: some of everything, and every mutation at every site."""
    now = datetime.now(UTC)
    reader = Reader(load_contract(), now)
    messages = [reader(case.body) for case in cases(now)]
    scores = {name: score(mutants(now, whole=whole), messages) for name, whole in (("the fleet", False), ("all at every site", True))}
    tables = [side_by_side({name: one}) for name, one in scores.items()]
    return "\n\n".join(["Services with one bug each, told from the conforming one by the catalogue", *tables, survivors(scores["the fleet"])])


def fleet_schemathesis() -> str:
    """The same beside Schemathesis: what each tool's command line sends to a conforming service, scored alike."""
    sent = {
        "brokerfuzz fire": brokerfuzz(),
        "schemathesis run": schemathesis(),
        "schemathesis run -n 1000": schemathesis("--max-examples", "1000"),
    }
    now = datetime.now(UTC)
    services = mutants(now)
    scores = {name: score(services, _read(one, now)) for name, one in sent.items()}
    return "\n".join(["Services with one bug each, told from the conforming one", side_by_side(scores, _costs(sent, scores))])


def _read(sent: Sent, now: datetime) -> list[Message]:
    reader = Reader(load_contract(), now)
    return [reader(body) for body in sent.bodies]


def _costs(sent: Mapping[str, Sent], scores: Mapping[str, Score]) -> Mapping[str, Mapping[str, str]]:
    return {
        "requests": {name: f"{one.requests:,}" for name, one in sent.items()},
        "seconds, start to end": {name: f"{one.seconds:.1f}" for name, one in sent.items()},
        "told apart a second": {name: f"{scores[name].told / one.seconds:.0f}" for name, one in sent.items()},
    }


def fleet_flagged() -> str:
    """What campaigns say of some of the fleet: whether there is a finding, and whether it names the rule and the site."""
    now = datetime.now(UTC).replace(microsecond=0)
    return campaign_findings.report(mutants(now)[::EVERY], cases(now), now)
