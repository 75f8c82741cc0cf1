"""The name of a case and the reason for its verdict, in printable ASCII. Exported tests and requests have these names, and comments
contain the reasons.

Rules, places and techniques may come from an untrusted contract, and quoted values come from a message. So this module escapes all
characters that could end a line, a string or a comment.
"""

import re
from datetime import timedelta

from brokerfuzz.cases.case import NOW_TAG, Case
from brokerfuzz.corpus.formats.format import CorpusInfo
from brokerfuzz.schemas import check
from brokerfuzz.schemas.instants import instant, spell

LONGEST_NAME, LONGEST_REASON = 160, 1000
_TWENTY_YEARS = timedelta(days=20 * 365)
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


def now_of(case: Case, about: CorpusInfo) -> str | None:
    """Returns the time at which the verdict is correct. Returns None if the verdict stays the same for the next twenty years."""
    now = next(filter(None, (instant(tag.removeprefix(NOW_TAG)) for tag in case.tags if tag.startswith(NOW_TAG))), None)
    if now is None:
        return None
    later = check(case.message_type, case.body, now=now + _TWENTY_YEARS, contract=about.contract, headers=case.headers)
    return None if later.label == case.label else spell(now)


def clock_note(now: str | None) -> str:
    """Returns a sentence about the time at which the verdict is correct. It is empty if the time does not matter. In a comment, it
    follows the reason.
    """
    return f" This verdict is correct only at {now}: set the clock of the target to this time." if now else ""


def ascii_line(text: str) -> str:
    """Returns the text as one line of printable ASCII. All other characters are escaped as in Python."""
    return "".join(char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text)
