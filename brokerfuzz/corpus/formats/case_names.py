"""Describes cases in printable ASCII, for the names of files, and for the names and comments of exported tests.

A description may contain untrusted data, such as the names of rules. For this reason, all characters that could end a
line are escaped.
"""

import re
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import tagged_edge, tagged_now
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.rule import short_id

LONGEST_REASON = 1000
_LONGEST_TOPIC = 70
_UNTITLED_TAGS = ("now:", "at:", "in:", "under:")
"""The prefixes of tags that are not part of the topic, because they only describe a place, a time or a condition."""


def stem(case: Case) -> str:
    """Returns a unique name, which is safe on every file system: `order-minimum-minimum-one-below_19da04d30a1b2c3d`.

    The name consists of the topic and the ID. If the topic is too long, its beginning is removed.
    """
    topic = topic_of(case)[-_LONGEST_TOPIC:].lstrip("-")
    return f"{topic}_{case.id}" if topic else case.id


def topic_of(case: Case) -> str:
    """Returns what a case tests: the rule and the technique, the tags, or the ambiguities."""
    words = [f"{short_id(fault.rule)} {fault.technique}" for fault in case.faults]
    words = words or [tag.rpartition(":")[2] for tag in case.tags if not tag.startswith(_UNTITLED_TAGS)]
    return slug(" ".join(words or dict.fromkeys(touch.ambiguity for touch in case.verdict.ambiguities)), "-")


def slug(text: str, separator: str) -> str:
    """Converts text to lower-case letters and digits with separators: `pageCounts[].price` to `page-counts-price`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower()
    return re.sub("[^a-z0-9]+", separator, words).strip(separator)


def reason_of(case: Case) -> str:
    if case.label == "valid":
        edge = tagged_edge(case.tags)
        unusual = "" if edge is None else f", but is unusual ({ascii_line(edge)})"
        return f"The message breaks no rule and touches no ambiguity{unusual}."
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
    now = tagged_now(case.tags)
    return None if now is None else spell(now)


def facts_of(case: Case) -> dict[str, Any]:
    return {
        "id": case.id,
        "message": case.message_type,
        "verdict": case.label,
        "now": now_of(case),
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults],
        "ambiguities": sorted({touch.ambiguity for touch in case.verdict.ambiguities}),
        "twin": case.twin_id,
    }


def ascii_line(text: str) -> str:
    """Converts text to one line of printable ASCII. Any other character is escaped as in a Python string."""
    return "".join(char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text)
