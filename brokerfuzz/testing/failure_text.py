"""Describes in a few lines why a test of a case failed, like the reports of a campaign."""

import re
import traceback
from collections.abc import Sequence
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.errors import shortened
from brokerfuzz.reports import facts
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets
from brokerfuzz.wording import counted, printable

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
    return [facts.case_sentence(case, actual), *facts.text_lines(facts.case_facts(case, actual))]


def described_failures(total: int, failures: Sequence[tuple[Case, str]]) -> str:
    lines: list[str] = []
    for case, actual in failures[:MOST_SHOWN]:
        sentence, *more = described_failure(case, actual)
        lines += [sentence if lines else f"{sentence} ({len(failures):,} of {counted(total, 'case')} failed)", *more]
    if len(failures) > MOST_SHOWN:
        lines.append(f'and {len(failures) - MOST_SHOWN:,} more: by="case" shows each of them')
    return "\n".join(lines)


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
