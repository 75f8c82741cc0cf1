"""The random phase of a campaign: cases without end, steered to what has not been there yet.

Nothing is thrown away and drawn again: whatever can be chosen (a rule, a way to break it, a second rule to break besides, the item of an array, the
value of a property) takes turns, and what has waited longest comes next. What a stream gives depends on its seed, its shard and the contract
alone, never on answers, so that a campaign that was broken off makes the same cases again.
"""

from brokerfuzz.cases.steering.stream import steered_cases

__all__ = ["steered_cases"]
