"""The kinds of open questions, one class each: what touches the question, how a message avoids it, and how it is
asked. An entry of `ambiguities.json` asks a question of one kind.
"""

from brokerfuzz.schemas.questions import clock, encodings, equal_items, json_texts, notations, order, responses, sizes
from brokerfuzz.schemas.questions.question import (
    QUESTION_KINDS,
    REJECTED,
    AboutBytes,
    AboutType,
    Freedom,
    Question,
    Unsearched,
)

__all__ = [
    "QUESTION_KINDS",
    "REJECTED",
    "AboutBytes",
    "AboutType",
    "Freedom",
    "Question",
    "Unsearched",
    "clock",
    "encodings",
    "equal_items",
    "json_texts",
    "notations",
    "order",
    "responses",
    "sizes",
]
