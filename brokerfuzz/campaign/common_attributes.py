"""Finds what failing cases have in common: attributes with which (almost) every case fails, whatever else it contains.

The failing cases come in groups, which would be one headline each. A headline uses the attributes that explain most
groups.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Final

from brokerfuzz.campaign.case_attributes import Attribute

CERTAIN: Final = 0.95
"""At least this share of the cases with the attributes must fail. Some cases fail in a different way."""
COVERED: Final = 0.9
"""At least this share of the cases of a group must have the attributes."""
ENOUGH: Final = 4
"""The minimum number of failing cases with the attributes. Fewer cases have attributes in common by chance."""
USUAL: Final = 0.8
"""If more than this share of the cases without the attributes fails as well, the attributes explain nothing."""
MOST_PAIRED: Final = 200
"""The number of attributes that are tried in pairs: those that most failing cases have."""


Mask = int
"""A set of cases: bit `i` stands for case `i`."""


def mask_of(cases: Iterable[int], size: int) -> Mask:
    bits = bytearray(size // 8 + 1)
    for case in cases:
        bits[case // 8] |= 1 << case % 8
    return int.from_bytes(bits, "little")


def common_attributes(
    failing: Mask, having: Mapping[Attribute, Mask], size: int
) -> Iterator[tuple[tuple[Attribute, ...], Mask]]:
    """Yields attributes that explain failing cases, and all cases that have them. `having` maps each attribute to the
    cases that have it. There are `size` cases.
    """
    for attributes, mask in _candidates(failing, having):
        if (failing & ~mask).bit_count() < USUAL * (size - mask.bit_count()):
            yield attributes, mask


def covers(mask: Mask, group: Mask) -> bool:
    return bool(group) and (group & mask).bit_count() >= COVERED * group.bit_count()


def _candidates(failing: Mask, having: Mapping[Attribute, Mask]) -> Iterator[tuple[tuple[Attribute, ...], Mask]]:
    concerned = {attribute: mask for attribute, mask in having.items() if mask & failing}
    for attribute, mask in concerned.items():
        if is_certain(mask, failing):
            yield (attribute,), mask
    often = sorted(concerned, key=lambda attribute: -(concerned[attribute] & failing).bit_count())[:MOST_PAIRED]
    for one, other in combinations(often, 2):
        mask = concerned[one] & concerned[other]
        if mask not in (concerned[one], concerned[other]) and is_certain(mask, failing):
            yield (one, other), mask


def is_certain(mask: Mask, failing: Mask) -> bool:
    failed = (mask & failing).bit_count()
    return failed >= ENOUGH and failed >= CERTAIN * mask.bit_count()
