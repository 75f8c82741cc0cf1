"""The kinds of open questions, one class each: what touches the question, how a message avoids it, and how it is
asked. An entry of `ambiguities.json` asks a question of one kind at certain sites.
"""

from brokerfuzz.schemas.questions import equal_items, notations, order, responses
from brokerfuzz.schemas.questions.question import KINDS, Freedom, Question

__all__ = ["KINDS", "Freedom", "Question", "equal_items", "notations", "order", "responses"]
