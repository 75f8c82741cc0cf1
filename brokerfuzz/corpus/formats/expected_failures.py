"""The file `expected-failures` of a test suite: the failures that a team knows and has not fixed yet.

Each line has the ID of a case, or a pattern for groups of tests, in which `*` matches any characters. A comment begins with `#`.
"""

import re
from collections.abc import Sequence

from brokerfuzz.corpus.formats.suite_cases import SuiteCase
from brokerfuzz.errors import CorpusError

NAME = "expected-failures"
TEMPLATE = b"""\
# Known failures: one case ID or one rule per line. In a rule, * matches anything.
# Later exports keep this file. If an entry passes again, the test "expected-failures" fails until you remove the entry.
#
# 826bb491258572e9
# */orderMinimum:minimum
"""


def check_entries(content: bytes, cases: Sequence[SuiteCase]) -> None:
    """Raises `CorpusError` if an entry matches no case."""
    ids, groups = {one.case.id for one in cases}, {one.group for one in cases}
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        entry = line.partition("#")[0].strip()
        if entry and entry not in ids and not any(map(_pattern(entry).fullmatch, groups)):
            raise CorpusError(
                f"{NAME}, line {number}: {entry} matches no case of this export: correct or remove the line, or a filter such as --rule"
            )


def _pattern(entry: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, entry.split("*"))))
