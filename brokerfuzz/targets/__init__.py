"""Targets: what messages are sent to, and what it answers. They know nothing of verdicts, rules or generation."""

from brokerfuzz.targets.answers import ANSWER_KINDS, Answer, AnswerKind, AnswerRules, status_patterns
from brokerfuzz.targets.call import CallTarget
from brokerfuzz.targets.command import CommandTarget
from brokerfuzz.targets.http import HttpTarget
from brokerfuzz.targets.lines import LineTarget
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
    "status_patterns",
]
