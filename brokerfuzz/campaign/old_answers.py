"""Asks some messages again whose answers are in the journal of an earlier run. If the answers are different now, the
target has changed since then, so the journal says nothing about it.
"""

from collections import Counter

from brokerfuzz.campaign.known_identifiers import KnownIdentifiers
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.case import is_always_correct
from brokerfuzz.schemas import Contract
from brokerfuzz.targets.answers import AnswerKind

_SAMPLE = 10
"""The number of accepted messages, and of rejected messages, that are sent again: the first ones of the journal."""
_TRIES = 3
"""An answer is different only if it is so this many times in a row, because some targets sometimes fail."""
_COMPARED: tuple[AnswerKind, ...] = ("accepted", "rejected")


class OldAnswers:
    """The answers to cases from a journal. `count` is the number of cases that they answered in this run, and
    `asked_again` is the number of messages that got the same answer again.
    """

    def __init__(self, sender: Sender, known_identifiers: KnownIdentifiers, contract: Contract) -> None:
        self.count = 0
        self.asked_again = 0
        self._sender = sender
        self._known_identifiers = known_identifiers
        self._contract = contract
        self._sampled = Counter[AnswerKind]()

    async def difference(self, trial: Trial) -> str:
        """Counts an answer from the journal. If its case belongs to the sample, sends it again, and returns how the
        answer differs from the old one. Otherwise, returns an empty string, also for a wrong answer: the campaign
        repeats it later, and some targets sometimes fail.
        """
        case, old = trial.case, trial.answer
        if self._sender.known.cases.pop(trial.number, None) is None:
            return ""
        self.count += 1
        is_comparable = trial.contradiction is None and old.kind in _COMPARED
        if not is_comparable or self._sampled[old.kind] == _SAMPLE or not is_always_correct(case, self._contract):
            return ""
        self._sampled[old.kind] += 1
        answer = old
        for _ in range(_TRIES):
            answer = await self._sender.ask_anew(trial.number, case)
            if answer.kind == old.kind:
                self.asked_again += 1
                return ""
            if answer.kind not in _COMPARED:
                return ""
        if answer.kind == "rejected" and await self._known_identifiers.known_names(trial.number, case):
            return ""
        return f"message {case.id} was {old.kind}, and is now {answer.kind} ({answer.reason})"
