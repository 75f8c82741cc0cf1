"""Reads the catalogue of the built-in contract from a file in the package.

brokerfuzz judges every message in the file again. Reading the file takes a quarter of the time that generating the catalogue
takes. The file was generated for the earliest supported time. The cases about the clock are generated for the requested time, and
get the same positions in the list.

`python -m brokerfuzz.cases.prepared_catalogue` writes the file. A test fails if the file is out of date.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from brokerfuzz.cases.case import TWIN_TAGS, Case, Fault, tagged_now
from brokerfuzz.cases.catalogue_maker import faults_of, generate, probes_of
from brokerfuzz.cases.record_reader import CaseRecord, record_of
from brokerfuzz.cases.records import encode_all
from brokerfuzz.compression import compressing, opened_for_reading
from brokerfuzz.decoder.value_pools import EARLIEST_NOW
from brokerfuzz.errors import CorpusError, LabelError
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, MessageType, Rule, load_contract

DATA = Path(__file__).with_name("data")
"""The folder that contains one compressed file for each message type."""
STRENGTH = 2
_PROBING = ("probe:", "as:")
"""The prefixes of the tags that describe a probe of an ambiguity."""


class _ClockCase(NamedTuple):
    """Identifies a case about the clock, so that it can be found again in a catalogue for another time.

    The faults or tags of the case identify it. A number distinguishes cases with the same faults or tags.
    """

    faults: tuple[Fault, ...]
    probe: tuple[str, ...]
    number: int


class _Prepared(NamedTuple):
    """The cases in the file, with a placeholder for each case about the clock, and the rules and ambiguities of the cases about
    the clock.
    """

    cases: Sequence[Case | _ClockCase]
    rules: Sequence[Rule]
    ambiguities: Sequence[Ambiguity]


def prepared(message_type: MessageType, now: datetime | None) -> Sequence[Case]:
    """Returns the same cases as `catalogue_maker.generate`. If `now` is None, the function returns no cases about the clock.

    Raises `CorpusError` if the file cannot be read.
    """
    try:
        found, rules, ambiguities = _prepared(message_type)
    except (CorpusError, LabelError, LookupError, OSError) as problem:
        raise CorpusError(
            f"the catalogue in the brokerfuzz package cannot be used ({problem}): install brokerfuzz again. If you have changed brokerfuzz, "
            "prepare the catalogue again with `python -m brokerfuzz.cases.prepared_catalogue`"
        ) from problem
    clocked = {} if now is None else dict(_clocked(message_type, now, rules, ambiguities))
    cases = (clocked.get(one) if isinstance(one, _ClockCase) else one for one in found)
    return tuple({case.id: case for case in cases if case is not None}.values())


@lru_cache
def _prepared(message_type: MessageType) -> _Prepared:
    valid, twins = dict[str, Case](), dict[str, Case]()
    cases: list[Case | str] = []  # a string is the ID of a case about the clock
    broken, probed = set[str](), set[str]()
    for record in _records(_path(message_type)):
        if record.now is not None:
            cases.append(record.id)
            broken.update(fault.rule for fault in record.faults)
            probed.update(tag.removeprefix("probe:") for tag in record.tags)
            continue
        twin = _twin(record.twin_id, valid, twins) if record.twin_id is not None else None
        case = Case.judged(
            message_type, record.body, faults=record.faults, tags=record.tags, twin=twin, now=EARLIEST_NOW, headers=record.headers
        )  # fmt: skip
        if case.label == "valid":
            valid[case.id] = case
        cases.append(case)
    contract = load_contract()
    rules = [rule for rule in contract.rules[message_type] if rule.id in broken]
    ambiguities = [ambiguity for ambiguity in contract.ambiguities if ambiguity.id in probed]
    places = {case.id: place for place, case in _clocked(message_type, EARLIEST_NOW, rules, ambiguities)}
    return _Prepared([places[one] if isinstance(one, str) else one for one in cases], rules, ambiguities)


def _twin(case_id: str, valid: Mapping[str, Case], twins: dict[str, Case]) -> Case:
    """Returns the valid case with this ID, with the tags of a twin."""
    if case_id not in twins:
        twins[case_id] = replace(valid[case_id], tags=TWIN_TAGS)
    return twins[case_id]


def _clocked(message_type: MessageType, now: datetime, rules: Iterable[Rule], ambiguities: Iterable[Ambiguity]) -> Iterator[tuple[_ClockCase, Case]]:
    """Yields the cases about the clock for this time."""
    contract, seen = load_contract(), Counter[tuple[tuple[Fault, ...], tuple[str, ...]]]()
    for case in chain(faults_of(contract, message_type, now, rules), probes_of(contract, message_type, now, ambiguities)):
        if tagged_now(case.tags) is not None:
            about = case.faults, tuple(tag for tag in case.tags if tag.startswith(_PROBING))
            yield _ClockCase(*about, seen[about]), case
            seen[about] += 1


def _records(path: Path) -> Iterator[CaseRecord]:
    is_last = False
    with opened_for_reading(path) as lines:
        for record in map(record_of, lines):
            is_last = record.last
            yield record
    if not is_last:
        raise CorpusError(f"{path} is incomplete")


def _path(message_type: MessageType) -> Path:
    return DATA / f"{message_type}.ndjson.zst"


def prepare(message_type: MessageType) -> None:
    """Generates the catalogue of a message type and writes it to its file."""
    cases = generate(load_contract(), message_type, EARLIEST_NOW, STRENGTH)
    with _path(message_type).open("wb") as file, compressing(file, file.name) as packed:
        packed.write(encode_all(cases, last=True))


if __name__ == "__main__":
    for name in MESSAGE_TYPES:
        prepare(name)
