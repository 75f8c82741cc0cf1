"""Finds what failing cases have in common: attributes with which (almost) every case fails, whatever else it contains.

The failing cases come in groups, which would be one headline each. An explanation is useful only if it replaces at
least two of these groups.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class CommonAttributes:
    """`groups` are the indexes of the groups that the attributes explain. `failed` of the `sent` cases that have the
    attributes failed.
    """

    attributes: tuple[Attribute, ...]
    groups: tuple[int, ...]
    failed: int
    sent: int


Mask = int
"""A set of cases: bit `i` stands for case `i`."""


def mask_of(cases: Iterable[int], size: int) -> Mask:
    bits = bytearray(size // 8 + 1)
    for case in cases:
        bits[case // 8] |= 1 << case % 8
    return int.from_bytes(bits, "little")


def common_attributes(
    groups: Sequence[Mask], failing: Mask, having: Mapping[Attribute, Mask], size: int
) -> Iterator[CommonAttributes]:
    """Yields the attributes that explain at least two groups. `having` maps each attribute to the cases that have it.
    `failing` contains all failing cases, including those that belong to no group. There are `size` cases.
    """
    for attributes, mask in _candidates(failing, having):
        covered = tuple(index for index, group in enumerate(groups) if _covers(mask, group))
        others = size - mask.bit_count()
        if len(covered) > 1 and (failing & ~mask).bit_count() < USUAL * others:
            yield CommonAttributes(attributes, covered, (mask & failing).bit_count(), mask.bit_count())


def _covers(mask: Mask, group: Mask) -> bool:
    return bool(group) and (group & mask).bit_count() >= COVERED * group.bit_count()


def _candidates(failing: Mask, having: Mapping[Attribute, Mask]) -> Iterator[tuple[tuple[Attribute, ...], Mask]]:
    concerned = {attribute: mask for attribute, mask in having.items() if mask & failing}
    for attribute, mask in concerned.items():
        if _is_certain(mask, failing):
            yield (attribute,), mask
    often = sorted(concerned, key=lambda attribute: -(concerned[attribute] & failing).bit_count())[:MOST_PAIRED]
    for one, other in combinations(often, 2):
        mask = concerned[one] & concerned[other]
        if mask not in (concerned[one], concerned[other]) and _is_certain(mask, failing):
            yield (one, other), mask


def _is_certain(mask: Mask, failing: Mask) -> bool:
    failed = (mask & failing).bit_count()
    return failed >= ENOUGH and failed >= CERTAIN * mask.bit_count()
