"""`messages()` yields valid messages. The oracle, which shares no code with the generator, judges them."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, MessageType, check, load_contract, messages
from brokerfuzz.cases.case import compact
from brokerfuzz.pointers import path_to

EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)


@EVERY_TYPE
@pytest.mark.parametrize("plausible", [False, True])
@sample(1000, 10_000)
def test_every_seeded_message_is_valid(message_type: MessageType, plausible: bool, size: int) -> None:
    for message in islice(messages(message_type, 20261121, plausible=plausible), size):
        verdict = check(message_type, compact(message))
        assert verdict.label == "valid", (str(verdict), message)


@pytest.mark.every(3)
@EVERY_TYPE
@pytest.mark.parametrize("plausible", [False, True])
def test_a_seed_gives_the_same_messages_in_another_process(message_type: MessageType, plausible: bool) -> None:
    some = f"islice(messages({message_type!r}, 7, plausible={plausible}), 100)"
    imports = (
        "import sys; from itertools import islice; from brokerfuzz import messages; from brokerfuzz.cases.case "
        "import compact"
    )
    code = f"{imports}; sys.stdout.buffer.writelines(map(compact, {some}))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert there == b"".join(
        compact(message) for message in islice(messages(message_type, 7, plausible=plausible), 100)
    )


def test_seeds_differ() -> None:
    first, second = (list(islice(messages("offer-creation-request", seed), 20)) for seed in (1, 2))
    assert first != second


# ---------------------------------------------------------------------------------------------------- reachability


def _sites_and_values(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    yield path_to(steps), value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in below:
        yield from _sites_and_values(item, (*steps, step))


@EVERY_TYPE
def test_every_site_every_absence_every_null_short_and_long_arrays_and_many_free_values_occur(
    message_type: MessageType,
) -> None:
    sites = load_contract().sites[message_type]
    values: dict[str, list[Any]] = defaultdict(list)
    some = list(islice(messages(message_type, 3), 5_000))
    for message in some:
        for path, value in _sites_and_values(message):
            values[path].append(value)
    for path, site in sites.items():
        present = [value for value in values[path] if value is not None]
        assert present, f"{path} is never present"
        types = site.schema.get("type", ())
        assert "null" not in types or len(present) < len(values[path]), f"{path} is never null"
        if "array" in types:
            sizes = [len(value) for value in present]
            assert (min(sizes), max(sizes) > 10) == (site.schema.get("minItems", 0), True), path
        for name in site.schema.get("properties", ()) if "object" in types else ():
            having = sum(name in value for value in present)
            assert having > 0, f"{path}.{name}"
            assert (having == len(present)) == (name in site.schema.get("required", ())), f"{path}.{name}"
    if message_type == "offer-creation-request":
        types = sites["offerType"].schema["enum"]
        without = {(name, False) for name in types if name != "Product List"}
        found = {(message.get("offerType"), bool(message.get("productClusters"))) for message in some}
        assert found == {(name, True) for name in types} | without
        assert len({message["number"] for message in some}) > 200, "free values are not limited to a few"
