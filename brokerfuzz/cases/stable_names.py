"""Names what cases test. Lists of expected failures contain these names, because they survive changes of the messages.

    offer-creation-request/orderMinimum:minimum one-below          the broken rule, and the technique
    offer-creation-request/accessGroups[]:type null-instead …      in the catalogue also the place
    offer-creation-request/valid edge:comments:null                a valid message, its place and its edge
    offer-creation-request/valid twin 19da04d3e0c2b1f7             a message that only its ID distinguishes

A name consists of the subject of the case, and a variant that distinguishes the case from others with this subject.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import NOW_TAG, PAIRS, RANDOM, TWIN_TAGS

_SHARED_TAGS = {*TWIN_TAGS, RANDOM, PAIRS}
"""The tags that many cases share."""


def subject_of(case: Case) -> str:
    """Returns the ID of the broken rule, or the message type with the verdict."""
    if case.faults:
        return case.faults[0].rule
    if case.label == "invalid":
        return case.verdict.broken[0].rule
    if case.label == "valid":
        return f"{case.message_type}/valid"
    return f"{case.message_type}/unspecified:{case.verdict.ambiguities[0].ambiguity}"


def variant_of(case: Case) -> str:
    """Returns what distinguishes a case from others with the same subject. The ID does so if nothing else does."""
    words = list(_words(case))
    if not words or not _SHARED_TAGS.isdisjoint(case.tags):
        words.append(case.id)
    return " ".join(words)


def name_of(case: Case) -> str:
    return f"{subject_of(case)} {variant_of(case)}"


def unique_names(cases: Sequence[Case], subjects: Sequence[str]) -> list[str]:
    """Returns a name for each case: its subject and its variant, and its ID if another case has the same ones."""
    names = [f"{subject} {variant_of(case)}" for case, subject in zip(cases, subjects, strict=True)]
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} {case.id}" for name, case in zip(names, cases, strict=True)]


def _words(case: Case) -> Iterator[str]:
    yield from (fault.technique for fault in case.faults)
    yield from (tag for tag in case.tags if not tag.startswith(NOW_TAG))
    if case.label == "unspecified" and case.verdict.ambiguities:
        yield f"at {case.verdict.ambiguities[0].at or 'the root'}"
