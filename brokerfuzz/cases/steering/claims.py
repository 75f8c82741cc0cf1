"""Defines claims: the expected verdict and the tags of a case."""

from typing import NamedTuple

from brokerfuzz.cases.case import Fault
from brokerfuzz.cases.case_decoder import TAG


class Claim(NamedTuple):
    """The expected verdict of a case: its faults, or `valid`, or the ID of an ambiguity (see `Case.judged`)."""

    faults: tuple[Fault, ...]
    claim: str | None
    tags: tuple[str, ...]


VALID_AT_RANDOM = Claim((), "valid", (TAG,))
"""The claim of a random valid message."""
