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
"""The benchmark runs campaigns against every fifth mutant, because campaigns against all mutants would take minutes."""


def fleet() -> str:
    """Counts the mutants that the messages of the catalogue kill. The second table has a mutant for every mutation at every site."""
    now = datetime.now(UTC)
    reader = Reader(load_contract(), now)
    messages = [reader(case.body) for case in cases(now)]
    scores = {name: score(mutants(now, whole=whole), messages) for name, whole in (("the fleet", False), ("every mutation at every site", True))}
    tables = [side_by_side({name: one}) for name, one in scores.items()]
    return "\n\n".join(["Mutants (services with one bug each) killed by the catalogue", *tables, survivors(scores["the fleet"])])


def fleet_schemathesis() -> str:
    """Compares `brokerfuzz fire` with `schemathesis run`. Each command sends messages to a correct service. The score counts the
    mutants that would give a wrong answer to one of these messages.
    """
    sent = {
        "brokerfuzz fire": brokerfuzz(),
        "schemathesis run": schemathesis(),
        "schemathesis run -n 1000": schemathesis("--max-examples", "1000"),
    }
    now = datetime.now(UTC)
    services = mutants(now)
    scores = {name: score(services, _read(one, now)) for name, one in sent.items()}
    return "\n".join(["Mutants (services with one bug each) killed", side_by_side(scores, _costs(sent, scores))])


def _read(sent: Sent, now: datetime) -> list[Message]:
    reader = Reader(load_contract(), now)
    return [reader(body) for body in sent.bodies]


def _costs(sent: Mapping[str, Sent], scores: Mapping[str, Score]) -> Mapping[str, Mapping[str, str]]:
    return {
        "requests": {name: f"{one.requests:,}" for name, one in sent.items()},
        "seconds in total": {name: f"{one.seconds:.1f}" for name, one in sent.items()},
        "killed per second": {name: f"{scores[name].killed / one.seconds:.0f}" for name, one in sent.items()},
    }


def fleet_flagged() -> str:
    """Runs a campaign against every fifth mutant. Counts the findings that name the rule and the site of the mutant's bug."""
    now = datetime.now(UTC).replace(microsecond=0)
    return campaign_findings.report(mutants(now)[::EVERY], cases(now), now)
