"""Describes cases: the reason for a case, its message, and the difference from its twin (the valid counterpart)."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from brokerfuzz.cases.case import Case, supported_time
from brokerfuzz.cases.case_tags import NOW_TAG
from brokerfuzz.cases.catalogue import catalogue, essentials
from brokerfuzz.cases.message_diff import difference, laid_out
from brokerfuzz.cases.records import encode, judged
from brokerfuzz.corpus.reading import Line, check_rereadable, lines_of_corpus
from brokerfuzz.errors import CorpusError, shortened
from brokerfuzz.explaining.description import Description
from brokerfuzz.explaining.judgements import verdict_data, verdict_lines
from brokerfuzz.schemas import Contract
from brokerfuzz.wording import printable_as_in_python

CASE_ID = re.compile("[0-9a-f]{16}")


def why(case: Case) -> str:
    """Returns the reason for a case in a few words, such as the rule that the case breaks."""
    tags = [tag for tag in case.tags if not tag.startswith(NOW_TAG)]
    tag_list = f" ({', '.join(tags)})" if tags else ""
    if case.faults:
        fault = case.faults[0]
        return f"breaks {fault.rule} at {fault.at or 'the root'} with technique {fault.technique}{tag_list}"
    if case.label == "unspecified":
        return f"touches {', '.join(sorted({touch.ambiguity for touch in case.verdict.ambiguities}))}{tag_list}"
    return ", ".join(tags) or "valid"


def case_as_json(case: Case | None) -> Any:
    """Returns a case as JSON, in the format of a corpus."""
    return None if case is None else json.loads(encode(case))


def case_line(case: Case) -> str:
    """Describes a case on one line."""
    return f"{case.id}  {case.label:<11}  {case.message_type}  {printable_as_in_python(why(case))}"


def case_data(case: Case) -> dict[str, Any]:
    about = {"id": case.id, "message": case.message_type, "verdict": case.label, "why": why(case)}
    return {**about, "tags": list(case.tags), "twin": case.twin_id, "bytes": len(case.body)}


def case_summary(case: Case, contract: Contract, line: int, file: str | None = None) -> Description:
    """Describes the case in a line of a file. Without a file, `line` is the number of the case in the catalogue."""
    data = {
        "file": file,
        "line": line,
        "why": why(case),
        **verdict_data(case.verdict, contract),
        "case": case_as_json(case),
        "twin": case_as_json(case.twin),
        "difference": difference(case.twin.body, case.body) if case.twin else [],
    }
    place = f"case {line:,} of the catalogue" if file is None else f"{printable_as_in_python(file)}, line {line}"
    return Description(list(_case_lines(case, contract, place)), data)


def _case_lines(case: Case, contract: Contract, place: str) -> Iterator[str]:
    yield f"{case.id}  {case.label} {case.message_type}, {len(case.body):,} bytes ({place})"
    yield printable_as_in_python(why(case))
    yield from (shortened(printable_as_in_python(line)) for line in verdict_lines(case.verdict, contract))
    yield ""
    yield from laid_out(case.body)
    if case.twin:
        yield ""
        yield (
            f"Difference: - marks lines of the twin (the valid counterpart) {case.twin_id}, + marks lines of the case."
        )
        yield from difference(case.twin.body, case.body)
    elif case.twin_id:
        yield ""
        yield f"Its twin (the valid counterpart), {case.twin_id}, is not in the corpus."


def in_catalogue(wanted: str, contract: Contract, now: datetime | None) -> tuple[int, Case] | None:
    """Returns the case with the ID `wanted` from the catalogue or from the essential cases, and its number. `now` is
    the time for which time-dependent cases are generated.
    """
    settings: dict[str, Any] = {"now": supported_time(now), "contract": contract}
    catalogues = (catalogue(message_type, **settings) for message_type in contract.message_types)
    small = (essentials(message_type, **settings, large=True) for message_type in contract.message_types)
    numbered = (pair for cases in chain(catalogues, small) for pair in enumerate(cases, 1))
    return next(((number, case) for number, case in numbered if case.id == wanted), None)


def in_corpora(paths: Sequence[str], wanted: str, contract: Contract) -> Description | None:
    """Describes the case with the ID `wanted` in some corpora, with its twin if the twin is in the same corpora. Judges
    both. Returns None if there is no such case. Raises `CorpusError` if a record is malformed or has a wrong verdict.
    """
    check_rereadable(*paths)
    line = _line_of(paths, wanted)
    if line is None:
        return None
    try:
        record = line.record()
        before = _line_of(paths, record.twin_id) if record.twin_id else None
        twins = {record.twin_id: judged(before.record(), {}, contract=contract)} if before and record.twin_id else {}
        case = judged(record, twins, contract=contract)
    except CorpusError as problem:
        raise line.error(problem) from problem
    return case_summary(case, contract, line.number, line.name)


def _line_of(paths: Sequence[str], wanted: str) -> Line | None:
    head = b'"%s"' % wanted.encode()
    candidates = (line for path in paths for line in lines_of_corpus(path) if head in line.text)
    return next((line for line in candidates if line.record().id == wanted), None)
