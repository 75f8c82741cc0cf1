"""Describes in a few lines why a test of a case failed. The lines contain the rule, the place, the expected and the
actual result, and the difference from the twin (the valid counterpart).
"""

import re
import traceback
from collections.abc import Sequence
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.message_diff import changed_lines
from brokerfuzz.errors import shortened
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS, violation
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets
from brokerfuzz.wording import counted, printable, readable

MOST_SHOWN = 3
"""The maximum number of failures to describe if several cases of the same rule fail."""
_WIDEST = 200
_COMPARED = re.compile(r"assert (True|False) (?:==|is) \('\w+' (?:== 'valid'|!= 'invalid')")
"""How pytest describes the failure of `assert accepts(case.body) == (case.label == "valid")`. The first value is the
answer.
"""
_secrets = NOTHING_SECRET


def hide(secrets: Secrets) -> None:
    """Hides these secrets in the results that tests observe from now on."""
    global _secrets  # noqa: PLW0603 - a decorated test does not know the options of pytest
    _secrets = secrets


def without_secrets(text: str) -> str:
    return _secrets.hide(text)


def described_failure(case: Case, actual: str) -> list[str]:
    """`actual` is the result that the test observed."""
    return [*_rules(case), *_places(case), _expected(case), f"actual: {actual}", *_difference(case)]


def described_failures(total: int, failures: Sequence[tuple[Case, str]]) -> str:
    """Describes the number of failed cases, and the first failures."""
    first = failures[0][0]
    lines = [f"{len(failures):,} of {counted(total, 'case')} failed", *_rules(first), _expected(first)]
    for number, (case, actual) in enumerate(failures[:MOST_SHOWN], 1):
        place, *more = _places(case) or [str(case)]
        lines += [f"{number}. {place}", *(f"   {line}" for line in (*more, f"actual: {actual}", *_difference(case)))]
    if len(failures) > MOST_SHOWN:
        lines.append(f'and {len(failures) - MOST_SHOWN:,} more: by="case" shows each of them')
    return "\n".join(lines)


def _rules(case: Case) -> list[str]:
    return [f"rule: {rule}" for rule in dict.fromkeys(broken.rule for broken in case.verdict.broken)]


def _places(case: Case) -> list[str]:
    techniques = {(fault.rule, fault.at): f" ({fault.technique})" for fault in case.faults}
    if case.verdict.broken:
        return [
            f"place: {broken.at or 'the root'}: "
            f"{violation(broken.found, broken.demanded)}{techniques.get((broken.rule, broken.at), '')}"
            for broken in case.verdict.broken
        ]
    return [f"ambiguity: {touched}" for touched in case.verdict.ambiguities]


def _expected(case: Case) -> str:
    return f"expected: {' or '.join(RIGHT_ANSWERS[case.label])}"


def _difference(case: Case) -> list[str]:
    headers = [
        f"header: {name}: {value}" if value is not None else f"without the header {name}"
        for name, value in case.headers
    ]
    if case.twin is None:
        return [*headers, f"message: {readable(case.body, _WIDEST)}"]
    return [*headers, "difference from the twin:", *(f"  {line}" for line in changed_lines(case.twin.body, case.body))]


def actual_of(problem: BaseException) -> str:
    """Describes what a test observed, without secrets: the answer of a target, or the first line of an exception with
    its file and line number.
    """
    if (actual := getattr(problem, "actual", None)) is not None:
        return without_secrets(str(actual))
    said = next(iter(without_secrets(str(problem)).splitlines()), "")
    name = type(problem).__name__
    if compared := _COMPARED.match(said):
        text = "accepted" if compared[1] == "True" else "rejected"
    else:
        text = said if said and name in {"AssertionError", "Failed"} else f"{name}: {said}" if said else name
    lines = [
        (frame, number)
        for frame, number in traceback.walk_tb(problem.__traceback__)
        if "__unittest" not in frame.f_globals
    ]
    where = [f"({Path(frame.f_code.co_filename).name}:{number})" for frame, number in lines[-1:]]
    return " ".join([shortened(printable(text), _WIDEST), *where])
