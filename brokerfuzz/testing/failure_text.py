"""Describes in a few lines why a test of a case failed, like the reports of a campaign."""

import re
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.stable_names import name_of, variant_of
from brokerfuzz.errors import shortened
from brokerfuzz.reports.fact import Fact, message_facts, text_lines
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS, place_of, wrong_answer
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets
from brokerfuzz.testing.failure_causes import FailedCase, causes_of
from brokerfuzz.wording import counted, listed, printable

_MOST_CAUSES = 5
"""The maximum number of failures to describe if several cases of a test fail for different reasons."""
_MOST_NAMES = 6
_LONGEST_MESSAGE = 500
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
    return [_sentence(case, actual), *text_lines(_facts(case, actual))]


def _sentence(case: Case, observed: str) -> str:
    """Says what a test observed for a case, and what the contract demands. `observed` begins with the kind of the
    answer, or is the text of an exception.
    """
    answer = observed.partition(" ")[0]
    verb = answer if answer in ("accepted", "rejected") else f"failed ({observed}) on"
    if not case.verdict.broken:
        return f"{verb}: {printable(str(case), 300)}; must be {' or '.join(RIGHT_ANSWERS[case.label])}"
    broken, more = case.verdict.broken[0], len(case.verdict.broken) - 1
    more_rules = f" (and {counted(more, 'more broken rule')})" if more else ""
    return f"{place_of(broken)}: {wrong_answer(broken, verb)}{more_rules}"


def _facts(case: Case, observed: str) -> Iterator[Fact]:
    yield Fact("case", [printable(name_of(case), 300)])
    if len(case.verdict.broken) == 1:
        yield Fact("place", [_place(case.verdict.broken[0].at)])
    elif case.verdict.broken:
        yield Fact("rules", [f"{broken.rule} at {_place(broken.at)}" for broken in case.verdict.broken])
    elif case.verdict.ambiguities:
        yield Fact("open", [printable(str(touched), 300) for touched in case.verdict.ambiguities])
    twin = None if case.twin is None else case.twin.body
    yield from message_facts(case.body, twin, longest=_LONGEST_MESSAGE)
    yield Fact("observed", [observed])


def _place(pointer: str) -> str:
    return printable(pointer, _WIDEST) or "the root"


def described_failures(cases: Sequence[Case], failures: Sequence[FailedCase]) -> str:
    """Describes one failure of each cause, and names the others."""
    lines: list[str] = []
    causes = causes_of(cases, failures)
    for (case, actual), *similar in causes[:_MOST_CAUSES]:
        lines += described_failure(case, actual)
        if similar:
            lines += text_lines([Fact("also failed", [_names_of(similar)])])
    lines[0] += f" ({len(failures):,} of {counted(len(cases), 'case')} failed)"
    if len(causes) > _MOST_CAUSES:
        rest = [cause[0] for cause in causes[_MOST_CAUSES:]]
        lines.append(f'and {counted(len(rest), "more cause")} (by="case" shows each case): {_names_of(rest)}')
    return "\n".join(lines)


def _names_of(failures: Sequence[FailedCase]) -> str:
    return listed((printable(variant_of(case), _WIDEST) for case, _ in failures), most=_MOST_NAMES)


def actual_of(problem: BaseException) -> str:
    """Describes what a test observed, without secrets: the answer of a target, or the first line of an exception with
    its file and line number.
    """
    if (actual := getattr(problem, "actual", None)) is not None:
        return without_secrets(str(actual))
    first_line = next(iter(without_secrets(str(problem)).splitlines()), "")
    name = type(problem).__name__
    if compared := _COMPARED.match(first_line):
        text = "accepted" if compared[1] == "True" else "rejected"
    elif not first_line:
        text = name
    elif name in {"AssertionError", "Failed"}:
        text = first_line
    else:
        text = f"{name}: {first_line}"
    lines = [
        (frame, number)
        for frame, number in traceback.walk_tb(problem.__traceback__)
        if "__unittest" not in frame.f_globals
    ]
    where = [f"({Path(frame.f_code.co_filename).name}:{number})" for frame, number in lines[-1:]]
    return " ".join([shortened(printable(text), _WIDEST), *where])
