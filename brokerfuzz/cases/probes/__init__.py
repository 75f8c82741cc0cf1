"""Generates probes of ambiguities: messages that show how a target treats a question that the contract leaves open. The name of a
probe describes its value. For each ambiguity, most programs accept some probes and reject others.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker

__all__ = ["ProbeMaker"]
