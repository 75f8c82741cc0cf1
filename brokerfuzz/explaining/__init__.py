"""Explanations: what a rule, a technique, an ambiguity or a verdict means, in plain words and as data.

`explain` tells of one name, `listings` of all of a kind, `judgements` of messages.
"""

from brokerfuzz.explaining.explanations import Explanation, explain, known_ids

__all__ = ["Explanation", "explain", "known_ids"]
