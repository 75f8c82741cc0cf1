"""Generates probes of ambiguities: messages that show how a target treats a question that the contract leaves open. The name of a
probe describes its value. Each ambiguity has values that most programs accept, and values that most programs reject.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker

__all__ = ["ProbeMaker"]
