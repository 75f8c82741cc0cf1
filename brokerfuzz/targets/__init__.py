"""Sends messages to targets, and returns their answers. A target is a service, a program or a function.

This folder knows nothing about verdicts, rules or generators.
"""

from brokerfuzz.targets.answers import ANSWER_KINDS, Answer, AnswerKind, AnswerRules
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.line_target import CallTarget, LineTarget
from brokerfuzz.targets.program_target import CommandTarget
from brokerfuzz.targets.target import Target

__all__ = [
    "ANSWER_KINDS",
    "Answer",
    "AnswerKind",
    "AnswerRules",
    "CallTarget",
    "CommandTarget",
    "HttpTarget",
    "LineTarget",
    "Target",
]
