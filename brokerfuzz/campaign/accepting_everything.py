"""Detects a target that accepts everything, for example because it does not read the message.

Such a target accepts nearly all invalid messages, and also `{}` and text that is not JSON. Then all accepted invalid
messages have the same cause, so they are one finding.
"""

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer

_FEW = 8
"""So few contradictions are not combined, because people can read them, and their rules may be the ones that the user
asked for.
"""
_ACCEPTED_PER_REJECTED = 10
"""At least this number of invalid messages must be accepted for each one that is not. For example, a framework may
reject headers.
"""
_BODIES = (b"{}", b"not JSON")
EVERYTHING = "{} and text that is not JSON"


async def merged(suspicions: list[Finding], seen: Observations, sender: Sender, judge: Judge) -> list[Finding]:
    """If the target accepts everything, combines all accepted invalid messages into one contradiction."""
    accepted = [one for one in suspicions if one.kind == "invalid-accepted"]
    answers = [count for (label, _), count in seen.counts.items() if label == "invalid"]
    others = sum(answers) - seen.counts["invalid", "accepted"]
    if len(accepted) <= _FEW or others * _ACCEPTED_PER_REJECTED > sum(answers):
        return suspicions
    message_type = accepted[0].case.message_type
    cases = [Case(message_type, body, judge.of(accepted[0].case, body)) for body in _BODIES]
    answer: Answer | None = None
    for case in cases:
        try:
            answer = await sender.ask("everything", 0, case)
        except (TargetLostError, UnsendableError):
            return suspicions
        if answer.kind != "accepted":
            return suspicions
    assert answer is not None, "there are two messages"
    count = sum(one.count for one in accepted)
    everything = Finding(
        "invalid-accepted", cases[-1], accepted[0].index, cases[-1].verdict, answer, count, about=EVERYTHING
    )
    return [everything, *(one for one in suspicions if one.kind != "invalid-accepted")]
