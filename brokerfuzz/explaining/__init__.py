"""Explains rules, techniques, ambiguities and verdicts, in plain words and as JSON.

`explanations` explains a single rule, technique or ambiguity. `listings` lists all rules, techniques and ambiguities.
`judgements` explains verdicts.
"""

from brokerfuzz.explaining.explanations import Explanation, every_name, explain, names_with

__all__ = ["Explanation", "every_name", "explain", "names_with"]
