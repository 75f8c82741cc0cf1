"""Faults that are made once and stand in many messages: in late shards most are, and nothing that random cases promise is lost by that."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.cases.steering import steered_cases
from brokerfuzz.cases.steering.breakable_rules import breakables
from brokerfuzz.cases.steering.crossing import STOCK, stock
from brokerfuzz.cases.steering.variants import Variants, _Taking, anew, faults
from brokerfuzz.schemas import MessageType, check, load_contract

NOW = datetime(2025, 1, 1, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"
LATE = range(40, 44)


def made(shard: int) -> list[Case]:
    return list(islice(steered_cases(OFFERS, 1, shard=shard, now=NOW), 1000))


@lru_cache(maxsize=1)
def late() -> list[Case]:
    return [case for shard in LATE for case in made(shard)]


def test_the_first_shards_have_no_variants_and_later_ones_ever_more() -> None:
    one_of = [anew(shard) for shard in range(200)]
    assert one_of[:4] == [1] * 4
    assert one_of == sorted(one_of)
    assert one_of[4] == 2
    assert one_of[-1] == 1024


def test_every_case_is_judged_from_its_bytes() -> None:
    for case in late():
        assert case.verdict == check(OFFERS, case.body, now=NOW), case.body
        assert case.is_compact == Case.judged(OFFERS, case.body, now=NOW).is_compact


def any_property(schema: dict[str, Any]) -> None:
    schema["additionalProperties"] = True


def no_text_that_ends_in_a_letter(schema: dict[str, Any]) -> None:
    schema["properties"]["comments"] = {"type": "string", "allOf": [{"if": {"pattern": "[a-f]$"}, "then": {"maxLength": 1}}]}


def tied_from_cluster_to_cluster(schema: dict[str, Any]) -> None:
    schema["allOf"] = [{"if": {"properties": {"isActive": {"const": True}}}, "then": {"properties": {"number": {"maxLength": 3}}}}]


@pytest.mark.parametrize(
    "change",
    [any_property, *(pytest.param(change, marks=pytest.mark.long) for change in (no_text_that_ends_in_a_letter, tied_from_cluster_to_cluster))],
)
def test_late_cases_of_a_changed_contract_are_judged_from_their_bytes_too(change: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, OFFERS, change)
    cases = list(islice(steered_cases(OFFERS, 1, shard=40, now=NOW, contract=contract), 400))
    assert len(cases) == 400
    for case in cases:
        assert case.verdict == check(OFFERS, case.body, now=NOW, contract=contract), case.body


def test_where_nothing_can_be_done_nothing_is_taken() -> None:
    known = stock(load_contract(), OFFERS, 1, NOW)
    nothing = Variants[Any, Any](known, [], lambda *_: True, lambda *_: None, lambda done: done, 8)
    assert _Taking(nothing, Random(1)).take(known.parents(1)[0].clusters, 1) is None


def test_single_faults_have_a_twin_that_differs_in_one_property() -> None:
    singles = [case for case in late() if len(case.faults) == 1]
    apart = Counter[int]()
    for case in singles:
        assert case.twin is not None
        assert case.twin.label == "valid"
        if case.is_compact and isinstance(case.value, dict):
            one, other = case.value, case.twin.value
            apart[sum(one.get(name, ...) != other.get(name, ...) for name in one.keys() | other.keys())] += 1
    assert set(apart) <= {0, 1}, "0, where the numbers are equal to Python: 1 and true"
    assert apart[1] > 0.85 * len(singles), "the others are no objects, or are written in another way"


def test_double_faults_break_two_rules_and_have_no_twin() -> None:
    doubles = [case for case in late() if len(case.faults) == 2]
    assert len(doubles) > 0.15 * len(late())
    assert all(case.twin is None and len({fault.rule for fault in case.faults}) == 2 for case in doubles)


def test_every_rule_is_broken_about_as_often_as_each_other_one() -> None:
    rules = {rule.id for rule, _ in breakables(load_contract(), OFFERS, None, None).rules}
    broken = Counter(case.faults[0].rule for case in late() if len(case.faults) == 1)
    assert broken.keys() == rules
    assert max(broken.values()) < 8 * min(broken.values())


def test_a_faulty_property_stands_in_several_messages_and_no_message_comes_twice() -> None:
    cases = late()
    assert len({case.body for case in cases}) == len(cases)
    deep = [case for case in cases if len(case.faults) == 1 and case.faults[0].at.startswith("/productClusters/") and isinstance(case.value, dict)]
    props = Counter(str(case.value["productClusters"]) for case in deep)
    assert max(props.values()) > 1
    assert len(props) > 0.5 * len(deep) > 50


def test_whoever_needs_them_first_the_cases_are_the_same() -> None:
    alone = [encode(case) for case in made(LATE[-1])]
    stock.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        shards = list(pool.map(made, [LATE[-1], 12, LATE[-1], 5]))
    assert [encode(case) for case in shards[0]] == [encode(case) for case in shards[2]] == alone


def test_no_more_is_kept_than_the_stock_has_clusters() -> None:
    """Messages that a stream makes anew are parents of others too, for a while: what they may become is forgotten with them."""
    known = faults(stock(load_contract(), OFFERS, 1, NOW), load_contract(), OFFERS, 1, NOW, None, None)
    list(islice(steered_cases(OFFERS, 1, shard=9, now=NOW), 3000))
    kept = [choice.cluster for choice in known.choices.values()]
    assert 100 < len(kept) <= 3 * STOCK
    assert all(cluster.parent is not None for cluster in kept)


def test_the_bytes_of_a_late_shard_stay_what_they_are() -> None:
    """Where this fails on purpose: see test_export_digests."""
    digest = sha256(b"\n".join(encode(case) for case in made(40))).hexdigest()
    assert digest == "7394ca30a0ca63faffc1de4b5c92558a87daef9bde19a0775e89ff0a8f74ab83"
