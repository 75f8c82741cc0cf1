"""Defines the techniques: the ways to break a rule. There is one module for each kind of technique. CONTRIBUTING.md explains
how to add a technique. A technique must break exactly one rule. So some changes that other fuzzers make are not techniques:

- Changes that the contract neither allows nor forbids: duplicate properties, encodings, 1.0 instead of an integer, and times
  with a time zone. brokerfuzz sends these messages as probes of ambiguities (`cases.probes`).
- Changes that the contract allows: properties in another order, negative prices, and empty strings. brokerfuzz sends these
  messages as valid messages.
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
