"""Generates the essential cases: a small part of the catalogue, made for a repository.

Each rule is broken once by each technique. Each edge and each probe of an ambiguity occurs once at each site. Each message is as
small as possible, and depends only on its own property. A change of the contract changes only few essential cases. The cases are
in the order of the sites in the contract.
"""

from brokerfuzz.cases.essentials.essential_cases import LARGEST, essentials

__all__ = ["LARGEST", "essentials"]
