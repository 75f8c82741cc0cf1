"""Detects a target that accepts (almost) every invalid message, whatever rules it breaks. For example, it may not read
the messages. Then all accepted messages have the same cause, so they are one finding.
"""

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.observations import Observations

MANY_RULES = 10
"""If fewer rules were tested, the cases do not show that a target accepts everything."""
ALMOST = 0.9
EVERYTHING = "(almost) every invalid message"


def contradictions(seen: Observations) -> list[Finding]:
    """Returns the contradictions of a campaign, in the order of their cases."""
    every = seen.suspicions.in_order()
    accepted = [one for one in every if one.kind == "invalid-accepted"]
    invalid = sum(count for (label, _), count in seen.counts.items() if label == "invalid")
    rules = {rule for rule, _ in seen.rules}
    if not accepted or len(rules) < MANY_RULES or seen.counts["invalid", "accepted"] < ALMOST * invalid:
        return every
    smallest, *others = sorted(accepted, key=lambda one: len(one.body))
    everything = smallest.copy()
    everything.about = EVERYTHING
    for one in others:
        everything.merge(one)
    return [everything, *(one for one in every if one.kind != "invalid-accepted")]
