"""Defines the techniques: the ways to break a rule. There is one module for each kind of technique. CONTRIBUTING.md explains how to
add a technique. Some faults that other fuzzers generate do not break exactly one rule of this contract, so they are not
techniques:

- If the contract leaves a question open, brokerfuzz sends a probe of the ambiguity (`cases.probes`). Examples are
  duplicate properties, encodings, 1.0 instead of an integer, and times with a time zone.
- If the contract allows the value, brokerfuzz sends a valid message. Examples are properties in another order,
  negative prices, and empty strings.
- The body `{}` breaks several rules at once. `FaultMaker.empty_object` generates this case.
- A property name that is not valid Unicode is impossible, because orjson cannot write such a name.
"""

from brokerfuzz.cases.techniques import bounds, clock, coercions, enumerations, other_types, presence_and_length, spellings, unknown_properties, wire
from brokerfuzz.cases.techniques.registry import (
    TECHNIQUES,
    FaultContext,
    Technique,
    breaks,
    family_of,
    known_techniques,
    register_technique,
    techniques_for,
)

__all__ = [
    "TECHNIQUES",
    "FaultContext",
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
