"""The ledger of silences: what a target does where the contract does not say what it should."""

from dataclasses import dataclass, field

from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Silence, Verdict
from brokerfuzz.targets.answers import ANSWER_KINDS, AnswerKind


@dataclass
class Observed:
    """What was seen of one silence: how many messages got which answer, and the first message of each."""

    silence: Silence
    counts: dict[AnswerKind, int] = field(default_factory=lambda: dict.fromkeys(ANSWER_KINDS, 0))
    examples: dict[AnswerKind, Case] = field(default_factory=dict)

    @property
    def leaning(self) -> str:
        """`accepts`, `rejects`, `mixed`, or `unclear` where it did neither."""
        accepted, rejected = self.counts["accepted"], self.counts["rejected"]
        if accepted and rejected:
            return "mixed"
        return "accepts" if accepted else "rejects" if rejected else "unclear"


class Ledger:
    """Observations by silence.

    Only messages that break no rule tell of a silence, as others are refused anyway. One that touches several silences
    and is accepted tells of each; refused, it tells of none, for any of them may be why.
    """

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._by_silence: dict[str, Observed] = {}

    def observe(self, case: Case, verdict: Verdict, answer: AnswerKind) -> None:
        """Takes in the answer to an unspecified message."""
        touched = {entry.silence for entry in verdict.silences}
        if len(touched) == 1 or answer == "accepted":
            for silence_id in touched:
                observed = self._by_silence.get(silence_id)
                if observed is None:
                    observed = self._by_silence[silence_id] = Observed(self._contract.silence(silence_id))
                observed.counts[answer] += 1
                observed.examples.setdefault(answer, case)

    def in_order(self) -> list[Observed]:
        """The observations, in the contract's order of silences."""
        return [self._by_silence[silence.id] for silence in self._contract.silences if silence.id in self._by_silence]
