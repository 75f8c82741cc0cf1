"""Defines the techniques: the ways to break a rule. There is one module for each kind of technique. CONTRIBUTING.md
explains how to add a technique. A technique must break exactly one rule. So some changes that other fuzzers make are
not techniques:

- Duplicate properties, other encodings, 1.0 instead of an integer, and times with a time zone. The contract neither
  allows nor forbids them, so they are probes of ambiguities (`cases.probes`).
- Properties in another order, negative prices, and empty strings. The contract allows them, so they occur in valid
  messages.
- A message without properties (`{}`), which breaks several rules. `fault_cases` generates this case.
- Property names that are not valid Unicode. orjson cannot write such names.
"""

from brokerfuzz.cases.techniques import (
    bounds,
    clock,
    coercions,
    enumerations,
    other_types,
    presence_length_pattern,
    search,
    syntax,
    unknown_properties,
)
from brokerfuzz.cases.techniques.registry import (
    TECHNIQUES,
    FaultContext,
    Technique,
    family_of,
    techniques_for,
)

__all__ = [
    "TECHNIQUES",
    "FaultContext",
    "Technique",
    "bounds",
    "clock",
    "coercions",
    "enumerations",
    "family_of",
    "other_types",
    "presence_length_pattern",
    "search",
    "syntax",
    "techniques_for",
    "unknown_properties",
]
