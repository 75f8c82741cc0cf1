"""Generates probes of ambiguities: messages that show how a target treats a question that the contract leaves open.
Usually, a program accepts some probes of an ambiguity and rejects others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain, islice
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case, confirmed, supported_time
from brokerfuzz.cases.case_tags import now_tag
from brokerfuzz.cases.changes import Put, apply
from brokerfuzz.cases.fault_wishes import joined, wishes_at
from brokerfuzz.generation import COMPLETE, NARROW, SMALLEST, Setting, Wish, Wishes, message
from brokerfuzz.generation.site_questions import fitting_sites
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.contract_entries import AskedSite
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.questions import AboutBytes, Question


class Probe(NamedTuple):
    """A value that touches the ambiguity if it is put at a place of a message. The name, such as `lower-case`,
    describes the value.
    """

    ambiguity: Ambiguity
    name: str
    message: Any
    steps: Steps
    value: Any


@dataclass(frozen=True)
class ProbeMaker:
    """Generates the unspecified cases of a message type. If `now` is None, there are no time-dependent cases."""

    contract: Contract
    message_type: MessageType
    now: datetime | None

    def of_ambiguity(self, ambiguity: Ambiguity, *, small: bool = False) -> Iterator[Case]:
        """Yields for each site the first probe, and each probe that was not yielded for an earlier site. With
        `small`, each is in the smallest message in which it is possible. Otherwise, each is in an ordinary message, and
        the sites with the most rules come first.
        """
        if not ambiguity.concerns(self.message_type):
            return
        yielded, sites = set[str](), self.sites(ambiguity)
        for asked in sites if small else sorted(sites, key=self._rules_at, reverse=True):
            names = [probe.name for probe in self.probes(ambiguity, asked, self._message(asked, COMPLETE))]
            for name in names:
                if name == names[0] or name not in yielded:
                    yielded.add(name)
                    yield from islice(self._cases_of_probe(ambiguity, asked, name, small=small), 1)

    def _cases_of_probe(self, ambiguity: Ambiguity, asked: AskedSite, name: str, *, small: bool) -> Iterator[Case]:
        """The messages have other identifiers for each probe, because a target may accept each only once."""
        settings = (replace(setting, name=f"{ambiguity.id} {name}") for setting in (NARROW, COMPLETE))
        usual_messages = (self._message(asked, setting) for setting in settings)
        for base in chain(self._small_messages(asked) if small else (), usual_messages):
            for probe in self.probes(ambiguity, asked, base):
                case = self.case(probe) if probe.name == name else None
                if case is not None:
                    yield case

    def _small_messages(self, asked: AskedSite) -> Iterator[Any]:
        """Yields messages with a value at the site: the smallest first, then those with one more property."""
        yield self._message(asked, SMALLEST)
        for prop in self.contract.sites[self.message_type][asked.path].properties.values():
            yield self._message(asked, SMALLEST, {prop.path: Wish(least=1)})

    def case(self, probe: Probe, *tags: str) -> Case | None:
        """Returns the case of a probe, or None if a changed contract forbids its message."""
        ambiguity = probe.ambiguity
        is_timed = probe.name in ambiguity.kind.timed
        now_tags = [now_tag(self.now)] if self.now is not None and is_timed else []
        return confirmed(
            self.message_type,
            apply(probe.message, probe.steps, Put(probe.value)),
            claim=ambiguity.id,
            tags=(f"probe:{ambiguity.id}", f"as:{probe.name}", *now_tags, *tags),
            now=self.now,
            contract=self.contract,
        )

    def _message(self, asked: AskedSite, setting: Setting, more: Wishes | None = None) -> Any:
        wishes = joined(wishes_at(self.contract, self.message_type, asked.path), more or {})
        return message(self.contract, self.message_type, setting, wishes)

    def _rules_at(self, asked: AskedSite) -> int:
        return sum(rule.site == asked.path for rule in self.contract.rules[self.message_type])

    def sites(self, ambiguity: Ambiguity) -> list[AskedSite]:
        if ambiguity.sites is not None:
            return fitting_sites(self.contract, self.message_type, ambiguity)
        kind = ambiguity.kind
        if kind.json_type is None:
            return [AskedSite("")]
        sites = self.contract.sites[self.message_type].values()
        free = [site for site in sites if not {"enum", KNOWN} & site.schema.keys()]
        fitting = [AskedSite(site.path) for site in free if types_of(site.schema) - {"null"} == {kind.json_type}]
        return fitting[:1] if issubclass(kind, AboutBytes) else fitting

    def probes(self, ambiguity: Ambiguity, asked: AskedSite, message: Any) -> Iterator[Probe]:
        """Yields the probes of an ambiguity that are possible at a site of the message."""
        site = self.contract.sites[self.message_type][asked.path]
        question = ambiguity.question_at(asked, site.schema)
        for steps, value in site.places(message)[:1]:
            # an own contract can allow values of other types at the sites of an ambiguity
            if ambiguity.sites is None or not question.python_types or isinstance(value, question.python_types):
                for name, unusual in question.probes(value, self.now):
                    yield Probe(ambiguity, name, message, steps, unusual)


@cache
def questions(
    contract: Contract, message_type: MessageType, without: tuple[type[Question], ...], *, has_clock: bool = True
) -> Sequence[tuple[Ambiguity, AskedSite]]:
    """Returns a pair for each ambiguity and each of its sites. Ambiguities whose kind is in `without` are omitted, and
    without a clock, also those that need the current time.
    """
    maker = ProbeMaker(contract, message_type, supported_time(None) if has_clock else None)
    possible = [
        ambiguity
        for ambiguity in contract.ambiguities
        if ambiguity.kind not in without and next(maker.of_ambiguity(ambiguity), None) is not None
    ]
    return [(ambiguity, asked) for ambiguity in possible for asked in maker.sites(ambiguity)]
