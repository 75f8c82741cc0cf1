"""Probes of ambiguities: messages for which the contract leaves the answer open. They show how a target behaves.

The name of a probe describes its value. For each ambiguity, most programs accept some of the values and reject others. Each module
covers one part of a message.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker

__all__ = ["ProbeMaker"]
