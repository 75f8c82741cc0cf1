"""Loads the corpus that is part of the package. This corpus contains the cases that `brokerfuzz export` writes by
default.

The verdicts do not depend on the current time.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.corpus.reading import read
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
    unless `verdicts` excludes valid cases. The first call for a message type is slower, because it judges the cases.
    The function does not need Hypothesis.

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
    return [
        case
        for case in chosen.of(_all(load_contract().known_message_type(message_type)))
        if labels is None or case.label in labels
    ]


@lru_cache
def _all(message_type: MessageType) -> Sequence[Case]:
    return tuple(read(DATA / f"{message_type}.ndjson"))
