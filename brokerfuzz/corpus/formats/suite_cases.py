"""Sorts the cases of a test suite: first the plain messages, then the cases of each rule.

    offer-creation-request/plain                   … twin 19da04d3e0c2b1f7    a valid message that other cases need
    offer-creation-request/orderMinimum:minimum    … one-below                the technique

A plain message is a valid message that is the twin of another case. If a system rejects a plain message, it may reject
the other case for the same reason.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case, rank_for_reading
from brokerfuzz.cases.stable_names import subject_of, unique_names
from brokerfuzz.corpus.formats.case_names import ascii_line, now_of, slug
from brokerfuzz.corpus.formats.format import CorpusInfo
from brokerfuzz.errors import CorpusError

PLAIN = "plain"
LONGEST_IDENTIFIER = 100
_ITEMS = re.compile(r"\[\](?=:)")
"""The end of a site that consists of the items of an array, in the ID of a rule: `pageCounts[]:type`, unlike
`pageCounts:type`.
"""
_ABOUT_THE_CLOCK = "that need a certain time on the clock of your system (`brokerfuzz fire` sends such cases)"


class SuiteCase(NamedTuple):
    """A case, with its group and its name. `group` is the ID of the broken rule. If no rule is broken, `group` is the
    message type, followed by `/plain`, `/valid` or `/unspecified:AMBIGUITY`. `name` is the group and what distinguishes
    the case from others (see `stable_names`). `test` is the name of the test that sends the case: the group, or the
    name.
    """

    test: str
    group: str
    name: str
    case: Case

    @property
    def is_plain(self) -> bool:
        return self.group.endswith(f"/{PLAIN}")


def arranged(cases: Iterable[Case], info: CorpusInfo) -> list[SuiteCase]:
    """Sorts the cases for a test suite. Time-dependent cases are left out. Raises `CorpusError` if no case remains."""
    lasting_cases = []
    for case in cases:
        if now_of(case) is None:
            lasting_cases.append(case)
        else:
            info.leave_out(case, _ABOUT_THE_CLOCK)
    if not lasting_cases:
        raise CorpusError(
            "the verdicts of all chosen cases depend on the current time, and tests cannot set the clock of your "
            "system: "
            "include cases that do not depend on the time"
        )
    twins = {case.twin_id for case in lasting_cases}
    groups = [_group(case, plain=case.id in twins) for case in lasting_cases]
    names = map(ascii_line, unique_names(lasting_cases, groups))
    suite_cases = [
        SuiteCase(name if info.by_case else group, group, name, case)
        for case, group, name in zip(lasting_cases, groups, names, strict=True)
    ]
    order = {name: number for number, name in enumerate(info.contract.message_types)}
    return sorted(
        suite_cases, key=lambda entry: (not entry.is_plain, order[entry.case.message_type], *_position(entry))
    )


def _position(entry: SuiteCase) -> tuple[Any, ...]:
    """Returns the sort key of a case among those of its message type. In a group, cases without escapes and short cases
    come first, then those with the simplest techniques, as in the corpus, because tests show the first failures.
    """
    return entry.group, *rank_for_reading(entry.case), len(entry.case.body) if entry.is_plain else 0


def _group(case: Case, *, plain: bool) -> str:
    return f"{case.message_type}/{PLAIN}" if plain else ascii_line(subject_of(case))


# ------------------------------------------------------------------------------------------------- names in source code


def named_tests(cases: Sequence[SuiteCase]) -> Iterator[tuple[str, int]]:
    """Yields the name of each test for use in source code, and the number of its first case.

    The names are unique, and consist of lower-case letters, digits and `_`. A rule about the items of an array has
    `item` in its name.
    """
    seen: set[str] = set()
    for number, entry in enumerate(cases):
        if number and entry.test == cases[number - 1].test:
            continue
        base = slug(_ITEMS.sub(" item", entry.group), "_")[:LONGEST_IDENTIFIER]
        if entry.test != entry.group:
            base += f"_{slug(entry.name.removeprefix(entry.group), '_')}"
        base = base if base[:1].isalpha() else f"t_{base}"
        name = next(
            name for name in (base, *(f"{base}_{again}" for again in range(2, len(seen) + 3))) if name not in seen
        )
        seen.add(name)
        yield name, number
