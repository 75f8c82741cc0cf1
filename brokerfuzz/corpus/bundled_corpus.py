"""The corpus that comes with brokerfuzz: the minimal catalogue of each message type, which breaks every rule by every technique once.

It was made against a time far ahead, so that what is in the future there is so for any reader up to then; what is past in it has been so since 2001.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.corpus.reading import read
from brokerfuzz.schemas import Label, MessageType, load_contract
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.verdicts import known_labels

DATA = Path(__file__).with_name("data")
"""Where it lies: a file a message type."""


def load(
    message_type: MessageType,
    *,
    verdicts: Collection[Label] | None = None,
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    sites: Sequence[str] = (),
) -> list[Case]:
    """The minimal catalogue of a message type, in its order: valid cases, and behind them the faults whose twins they are.

    `verdicts`, `rules`, `techniques` and `sites` choose from it; in the last three `*` stands for anything, and the twins of what they choose are
    chosen too. A text in place of several is one. Every case is judged, when a message type is first asked for. It needs no Hypothesis. Raises
    `UnknownNameError` for a message type or verdict that is none, and a pattern that no rule, technique or site fits.
    """
    labels = None if verdicts is None else known_labels(verdicts)
    chosen = selection(
        load_contract(),
        *(([some] if isinstance(some, str) else some) for some in (rules, techniques)),
        sites=[sites] if isinstance(sites, str) else sites,
    )
    return [case for case in chosen.of(_all(known_message_type(message_type))) if labels is None or case.label in labels]


@lru_cache
def _all(message_type: MessageType) -> Sequence[Case]:
    return tuple(read(DATA / f"{message_type}.ndjson"))
