"""Probes of silences: messages about which the contract says nothing, to see what a program does with them.

A probe is named by what it looks like; the values of each silence lean both ways: some are what most programs take, some what most
refuse. A module for each part of a message that silences are about.
"""

from brokerfuzz.cases.probes.maker import ProbeMaker

__all__ = ["ProbeMaker"]
