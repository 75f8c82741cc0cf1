"""Describes cases in printable ASCII, for the names of files, and for the names and comments of exported tests.

A description may contain untrusted data, such as the names of rules. For this reason, all characters that could end a
line are escaped.
"""

import re
from typing import Any

from brokerfuzz.cases.case import Case, tagged_now
from brokerfuzz.schemas.instants import spell

LONGEST_REASON = 1000
_LONGEST_TOPIC = 70
_RULE = re.compile(r"[^/]+/(.*?):([\w$-]+)(?:@.*)?")
"""Matches the ID of a rule: message type, site, keyword and condition."""
_UNTITLED_TAGS = ("now:", "at:", "in:", "under:")
"""The prefixes of tags that are not part of the topic, because they only describe a place, a time or a condition."""


def stem(case: Case) -> str:
    """Returns a unique name, which is safe on every file system: `order-minimum_minimum_one-below_19da04d30a1b2c3d`.

    The name consists of the topic and the ID. If the topic is too long, its beginning is removed.
    """
    topic = topic_of(case)[-_LONGEST_TOPIC:].lstrip("._-")
    return "_".join(filter(None, (topic, case.id)))


def topic_of(case: Case) -> str:
    """Returns what a case tests (its topic), in lower-case letters.

    The topic of an invalid case is its site, its keyword and its technique. The topic of any other case consists of its
    tags, or of its ambiguities if it has no tags.
    """
    if case.faults:
        first = case.faults[0]
        parts = _RULE.fullmatch(first.rule)
        site, keyword = parts.groups() if parts else (first.rule, "")
        words = [site or "message", keyword, first.technique, *(["and-more"] if len(case.faults) > 1 else [])]
    else:
        tags = [
            tag.removeprefix("probe:").removeprefix("as:").removeprefix("edge:")
            for tag in case.tags
            if not tag.startswith(_UNTITLED_TAGS)
        ]
        words = tags or list(dict.fromkeys(touch.ambiguity for touch in case.verdict.ambiguities))
    return "_".join(filter(None, map(_plain, words)))


def _plain(text: str) -> str:
    """Converts a site or a tag for a file name: `productClusters[].id` becomes `product-clusters.id`."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower().replace("[]", "")
    return re.sub(r"[-.]*\.[-.]*", ".", re.sub(r"[^a-z0-9.]+", "-", small)).strip("-.")


def reason_of(case: Case) -> str:
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
