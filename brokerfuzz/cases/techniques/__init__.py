"""Techniques: the ways of breaking a rule, a module a kind. CONTRIBUTING says how to add one.

Some faults that fuzzers of other formats inject break no rule of this contract. What it leaves open is a probe of that ambiguity
(`cases.probes`): properties and items twice, sizes, encodings and what else RFC 8259 leaves open, 1.0 for an integer, spellings of time (an
offset among them), schedules and addresses, a minimum above its maximum. What it permits is a valid edge: properties in another order, texts of any
characters, injections, negative prices, empty texts where no length is given. A body of `{}` breaks the rule of every required property
at once, and a name that is no Unicode is not one that a change can add: neither is the fault of one technique. Nesting is not
silent: no value that may be there is deeper than the schema, and deeper ones break its types. How messages go (methods, headers) is
`cases.requests`.
"""

from brokerfuzz.cases.techniques import bounds, clock, coercions, enumerations, other_types, presence_and_length, spellings, unknown_properties, wire
from brokerfuzz.cases.techniques.registry import TECHNIQUES, Spot, Technique, breaks, enter, family_of, known_techniques, techniques_for

__all__ = [
    "TECHNIQUES",
    "Spot",
    "Technique",
    "bounds",
    "breaks",
    "clock",
    "coercions",
    "enter",
    "enumerations",
    "family_of",
    "known_techniques",
    "other_types",
    "presence_and_length",
    "spellings",
    "techniques_for",
    "unknown_properties",
    "wire",
]
