"""Reads the catalogue of the built-in contract, with its verdicts, from a file in the package.

Reading a case is fast, because the oracle does not judge it again. A test generates the whole catalogue again, and checks that
every case and verdict equals the one in the file. A time-dependent case is different at another time. So the file contains only
the faults or tags of such a case. From them, brokerfuzz generates the case for the requested time.

    {"body": "{\\"number\\":…}", "label": "invalid", "broken": [[rule, place, found, demanded, under]], "faults": [[rule, place, technique]],
     "tags": ["catalogue"], "twin": 12}                        a case; its twin is the case at position 12 of the list
    {"faults": [[…]], "probe": [], "number": 3}                a time-dependent case

`python -m brokerfuzz.cases.prepared_catalogue` generates the files of all message types again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from functools import lru_cache
from itertools import chain, starmap
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from brokerfuzz.cases.case import TWIN_TAGS, Broken, Case, Fault, tagged_now
from brokerfuzz.cases.catalogue_maker import faults_of, generate, probes_of
from brokerfuzz.compression import compressing, opened_for_reading
from brokerfuzz.decoder.value_pools import EARLIEST_NOW
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, MessageType, Rule, Touched, Verdict, Violation, load_contract

DATA = Path(__file__).with_name("data")
"""The folder that contains one compressed file for each message type."""
STRENGTH = 2
_PROBING = ("probe:", "as:")
"""The prefixes of the tags that describe a probe of an ambiguity."""


class _ClockCase(NamedTuple):
    """Identifies a time-dependent case by its faults or tags, because the message of the case is different at another time.
    `number` distinguishes cases with the same faults or tags.
    """

    faults: tuple[Fault, ...]
    probe: tuple[str, ...]
    number: int


class _Prepared(NamedTuple):
    """The cases in the file, with a `_ClockCase` instead of each time-dependent case. `rules` and `ambiguities` are needed to
    generate the time-dependent cases.
    """

    cases: Sequence[Case | _ClockCase]
    rules: Sequence[Rule]
    ambiguities: Sequence[Ambiguity]


def prepared(message_type: MessageType, now: datetime | None) -> Sequence[Case]:
    """Returns the same cases as `catalogue_maker.generate`. If `now` is None, the function returns no time-dependent cases.

    Raises `CorpusError` if the file cannot be read.
    """
    try:
        found, rules, ambiguities = _prepared(message_type)
    except (CorpusError, AttributeError, LookupError, OSError, TypeError, ValueError) as problem:
        raise CorpusError(
            f"the catalogue in the brokerfuzz package cannot be used ({problem}): install brokerfuzz again. If you have changed brokerfuzz, "
            "prepare the catalogue again with `python -m brokerfuzz.cases.prepared_catalogue`"
        ) from problem
    clocked = {} if now is None else dict(_clocked(message_type, now, rules, ambiguities))
    cases = (clocked.get(one) if isinstance(one, _ClockCase) else one for one in found)
    return tuple({case.id: case for case in cases if case is not None}.values())


@lru_cache
def _prepared(message_type: MessageType) -> _Prepared:
    with opened_for_reading(_path(message_type)) as file:
        stored = orjson.loads(file.read())
    found: list[Case | _ClockCase] = []
    twins = dict[int, Case]()
    for one in stored:
        found.append(_case(message_type, one, found, twins) if "body" in one else _ClockCase(_faults(one), tuple(one["probe"]), one["number"]))
    clocked = [one for one in found if isinstance(one, _ClockCase)]
    broken = {fault.rule for one in clocked for fault in one.faults}
    probed = {tag.removeprefix("probe:") for one in clocked for tag in one.probe}
    contract = load_contract()
    rules = [rule for rule in contract.rules[message_type] if rule.id in broken]
    return _Prepared(found, rules, [ambiguity for ambiguity in contract.ambiguities if ambiguity.id in probed])


def _case(message_type: MessageType, stored: Mapping[str, Any], found: Sequence[Case | _ClockCase], twins: dict[int, Case]) -> Case:
    broken, ambiguities = starmap(Violation, stored.get("broken", ())), starmap(Touched, stored.get("ambiguities", ()))
    verdict = Verdict(stored["label"], tuple(broken), tuple(ambiguities))
    about = message_type, stored["body"].encode("latin-1"), verdict, _faults(stored), tuple(stored["tags"])
    headers = tuple(map(tuple, stored.get("headers", ())))
    if (twin := stored.get("twin")) is None:
        return Case(*about, headers=headers)
    if twin not in twins:
        twins[twin] = replace(found[twin], tags=TWIN_TAGS)
    return Broken(*about, twin=twins[twin], headers=headers)


def _faults(stored: Mapping[str, Any]) -> tuple[Fault, ...]:
    return tuple(starmap(Fault, stored.get("faults", ())))


def _clocked(message_type: MessageType, now: datetime, rules: Iterable[Rule], ambiguities: Iterable[Ambiguity]) -> Iterator[tuple[_ClockCase, Case]]:
    contract, seen = load_contract(), Counter[tuple[tuple[Fault, ...], tuple[str, ...]]]()
    for case in chain(faults_of(contract, message_type, now, rules), probes_of(contract, message_type, now, ambiguities)):
        if tagged_now(case.tags) is not None:
            about = case.faults, tuple(tag for tag in case.tags if tag.startswith(_PROBING))
            yield _ClockCase(*about, seen[about]), case
            seen[about] += 1


def _path(message_type: MessageType) -> Path:
    return DATA / f"{message_type}.json.zst"


def prepare(message_type: MessageType) -> None:
    contract = load_contract()
    cases = generate(contract, message_type, EARLIEST_NOW, STRENGTH)
    clocked = {case.id: place for place, case in _clocked(message_type, EARLIEST_NOW, contract.rules[message_type], contract.ambiguities)}
    positions = {case.id: position for position, case in enumerate(cases)}
    stored = [_stored_clock_case(clocked[case.id]) if tagged_now(case.tags) else _stored(case, positions) for case in cases]
    with _path(message_type).open("wb") as file, compressing(file, file.name) as packed:
        packed.write(orjson.dumps(stored))


def _stored(case: Case, positions: Mapping[str, int]) -> Mapping[str, Any]:
    verdict = case.verdict
    parts = {
        "broken": [*map(astuple, verdict.broken)],
        "ambiguities": [*map(astuple, verdict.ambiguities)],
        "faults": [*map(astuple, case.faults)],
        "headers": case.headers,
        "twin": positions[case.twin.id] if case.twin else None,
    }
    filled = {name: part for name, part in parts.items() if part not in ([], (), None)}
    return {"body": case.body.decode("latin-1"), "label": verdict.label, "tags": case.tags, **filled}


def _stored_clock_case(place: _ClockCase) -> Mapping[str, Any]:
    return {"faults": [*map(astuple, place.faults)], "probe": place.probe, "number": place.number}


if __name__ == "__main__":
    for name in MESSAGE_TYPES:
        prepare(name)
