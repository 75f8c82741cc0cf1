"""Generates the essential cases: a small set of cases that is suitable for a repository.

Each rule is broken once by each technique. Each edge occurs once at each possible site. Each probe of an ambiguity occurs at
least once. Each message is as small as possible. The cases of a rule or site do not depend on the other rules and sites. So a
change to the contract changes only a few cases. The cases are in the order of the sites in the contract.
"""

from brokerfuzz.cases.essentials.essential_cases import LARGEST, essentials

__all__ = ["LARGEST", "essentials"]
