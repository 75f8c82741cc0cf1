"""Generates the essential cases: a small set of cases that is suitable for a repository.

Each rule is broken once by each technique. Each edge occurs once at each possible site. Each probe of an ambiguity occurs at
least once. Each message is as small as possible. If a rule or site of the contract changes, most cases of the other rules
and sites stay the same. The cases are in the order of the sites in the contract.
"""

from brokerfuzz.cases.essentials.essential_cases import LARGEST, essentials

__all__ = ["LARGEST", "essentials"]
