"""Describes a case as Python code, as a short text, and as an explanation with the difference from the twin."""

import re
from bisect import bisect
from collections.abc import Iterator

from brokerfuzz.cases.case import NOW_TAG, Case, Splice
from brokerfuzz.cases.message_diff import difference
from brokerfuzz.cases.rule_names import rule_names
from brokerfuzz.cases.stable_names import edge_of
from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.wording import listed, printable_as_in_python


def as_call(case: Case, contract: Contract | None) -> str:
    """Returns a call of `Case.judged` that creates the case again, without tags other than `now:TIME`."""
    options = {
        "faults": _written_faults(case, contract or load_contract()),
        "twin": case.twin and splice(case.body, case.twin.body),
        "tags": [tag for tag in case.tags if tag.startswith(NOW_TAG)],
    }
    written = [
        repr(case.message_type),
        repr(case.body),
        *(f"{name}={value!r}" for name, value in options.items() if value),
    ]
    if contract is not None:
        written.append(f"contract=load_contract({str(contract.folder)!r})")
    return f"Case.judged({', '.join(written)})"


def _written_faults(case: Case, contract: Contract) -> list[str]:
    """Returns the faults as strings, such as `orderMinimum minimum one-below`."""
    names = rule_names(contract, case.message_type)
    return [f"{names.get(fault.rule, fault.rule)} {fault.technique}" for fault in case.faults]


def splice(body: bytes, twin: bytes) -> Splice:
    """Returns `(start, end, other)`, where `twin` equals `body[:start] + other + body[end:]`."""
    start = _common_prefix_length(body, twin)
    end = _common_prefix_length(body[start:][::-1], twin[start:][::-1])
    return start, len(body) - end, twin[start : len(twin) - end]


def _common_prefix_length(one: bytes, other: bytes) -> int:
    return bisect(range(min(len(one), len(other))), False, key=lambda index: one[: index + 1] != other[: index + 1])


def readable_id(case: Case, contract: Contract | None) -> str:
    """Describes a case in a few words, such as `breaks orderMinimum minimum one-below`."""
    names = rule_names(contract or load_contract())
    if case.label == "invalid":
        claimed = [f"{names.get(fault.rule, fault.rule)} {fault.technique}" for fault in case.faults]
        return "breaks " + listed(
            claimed or dict.fromkeys(names.get(entry.rule, entry.rule) for entry in case.verdict.broken)
        )
    if case.label == "valid":
        return f"{case.label} {case.message_type} {edge_of(case) or case.id}"
    return "touches " + listed(f"{touch.ambiguity} at {touch.at or 'the root'}" for touch in case.verdict.ambiguities)


def described(case: Case, contract: Contract | None) -> Iterator[str]:
    """Yields comment lines that explain the case and its difference from the twin, and then the code from `as_call`."""
    reasons = [line.strip() for line in str(case.verdict).splitlines()[1:]]
    for line in [str(case), *reasons, *(difference(case.twin.body, case.body) if case.twin else ())]:
        yield f"# {printable_as_in_python(line)}"
    yield as_call(case, contract)


_UNUSUAL = re.compile(rb"[^ -\[\]-~]")
"""A byte that is not printable ASCII, or the backslash of an escape."""


def strangeness(case: Case) -> tuple[bool, int]:
    """Returns a sort key. Messages with escapes or unusual characters come last, and long messages come after short
    ones. Of messages with the same number of digits in their length, the order does not change: the simplest techniques
    come first.
    """
    return _UNUSUAL.search(case.body) is not None, len(str(len(case.body)))
