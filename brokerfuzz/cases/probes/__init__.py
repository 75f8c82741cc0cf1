"""Probes of ambiguities: messages about which the contract says nothing, to see what a program does with them.

A probe is named by what it looks like; the values of each ambiguity lean both ways: some are what most programs take, some what most
reject. A module for each part of a message that ambiguities are about.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker

__all__ = ["ProbeMaker"]
