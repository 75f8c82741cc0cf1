"""Explanations of rules, techniques, ambiguities and verdicts, in plain words and as JSON.

`explanations` describes one name, `listings` all names of a kind, `judgements` the verdicts on messages.
"""

from brokerfuzz.explaining.explanations import Explanation, explain, known_ids

__all__ = ["Explanation", "explain", "known_ids"]
