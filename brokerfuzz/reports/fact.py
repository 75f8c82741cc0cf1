"""Defines a fact: what reports and the failures of tests show about a message or a finding."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from brokerfuzz.cases.message_diff import changed_lines
from brokerfuzz.wording import readable

LONGEST = 2000
"""The maximum number of characters of a message, a response or a sentence. The command to reproduce a finding may have
twice as many characters.
"""


@dataclass(frozen=True)
class Fact:
    """A label and one or more lines. With `is_exact`, the lines are parts of a message, an answer or a command, which
    reports do not wrap.
    """

    label: str
    lines: Sequence[str]
    is_exact: bool = False


def message_facts(body: bytes, twin: bytes | None, *, longest: int = LONGEST) -> Iterator[Fact]:
    yield Fact("message", [readable(body, longest) or "(no bytes)"], is_exact=True)
    if twin is not None and (lines := changed_lines(twin, body)):
        yield Fact("twin differs", lines, is_exact=True)


def text_lines(facts: Iterable[Fact], indent: str = "   ") -> Iterator[str]:
    """Yields the facts as lines of text, with the labels in a column."""
    for fact in facts:
        for number, line in enumerate(fact.lines):
            label = "" if number else fact.label
            yield f"{indent}{label:<14}{line}"
