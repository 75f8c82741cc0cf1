"""Finds a case or a finding by its ID in journals and JSON reports."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from brokerfuzz.campaign import Settings, journal
from brokerfuzz.cases.case import TWIN_TAGS, Case
from brokerfuzz.cases.plan import STRIDE
from brokerfuzz.commands.journal_results import outcome, recorded
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.explaining.cases import case_summary
from brokerfuzz.explaining.description import Description
from brokerfuzz.explaining.findings import finding_summary, headline_summary
from brokerfuzz.reports import json_document
from brokerfuzz.reports.report_files import read_report
from brokerfuzz.schemas import check

CASE_ID = re.compile("[0-9a-f]{16}")
FINDING_ID = re.compile("[0-9a-f]{8,16}")


def find(wanted: str, paths: Sequence[str], contract: str | None) -> Description:
    """Finds a case or a finding by its ID. Raises `UnknownNameError` if no file contains this ID."""
    for path in paths:
        is_report = Path(path).suffix == ".json"
        found = _among(wanted, read_report(path)) if is_report else _in_journal(wanted, path, contract)
        if found is not None:
            return found
    remedy = f"no case and no finding in {', '.join(paths)} has this ID; specify another ID or file"
    raise UnknownNameError("ID", wanted, (), remedy)


def _in_journal(wanted: str, path: str, contract: str | None) -> Description | None:
    settings = recorded(path, contract)
    if CASE_ID.fullmatch(wanted) and (case := _message_of_journal(wanted, path, settings)) is not None:
        return case
    return _among(wanted, json_document.document(outcome(path, settings), settings.about(), settings.plan.demands))


def _message_of_journal(wanted: str, path: str, settings: Settings) -> Description | None:
    """The message with this ID can be a case, a twin, or a message that was sent while a finding was shrunk."""
    plan = settings.plan
    found = [(line, record) for line, record in enumerate(journal.exchanges(path), 2) if record.id == wanted]
    if not found:
        return None
    (line, first), *_ = found
    numbered = (case for number, case in plan.cases(first.number // STRIDE) if number == first.number)
    both = [case for of_number in numbered for case in (of_number, of_number.twin)]
    case = next((one for one in both if one is not None and one.id == wanted), None)
    if case is None:
        verdict = check(plan.message_type, first.body, now=settings.now, contract=plan.demands, headers=first.headers)
        tags = TWIN_TAGS if first.role == "twin" else ("shrunk",)
        case = Case(plan.message_type, first.body, verdict, tags=tags, headers=first.headers)
    answers = [f"{record.answer.kind} ({record.answer.reason})" for _, record in found]
    return case_summary(case, plan.demands, line, path, answers)


def _among(wanted: str, document: Mapping[str, Any]) -> Description | None:
    findings = {one["name"]: one for one in document["findings"]}
    for finding in findings.values():
        if finding["fingerprint"].startswith(wanted) or wanted in _message_ids(finding):
            return finding_summary(finding)
    headline = next((one for one in document["headlines"] if one["name"] == wanted), None)
    return None if headline is None else headline_summary(headline, findings)


def _message_ids(finding: Mapping[str, Any]) -> set[str]:
    messages = (finding[name] for name in ("case", "smallest", "twin"))
    return {message["id"] for message in messages if message is not None and "id" in message}
