"""Describes cases in printable ASCII, for the names and comments of exported tests.

A description may contain untrusted data, such as the names of rules. For this reason, all characters that could end a
line are escaped.
"""

import re
from typing import Any

from brokerfuzz.cases.case import NOW_TAG, Case, tagged_now
from brokerfuzz.schemas.instants import spell

LONGEST_NAME, LONGEST_REASON = 160, 1000
_PLAIN = re.compile(r"[^A-Za-z0-9_./\[\]:=-]+")


def name_of(case: Case) -> str:
    """Returns a unique name for a case: its verdict, its topic and its ID. The name consists of letters, digits and
    `_./[]:=-`.
    """
    topics = [f"{fault.rule}.by-{fault.technique}" for fault in case.faults] or [
        f"{case.message_type}/{tag}" for tag in _topic_tags(case)
    ]
    topic = _PLAIN.sub("-", "=and=".join(topics)).replace("::", ":")
    return f"{case.label}-{topic[:LONGEST_NAME]}-{case.id}"


def _topic_tags(case: Case) -> list[str]:
    tags = [tag for tag in case.tags if not tag.startswith(NOW_TAG)]
    return [".".join(tags[-2:]) or "plain"]


def reason_of(case: Case) -> str:
    """Describes in a sentence which rules the message breaks, or which ambiguities it touches."""
    if case.label == "valid":
        return "The message breaks no rule and touches no ambiguity."
    entries = case.verdict.broken or case.verdict.ambiguities
    reasons = [
        f"{entry} ({technique})" if (technique := _technique(case, entry.at)) else str(entry) for entry in entries
    ]
    line = ascii_line("; ".join(reasons))
    kind = "Broken" if case.verdict.broken else "The contract leaves this open"
    return f"{kind}: {line if len(line) <= LONGEST_REASON else line[:LONGEST_REASON] + '...'}."


def _technique(case: Case, at: str) -> str | None:
    return next((fault.technique for fault in case.faults if fault.at == at), None)


def now_of(case: Case) -> str | None:
    """Returns the time for which a time-dependent case was generated, or None for any other case."""
    now = tagged_now(case.tags)
    return None if now is None else spell(now)


def facts_of(case: Case) -> dict[str, Any]:
    """Returns the ID, the message type, the verdict, the time, the faults, the ambiguities and the twin of a case, as
    JSON.
    """
    return {
        "id": case.id,
        "message": case.message_type,
        "verdict": case.label,
        "now": now_of(case),
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults],
        "ambiguities": sorted({touch.ambiguity for touch in case.verdict.ambiguities}),
        "twin": case.twin_id,
    }


def clock_note(now: str | None) -> str:
    """Returns a sentence about the time for which a case was generated, or an empty string if the case is not
    time-dependent.
    """
    return f" This case was made for {now}: set the clock of the target to this time." if now else ""


def ascii_line(text: str) -> str:
    """Converts text to one line of printable ASCII. Any other character is escaped as in a Python string."""
    return "".join(char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text)
