"""Techniques: the ways to break a rule, with one module for each kind. CONTRIBUTING.md explains how to add one.

Some faults that fuzzers for other formats inject do not break a rule of this contract. If the contract leaves the question open,
brokerfuzz sends a probe of that ambiguity (`cases.probes`) instead. Examples are duplicate properties and items, sizes, encodings
and other things that RFC 8259 leaves open, 1.0 for an integer, spellings of time (such as an offset), schedules, addresses, and a
minimum above its maximum. If the contract permits it, brokerfuzz sends a valid edge. Examples are properties in another order,
strings of any characters, injections, negative prices, and empty strings where there is no length limit.

Two faults do not fit one technique. A body of `{}` breaks the rules of all required properties at once. A property name that is
not valid Unicode cannot be added by a change. Deep nesting is not an ambiguity: a value that is deeper than the schema allows
breaks a type rule. `cases.requests` covers how messages are sent (methods, headers).
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
