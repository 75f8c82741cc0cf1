"""Loads the corpus that is part of the package. This corpus contains the cases that `brokerfuzz export` writes by
default.

The verdicts do not depend on the current time.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.records import CaseRecord, judged
from brokerfuzz.corpus.reading import records
from brokerfuzz.schemas import Label, MessageType, load_contract
from brokerfuzz.schemas.verdicts import known_labels

DATA = Path(__file__).with_name("data")
"""The folder of the corpus, with one file per message type."""


def load(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] | None = None,
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
) -> list[Case]:
    """Returns the essential cases of a message type. These cases break each rule with each technique, and contain each
    edge (an unusual valid value) and each probe of an ambiguity.

    The twin (the valid counterpart) of an invalid case comes before the invalid case. `verdicts`, `rules` and
    `techniques` select cases. `rules` contains rules (`orderMinimum:minimum`) or properties (`orderMinimum`). In
    `rules` and `techniques`, `*` matches any characters. The twins of the selected invalid cases are included too,
    unless `verdicts` excludes valid cases. Each case is judged when it is first selected. The function does not need
    Hypothesis.

    Raises `UnknownNameError` if a message type or verdict is unknown, or if a pattern matches no rule or technique.
    Raises `TypeError` for a single string instead of a list.

    >>> from brokerfuzz.corpus import load
    >>> [
    ...     str(case)
    ...     for case in load("offer-creation-request", rules=["*orderMinimum:minimum"], techniques=["one-below"])
    ... ]
    ['valid offer-creation-request orderMinimum:lowest', 'breaks orderMinimum minimum one-below']
    """
    labels = None if verdicts is None else known_labels(verdicts)
    chosen = selection(load_contract(), rules, techniques)
    known_records = _records(load_contract().known_message_type(message_type)).values()
    cases = (_case(message_type, record.id) for record in known_records if chosen.wants(record))
    return [case for case in chosen.of(cases) if labels is None or case.label in labels]


@cache
def _records(message_type: MessageType) -> Mapping[str, CaseRecord]:
    return {record.id: record for record in records(DATA / f"{message_type}.ndjson")}


@cache
def _case(message_type: MessageType, case_id: str) -> Case:
    record = _records(message_type)[case_id]
    twins = {} if record.twin_id is None else {record.twin_id: _case(message_type, record.twin_id)}
    return judged(record, twins)
