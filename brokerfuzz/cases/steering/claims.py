"""Claims about a message that was made from another message."""

from typing import NamedTuple

from brokerfuzz.cases.case import Fault
from brokerfuzz.cases.case_decoder import TAG


class Claim(NamedTuple):
    """What a case claims, as in `Case.judged`: either faults, or `claim`, which is `valid` or the id of an ambiguity."""

    faults: tuple[Fault, ...]
    claim: str | None
    tags: tuple[str, ...]


VALID_AT_RANDOM = Claim((), "valid", (TAG,))
"""The claim for an unchanged random message."""
