"""Techniques: the ways of breaking a rule, a module a family. CONTRIBUTING says how to add one."""

from brokerfuzz.cases.techniques import structure, types, values, wire
from brokerfuzz.cases.techniques.registry import TECHNIQUES, Spot, Technique, breaks, known_techniques, techniques_for

__all__ = ["TECHNIQUES", "Spot", "Technique", "breaks", "known_techniques", "structure", "techniques_for", "types", "values", "wire"]
