"""Names the tests of a suite in languages whose tests must be functions in the source code.

The names consist of lower-case letters, digits and `_`. The last 16 characters of the name of a test are the ID of the case.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from brokerfuzz.corpus.formats.suite_cases import SuiteCase

LONGEST = 100


def named_tests(cases: Iterable[SuiteCase]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yields the name of each group and the names of its tests. The names are unique."""
    seen: set[str] = set()
    for group, some in groupby(cases, lambda one: one.group):
        name = base = _identifier(group)[:LONGEST]
        while name in seen:
            name = f"{base}_{len(seen)}"
        seen.add(name)
        yield name, [_identifier(one.name) for one in some]


def _identifier(text: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    return re.sub(r"[^a-z0-9]+", "_", f"t_{snake}" if not snake[:1].isalpha() else snake).strip("_")
