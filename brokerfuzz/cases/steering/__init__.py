"""Generates random cases without end. Rules, techniques, array items and other choices take turns: the choice that has waited longest
comes next. The cases depend only on the seed, the shard and the contract, not on the answers of the target. A resumed campaign
generates the same cases as the original campaign.
"""

from brokerfuzz.cases.steering.stream import steered_cases

__all__ = ["steered_cases"]
