"""The random phase of a campaign: endless cases, steered towards what has not been tested yet.

brokerfuzz does not draw cases only to discard them. All choices take turns: rules, techniques, second rules to break, array items,
and the values of properties. The choice that has waited longest comes next. A stream depends only on its seed, its shard and the
contract, never on the target's answers. So a resumed campaign generates the same cases again.
"""

from brokerfuzz.cases.steering.stream import steered_cases

__all__ = ["steered_cases"]
