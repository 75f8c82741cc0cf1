"""Techniques: the ways to break a rule, with one module for each kind. CONTRIBUTING.md explains how to add one.

Some faults that other fuzzers use are not techniques here, because they break no single rule of this contract:

- If the contract leaves the question open, brokerfuzz sends a probe of that ambiguity (`cases.probes`). Examples are duplicate properties,
  encodings, 1.0 for an integer, and times with an offset.
- If the contract permits the value, brokerfuzz sends a valid edge. Examples are properties in another order, injections, negative prices,
  and empty strings without a length limit.
- A body of `{}` breaks the rules of all required properties at once. So it is a case of its own (`FaultMaker.empty_object`).
- A property name that is not valid Unicode cannot be added, because orjson cannot write it.

Deep nesting is a technique and not a probe: a value that is nested deeper than the schema allows breaks a rule about types.
`cases.requests` contains the cases about request headers.
"""

from brokerfuzz.cases.techniques import bounds, clock, coercions, enumerations, other_types, presence_and_length, spellings, unknown_properties, wire
from brokerfuzz.cases.techniques.registry import TECHNIQUES, Spot, Technique, breaks, family_of, known_techniques, register_technique, techniques_for

__all__ = [
    "TECHNIQUES",
    "Spot",
    "Technique",
    "bounds",
    "breaks",
    "clock",
    "coercions",
    "enumerations",
    "family_of",
    "known_techniques",
    "other_types",
    "presence_and_length",
    "register_technique",
    "spellings",
    "techniques_for",
    "unknown_properties",
    "wire",
]
