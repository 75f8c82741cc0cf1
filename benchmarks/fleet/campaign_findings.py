"""Runs campaigns against the fleet. Measures how often the findings name the rule or the site of the bug."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from benchmarks.fleet.fleet import conforming
from benchmarks.fleet.messages import Behaviour, Message, Reader
from benchmarks.fleet.mutants import KINDS, Mutant
from benchmarks.fleet.plain_messages import Ground
from brokerfuzz.campaign import Options, fire
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import Answer

MOST_FINDINGS = 4
MOST_SHRINKING = 60
"""The maximum number of requests for shrinking a finding."""
_STATUS = {"accepted": 200, "rejected": 400, "crashed": 500}


class InProcess:
    def __init__(self, name: str, behaviour: Behaviour, reader: Reader, read: dict[bytes, Message]) -> None:
        self.name = name
        self._behaviour = behaviour
        self._reader = reader
        self._read = read

    async def open(self) -> None:
        pass

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        kind = self._behaviour(self._read.get(body) or self._reader(body))
        return Answer(kind, _STATUS[kind], reason=f"status {_STATUS[kind]}")

    async def close(self) -> None:
        pass

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return True

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        return self.name


@dataclass(frozen=True)
class Flagged:
    mutant: Mutant
    findings: tuple[Finding, ...]

    @property
    def names_rule(self) -> bool | None:
        """Returns None if the bug does not concern exactly one rule."""
        return any(self.mutant.rule == reason.rule for f in self.findings for reason in f.reasons) if self.mutant.rule else None

    @property
    def names_site(self) -> bool | None:
        """Returns True if a finding names the site of the bug, or a place below this site. Returns None if the bug does not concern
        exactly one site.
        """
        if not self.mutant.site:
            return None
        places = [place for f in self.findings for place in (*f.places, *(reason.at for reason in f.reasons))]
        return any(_site(place).startswith(self.mutant.site) for place in places)


def _site(pointer: str) -> str:
    return "".join("[]" if step.isdigit() else f".{step}" for step in pointer.split("/")[1:]).removeprefix(".")


def flagged(mutants: Sequence[Mutant], cases: Sequence[Case], now: datetime) -> list[Flagged]:
    reader = Reader(load_contract(), now)
    read = {case.body: reader(case.body) for case in cases}
    return [Flagged(mutant, _findings(InProcess(mutant.name, mutant.behaviour, reader, read), cases, now)) for mutant in mutants]


def false_alarms(cases: Sequence[Case], now: datetime) -> tuple[Finding, ...]:
    """Returns the findings of a campaign against the service without a bug. The result should be empty."""
    ground = Ground(load_contract(), now)
    return _findings(InProcess("conforming", conforming(ground), ground.reader, {}), cases, now)


def _findings(target: InProcess, cases: Sequence[Case], now: datetime) -> tuple[Finding, ...]:
    options = Options(now=now, max_findings=MOST_FINDINGS, shrink_requests=MOST_SHRINKING, concurrency=1)
    return fire(cases, target, options).findings


def report(mutants: Sequence[Mutant], cases: Sequence[Case], now: datetime) -> str:
    """The columns `naming the rule` and `naming the site` count only mutants with findings."""
    found = flagged(mutants, cases, now)
    rows = [_row(kind, [one for one in found if one.mutant.kind == kind]) for kind in KINDS]
    head = f"  {'':<12}  {'services':>8}  {'found':>6}  {'naming the rule':>16}  {'naming the site':>16}"
    title = f"Findings of campaigns against {len(found)} services with one bug each (against the conforming service: {len(false_alarms(cases, now))})"
    return "\n".join([title, head, *rows, _row("all", found)])


def _row(name: str, fired: Sequence[Flagged]) -> str:
    found = [one for one in fired if one.findings]
    of_rules = [one.names_rule for one in found if one.names_rule is not None]
    of_sites = [one.names_site for one in found if one.names_site is not None]
    shares = (f"{sum(named)} of {len(named)}" for named in (of_rules, of_sites))
    return f"  {name:<12}  {len(fired):>8}  {len(found):>6}  {'  '.join(f'{words:>16}' for words in shares)}"
