"""What a case is called, and why it has its verdict, in printable ASCII: for names of tests and requests, and for comments.

Rules, places and techniques may come from a changed contract, and what was found from a message: nothing of them ends a line, a string or a comment.
"""

import re
from datetime import timedelta

from brokerfuzz.cases.case import NOW_TAG, Case
from brokerfuzz.corpus.formats.format import About
from brokerfuzz.schemas import check
from brokerfuzz.schemas.instants import instant, spell

LONGEST_NAME, LONGEST_REASON = 160, 1000
_TWENTY_YEARS = timedelta(days=20 * 365)
_PLAIN = re.compile(r"[^A-Za-z0-9_./\[\]:=-]+")


def name_of(case: Case) -> str:
    """A name that no other case has: its verdict, what it is about, its id. It consists of letters, digits and `_./[]:=-`, without `::`."""
    about = [f"{fault.rule}.by-{fault.technique}" for fault in case.faults] or [f"{case.message_type}/{tag}" for tag in _telling(case)]
    told = _PLAIN.sub("-", "=and=".join(about)).replace("::", ":")
    return f"{case.label}-{told[:LONGEST_NAME]}-{case.id}"


def _telling(case: Case) -> list[str]:
    tags = [tag for tag in case.tags if not tag.startswith(NOW_TAG)]
    return [".".join(tags[-2:]) or "plain"]


def reason_of(case: Case) -> str:
    """A sentence: what is broken where, what was found and what demanded, or what the contract leaves open."""
    if case.label == "valid":
        return "It breaks no rule and leaves nothing in doubt."
    entries = case.verdict.broken or case.verdict.ambiguities
    said = [f"{entry} ({technique})" if (technique := _technique(case, entry.at)) else str(entry) for entry in entries]
    told = ascii_line("; ".join(said))
    end = "." if case.verdict.broken else ", which the contract says nothing of."
    return f"{'Broken' if case.verdict.broken else 'Unclear'}: {told if len(told) <= LONGEST_REASON else told[:LONGEST_REASON] + '...'}{end}"


def _technique(case: Case, at: str) -> str | None:
    return next((fault.technique for fault in case.faults if fault.at == at), None)


def now_of(case: Case, about: About) -> str | None:
    """The time that the verdict holds at, where it follows the clock and is another one within twenty years."""
    now = next(filter(None, (instant(tag.removeprefix(NOW_TAG)) for tag in case.tags if tag.startswith(NOW_TAG))), None)
    if now is None:
        return None
    later = check(case.message_type, case.body, now=now + _TWENTY_YEARS, contract=about.contract, headers=case.headers)
    return None if later.label == case.label else spell(now)


def told_now(now: str | None) -> str:
    """What a comment says of that time, behind the reason."""
    return f" At {now}, to which the clock has to be set." if now else ""


def ascii_line(text: str) -> str:
    """The text on one line of printable ASCII, all else escaped as Python does."""
    return "".join(char if " " <= char <= "~" else char.encode("unicode_escape").decode() for char in text)
