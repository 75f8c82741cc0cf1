"""The name of a case and the reason for its verdict, in printable ASCII. Exported tests and requests have these names, and comments
contain the reasons.

Rules, places and techniques may come from an untrusted contract, and quoted values come from a message. So this module escapes all
characters that could end a line, a string or a comment.
"""

import re

from brokerfuzz.cases.case import NOW_TAG, Case, tagged_now
from brokerfuzz.schemas.instants import spell

LONGEST_NAME, LONGEST_REASON = 160, 1000
_PLAIN = re.compile(r"[^A-Za-z0-9_./\[\]:=-]+")


def name_of(case: Case) -> str:
    """Returns a unique name with the verdict, topic and ID of a case. It consists of letters, digits and `_./[]:=-`, without `::`."""
    topics = [f"{fault.rule}.by-{fault.technique}" for fault in case.faults] or [f"{case.message_type}/{tag}" for tag in _topic_tags(case)]
    topic = _PLAIN.sub("-", "=and=".join(topics)).replace("::", ":")
    return f"{case.label}-{topic[:LONGEST_NAME]}-{case.id}"


def _topic_tags(case: Case) -> list[str]:
    tags = [tag for tag in case.tags if not tag.startswith(NOW_TAG)]
    return [".".join(tags[-2:]) or "plain"]


def reason_of(case: Case) -> str:
    """Returns a sentence with the broken rules and their places, or with the ambiguities that the message touches."""
    if case.label == "valid":
        return "The message breaks no rule and touches no ambiguity."
    entries = case.verdict.broken or case.verdict.ambiguities
    reasons = [f"{entry} ({technique})" if (technique := _technique(case, entry.at)) else str(entry) for entry in entries]
    line = ascii_line("; ".join(reasons))
    kind = "Broken" if case.verdict.broken else "The contract leaves this open"
    return f"{kind}: {line if len(line) <= LONGEST_REASON else line[:LONGEST_REASON] + '...'}."


def _technique(case: Case, at: str) -> str | None:
    return next((fault.technique for fault in case.faults if fault.at == at), None)


def now_of(case: Case) -> str | None:
    """Returns the time for which a case about the clock was made. Returns None for any other case: its verdict is always correct."""
    now = tagged_now(case.tags)
    return None if now is None else spell(now)


def clock_note(now: str | None) -> str:
    """Returns a sentence about the time for which the case was made. In a comment, the sentence follows the reason."""
    return f" This case was made for {now}: set the clock of the target to this time." if now else ""


def ascii_line(text: str) -> str:
    """Returns the text as one line of printable ASCII. All other characters are escaped as in Python."""
    return "".join(char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text)
