"""Finds out whether a target rejects some valid messages only sometimes, although no other message is under way. For
example, one of several instances of a service may have an old version.

A target that rejects messages only while others are under way is overloaded, which is no finding.
"""

from collections.abc import Sequence
from itertools import cycle, islice
from time import monotonic
from typing import Final

from brokerfuzz.campaign.causes.laboratory import Laboratory
from brokerfuzz.campaign.proof import Trial
from brokerfuzz.campaign.sending import Sender

_FEW: Final = 3
"""The minimum number of rejected messages, and of their rejections alone."""
_MOST_MESSAGES: Final = 100
"""The number of rejected messages that are sent again. Most of them may be rejected for a reason."""
_ENOUGH_ACCEPTED: Final = 20
_MOST_REPETITIONS: Final = 300


async def answers_differ(trials: Sequence[Trial], laboratory: Laboratory) -> bool:
    """Sends rejected valid messages again, one at a time. Those that are accepted now are repeated, until they are
    rejected often enough, or until the time for repetitions is over. Raises `TargetLostError`.
    """
    rejected = [trial for trial in trials if trial.contradiction == "valid-rejected"]
    if len(rejected) < _FEW:
        return False
    rejected.sort(key=lambda trial: trial.number)
    repeated = rejected[:: -(-len(rejected) // _MOST_MESSAGES)]
    accepted: list[Trial] = []
    for trial in repeated:
        is_over = monotonic() > laboratory.repetitions.deadline or len(accepted) == _ENOUGH_ACCEPTED
        if not is_over and await _answer(trial, laboratory.sender) == "accepted":
            accepted.append(trial)
    rejections = 0
    for trial in islice(cycle(accepted), _MOST_REPETITIONS):
        if monotonic() > laboratory.repetitions.deadline:
            break
        rejections += await _answer(trial, laboratory.sender) == "rejected"
        if rejections == _FEW:
            return True
    return False


async def _answer(trial: Trial, sender: Sender) -> str:
    answer = await sender.ask("alone", trial.number, trial.case, again=True)
    return answer.kind
