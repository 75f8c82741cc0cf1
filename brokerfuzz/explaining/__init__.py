"""Explanations of rules, techniques, ambiguities and verdicts, in plain words and as JSON.

The module `explanations` explains one rule, technique or ambiguity. `listings` lists all of them. `judgements` explains the verdicts on messages.
"""

from brokerfuzz.explaining.explanations import Explanation, explain, known_ids

__all__ = ["Explanation", "explain", "known_ids"]
