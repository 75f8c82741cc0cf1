"""Decodes random cases from bytes: valid messages, messages with a fault, and probes of ambiguities.

The first bytes select the kind of case, the rule, the technique and the place. The other bytes determine the message. Zeros give
the simplest message and the first technique.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case import Case, clock, compact
from brokerfuzz.cases.changes import apply, places
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import schema_with_place
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.techniques import Technique
from brokerfuzz.contract_names import LABELS
from brokerfuzz.decoder import Read, Seeded, Source, compile_decoder
from brokerfuzz.schemas import Ambiguity, Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.flattening import Schema

_SHARES: dict[Label, int] = {"valid": 4, "invalid": 5, "unspecified": 1}
"""The share of each verdict among the random cases, in tenths."""
_HEADER = 7
_TOO_LARGE = ("message_size",)  # such a case is a megabyte long, so only the catalogue contains one
TAG = "random"


@dataclass(frozen=True, eq=False)
class CaseDecoder:
    """Decodes cases of one message type from bytes. Use `case_decoder` to create a decoder.

    `rules` and `techniques` limit the faults, and `labels` limits the verdicts.
    """

    contract: Contract
    message_type: MessageType
    labels: tuple[Label, ...]
    rules: tuple[Rule, ...]
    techniques: frozenset[str] | None
    _decoders: dict[str, Read] = field(default_factory=dict, repr=False)
    _makers: dict[bool, FaultMaker] = field(default_factory=dict, repr=False)

    def read(self, source: Source, now: datetime | None) -> Case:
        """Decodes the next case. If `now` is None, the case is not about the clock."""
        header = source.take(_HEADER)
        kinds = [label for label in self.labels for _ in range(_SHARES[label])]
        kind = kinds[header[0] % len(kinds)]
        if kind == "valid":
            return Case.judged(self.message_type, compact(self._message("", source)), claim="valid", tags=(TAG,), now=now, contract=self.contract)
        return self._fault(header, source, now) if kind == "invalid" else self._probe(header, source, now)

    # --------------------------------------------------------------------------------------------------- faults

    def _fault(self, header: bytes, source: Source, now: datetime | None) -> Case:
        maker = self.faults(now)
        rule = self.rules[int.from_bytes(header[1:3]) % len(self.rules)]
        techniques = self.techniques_for(rule, maker)
        place = f"{rule.site}@{rule.condition.label if rule.condition else ''}"  # rules at the same place use the same decoder
        message = self._message(place, source, lambda: maker.breakable_schema(rule))
        found = places(message, rule.site)
        steps = found[header[4] % len(found)]
        for number in range(len(techniques)):
            case = maker.broken(message, steps, rule, techniques[(header[3] + number) % len(techniques)], (TAG,))
            if case is not None:
                return case
        plain = maker.case(rule, techniques[0])
        assert plain is not None, "this is a bug: the technique does not break its rule in a simple message"
        return plain

    def techniques_for(self, rule: Rule, maker: FaultMaker) -> list[Technique]:
        return [technique for technique in maker.techniques(rule) if self.techniques is None or technique.name in self.techniques]

    def faults(self, now: datetime | None) -> FaultMaker:
        """Returns the maker of faults for this time. Several makers share the messages that they have built."""
        if (now is None) not in self._makers:
            self._makers[now is None] = FaultMaker(self.contract, self.message_type, now)
        return replace(self._makers[now is None], now=now)

    # --------------------------------------------------------------------------------------------------- probes

    def _probe(self, header: bytes, source: Source, now: datetime | None) -> Case:
        maker = ProbeMaker(self.contract, self.message_type, now)
        questions = _questions(self.contract, self.message_type, now is not None)
        ambiguity, site = questions[int.from_bytes(header[1:3]) % len(questions)]
        path = maker.path(site)
        message = self._message(path, source, lambda: schema_with_place(self.contract, self.message_type, path))
        probes = list(maker.probes(ambiguity, site, message))
        if not probes:
            return next(maker.of_ambiguity(ambiguity))
        name, steps, change = probes[header[3] % len(probes)]
        case = maker.case(ambiguity, name, apply(message, steps, change)) or next(maker.of_ambiguity(ambiguity))
        return replace(case, tags=(*case.tags, TAG))

    # -------------------------------------------------------------------------------------------------- messages

    def _message(self, key: str, source: Source, narrowed: Callable[[], Schema] | None = None) -> Any:
        if key not in self._decoders:
            self._decoders[key] = compile_decoder(self.contract, self.message_type, narrowed=narrowed() if narrowed else None)
        return self._decoders[key](source)


@lru_cache(maxsize=16)
def _questions(contract: Contract, message_type: MessageType, has_clock: bool) -> Sequence[tuple[Ambiguity, Any]]:
    """Returns each ambiguity with each site where a message can touch it."""
    maker = ProbeMaker(contract, message_type, clock(None) if has_clock else None)
    ambiguities = [s for s in contract.ambiguities if s.detector not in _TOO_LARGE and next(maker.of_ambiguity(s), None) is not None]
    return [(ambiguity, site) for ambiguity in ambiguities for site in maker.sites(ambiguity)]


@lru_cache(maxsize=64)
def case_decoder(
    contract: Contract,
    message_type: MessageType,
    labels: tuple[Label, ...] = LABELS,
    rules: tuple[Rule, ...] | None = None,
    techniques: frozenset[str] | None = None,
) -> CaseDecoder:
    """Returns a decoder for cases with these verdicts, rules and techniques. None selects all verdicts, rules and techniques.

    The decoder ignores a rule that no selected technique can break.
    """
    decoder = CaseDecoder(contract, message_type, labels, rules or contract.rules[message_type], techniques)
    maker = decoder.faults(clock(None))
    breakable = tuple(rule for rule in decoder.rules if decoder.techniques_for(rule, maker))
    return replace(decoder, rules=breakable)


def random_cases(
    message_type: MessageType,
    seed: int,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Case]:
    """Yields random cases without end. The same seed gives the same cases, except for values that depend on `now`.

    If `now` is None, there are no cases about the clock, so every verdict is true at every supported time. The twin of an invalid
    case is its attribute `twin`; it is not a case of its own.
    """
    decoder = case_decoder(contract or load_contract(), message_type, tuple(label for label in LABELS if label in verdicts))
    source, instant = Seeded(seed), None if now is None else clock(now)
    while True:
        yield decoder.read(source, instant)
