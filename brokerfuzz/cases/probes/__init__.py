"""Generates probes of ambiguities: messages that show how a target treats a question that the contract leaves open. The
name of a probe, such as `lower-case`, describes the value in the message. Usually, a program accepts some probes of an
ambiguity and rejects others.
"""

from brokerfuzz.cases.probes.probe_maker import ProbeMaker, questions

__all__ = ["ProbeMaker", "questions"]
