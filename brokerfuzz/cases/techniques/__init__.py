"""Techniques: the ways of breaking a rule, a module a kind. CONTRIBUTING says how to add one."""

from brokerfuzz.cases.techniques import bounds, clock, coercions, enumerations, other_types, spellings, structure, unknown_members, wire
from brokerfuzz.cases.techniques.registry import TECHNIQUES, Spot, Technique, breaks, enter, known_techniques, techniques_for

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
    "known_techniques",
    "other_types",
    "spellings",
    "structure",
    "techniques_for",
    "unknown_members",
    "wire",
]
