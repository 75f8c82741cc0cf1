from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from benchmarks.fleet.fleet import conforming, every_candidate, fleet
from benchmarks.fleet.messages import OFFER, Message, Reader
from benchmarks.fleet.mutants import KINDS, Mutant
from benchmarks.fleet.plain_messages import Ground
from benchmarks.fleet.scoring import score
from brokerfuzz import catalogue, load_contract

SHARE_KILLED = 0.98
SHARE_KILLED_BY_400 = 0.65
"""The minimum share of mutants that the first 400 cases of the catalogue must kill. If the catalogue kills more
mutants, raise `SHARE_KILLED` and this share.
"""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@lru_cache
def messages() -> tuple[Message, ...]:
    reader = Reader(load_contract(), NOW)
    return tuple(reader(case.body) for case in catalogue(OFFER, now=NOW))


@lru_cache
def mutants() -> tuple[Mutant, ...]:
    return tuple(fleet(NOW))


def named(name: str) -> Mutant:
    return next(mutant for mutant in mutants() if mutant.name == name)


@pytest.mark.long
def test_the_conforming_service_agrees_with_the_oracle_on_the_whole_catalogue() -> None:
    answer = conforming(Ground(load_contract(), NOW))
    assert [
        message.body
        for message in messages()
        if message.label != "unspecified" and answer(message) != message.conforming
    ] == []


@pytest.mark.long
def test_the_fleet_has_hundreds_of_proven_mutants_of_all_kinds() -> None:
    kinds = Counter(mutant.kind for mutant in mutants())
    assert kinds.total() >= 700
    assert min(kinds[kind] for kind in KINDS) >= 50
    assert Counter(mutant.name for mutant in mutants()).most_common(1)[0][1] == 1, "each has a unique name"
    reader = Reader(load_contract(), NOW)
    assert [
        mutant.name
        for mutant in mutants()
        if not (message := reader(mutant.witness)).contradicts(mutant.answer(message))
    ] == []
    candidates = every_candidate(Ground(load_contract(), NOW))
    missing = {(one.kind, one.mutation) for one in candidates} - {
        (mutant.kind, mutant.mutation) for mutant in mutants()
    }
    assert missing == set(), "each mutation is in the fleet at some site"


@pytest.mark.long
def test_the_catalogue_kills_most_mutants() -> None:
    result = score(mutants(), messages())
    assert result.killed / len(mutants()) >= SHARE_KILLED, result.survivors
    assert result.share_by(400) >= SHARE_KILLED_BY_400


@pytest.mark.long
def test_a_new_field_of_the_contract_has_mutants(tmp_path: Path) -> None:
    def add(schema: dict[str, Any]) -> None:
        schema["properties"]["shelf"] = {"type": "integer", "minimum": 3}

    ground = Ground(changed_contract(tmp_path, "offer-creation-request", add), NOW)
    names = {
        candidate.name
        for candidate in every_candidate(ground)
        if candidate.site == "shelf" and candidate.proven(ground)
    }
    assert {
        "does not check shelf:minimum",
        "accepts null at shelf",
        "demands shelf",
        "rejects more than 1000 at shelf",
    } <= names


@pytest.mark.long
def test_a_score_counts_the_messages_up_to_the_first_that_kills() -> None:
    reader = Reader(load_contract(), NOW)
    dropped, other = named("does not check number:required"), named("does not check offerType:required")
    result = score([dropped, other], [reader(b'{"number":"A","offerType":"Email"}'), reader(b'{"offerType":"Email"}')])
    assert result.first == {dropped: 1, other: None}
    assert (result.killed, result.survivors) == (1, [other])
    assert (result.share_by(1), result.share_by(2)) == (0, 0.5)
