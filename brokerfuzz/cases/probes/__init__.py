"""Probes of ambiguities: messages for which the contract leaves the answer open. They show how a target behaves.

The name of a probe describes the value. For each ambiguity, there are values that most programs accept and values that most
programs reject.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker

__all__ = ["ProbeMaker"]
