import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.corpus.bundled_corpus import DATA
from brokerfuzz.corpus.verifying import CorpusProblem, Verification
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract

Record = dict[str, Any]
INVENTED: Final = ("mine", "edges:complete", "edge:unicorn", "edge:number:unicorn", "probe:cron-syntax", "as:unicorn", "at:twelfth", "in:disguise",
                   "pairs:x", "now:today", "under:offerType=Unicorn", "control:number=1", "body:empty", "edge:", "random:1")  # fmt: skip


@cache
def records() -> Mapping[str, Record]:
    lines = [line for message_type in MESSAGE_TYPES for line in (DATA / f"{message_type}.ndjson").read_bytes().splitlines()]
    return {record["id"]: record for record in map(json.loads, lines)}


def problems_of(*some: Record) -> list[CorpusProblem]:
    lines = [json.dumps({**record, "last": record is some[-1]}, ensure_ascii=False).encode() for record in some]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.ndjson"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return [problem for problem in Verification().of(path) if problem is not None]


def places_in(value: Any, above: str = "") -> list[str]:
    """Returns the JSON Pointers of a value and of all values inside it."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [above, *(place for key, inner in entries for place in places_in(inner, f"{above}/{key}"))]


def with_fault(record: Record, **change: str) -> Record:
    return {**record, "faults": [{**record["faults"][0], **change}, *record["faults"][1:]]}


def unknown_technique(record: Record, draw: Callable[..., Any]) -> Record:
    return with_fault(record, technique=draw(st.text().filter(lambda name: name not in TECHNIQUES)))


def technique_for_other_rules(record: Record, draw: Callable[..., Any]) -> Record:
    keyword = load_contract().rules_by_id[record["faults"][0]["rule"]].keyword
    return with_fault(record, technique=draw(st.sampled_from([name for name, one in TECHNIQUES.items() if keyword not in one.keywords])))


def another_place(record: Record, draw: Callable[..., Any]) -> Record:
    broken = {fault["at"] for fault in record["faults"]}
    return with_fault(record, at=draw(st.sampled_from([place for place in [*places_in(record.get("body")), "/unicorn"] if place not in broken])))


def invented_tag(record: Record, draw: Callable[..., Any]) -> Record:
    tag = draw(st.sampled_from(INVENTED) | st.text().filter(lambda text: text not in ("twin", "random", "plausible")))
    assume(tag not in record.get("tags", ()))
    return {**record, "tags": [*record.get("tags", ()), tag]}


def itself_as_twin(record: Record, draw: Callable[..., Any]) -> Record:
    return {**record, "twin": record["id"]}


def absent_twin(record: Record, draw: Callable[..., Any]) -> Record:
    return {**record, "twin": draw(st.text("0123456789abcdef", min_size=16, max_size=16).filter(lambda name: name not in records()))}


OF_FAULTS: Final = (unknown_technique, technique_for_other_rules, another_place)
OF_ALL: Final = (invented_tag, itself_as_twin, absent_twin)


@given(data=st.data())
@pytest.mark.parametrize("falsify", [*OF_FAULTS, *OF_ALL])
def test_a_false_record_is_the_only_problem(falsify: Callable[[Record, Callable[..., Any]], Record], data: st.DataObject) -> None:
    suitable = [name for name, record in records().items() if record.get("faults") or falsify in OF_ALL]
    record = records()[data.draw(st.sampled_from(suitable))]
    twins = [records()[record["twin"]]] if "twin" in record else []
    assert problems_of(*twins, record) == []
    (problem,) = problems_of(*twins, falsify(record, data.draw))
    assert problem.line == len(twins) + 1
    assert len(str(problem)) < 1000


@given(data=st.data())
def test_a_twin_that_is_not_valid_is_a_problem(data: st.DataObject) -> None:
    faulty = [record for record in records().values() if record.get("faults")]
    record, other = data.draw(st.sampled_from(faulty)), data.draw(st.sampled_from([one for one in records().values() if one["verdict"] != "valid"]))
    assume(record["id"] != other["id"])
    other = {name: value for name, value in other.items() if name != "twin"}
    for some in ((other, {**record, "twin": other["id"]}), ({**record, "twin": other["id"]}, other)):
        (problem,) = problems_of(*some)
        assert f"has the twin {other['id']}, which is {other['verdict']}" in problem.why


def test_a_twin_may_come_after_its_fault() -> None:
    record = next(record for record in records().values() if record.get("faults"))
    assert problems_of(record, records()[record["twin"]]) == []
