"""The random phase of a campaign: endless cases, steered towards what has not been tested yet.

No case is drawn and discarded. Everything that can be chosen takes turns, and the choice that has waited longest comes next: a
rule, a technique to break it, a second rule to break, an array item, or a property's value. A stream depends only on its seed,
its shard and the contract, never on answers. So a resumed campaign generates the same cases again.
"""

from brokerfuzz.cases.steering.stream import steered_cases

__all__ = ["steered_cases"]
