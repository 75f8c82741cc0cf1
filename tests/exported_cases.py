"""Cases of every kind for the tests of formats, and functions that export them."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from itertools import islice

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus import load
from brokerfuzz.corpus.formats import CorpusInfo, format_named
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, load_contract

NOW = datetime(2025, 6, 15, 12, tzinfo=UTC)
OFFER = MESSAGE_TYPES[0]


@cache
def cases() -> tuple[Case, ...]:
    """Returns some cases of all message types and verdicts. Among them are faults, probes, random cases, and bytes that
    are not messages.
    """
    odd = (b"", b"\xff\xfe\x00", b"\x80", b'{"number":\r\n"1"}\r\n', b"[" * 20_000, b"[" + b" " * 2_000_000)
    found = [
        *load(OFFER, verdicts=["unspecified"]),
        *islice(random_cases(OFFER, 1, now=NOW), 300),
        *(case for message_type in MESSAGE_TYPES[1:] for case in load(message_type)),
        *(Case.judged(OFFER, body, now=NOW) for body in odd),
    ]
    mixed = {case.id: case for start in range(7) for case in found[start::7]}
    return tuple(mixed.values())


def corpus_info(contract: Contract | None = None) -> CorpusInfo:
    return CorpusInfo(contract or load_contract(), MESSAGE_TYPES, "--seed 1")


def folder(name: str, chosen: Iterable[Case], contract: Contract | None = None) -> dict[str, bytes]:
    """Exports the cases to a format that is a folder. Maps the name of each file to its content."""
    form = format_named(name)
    assert form.is_folder
    found: dict[str, bytes] = {}
    for file in form.files(iter(chosen), corpus_info(contract)):
        assert file.name not in found
        found[file.name] = b"".join(file.pieces)
    return found
