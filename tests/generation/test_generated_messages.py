"""`messages()` yields valid messages. The oracle, which shares no code with the generator, judges them."""

import subprocess
import sys
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, MessageType, check, load_contract, messages
from brokerfuzz.cases.case import compact
from brokerfuzz.schemas.sites import site_of

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


def _sites_and_values(value: Any, steps: tuple[Any, ...] = ()) -> Any:
    yield site_of(steps), value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in below:
        yield from _sites_and_values(item, (*steps, step))


class Seen:
    """Counts nulls, objects and properties in `count` messages. Also collects the lengths of arrays."""

    def __init__(self, message_type: MessageType, count: int) -> None:
        self.message_type = message_type
        self.sites = load_contract().sites[message_type]
        self.nulls: Counter[tuple[str, bool]] = Counter()
        self.objects: Counter[str] = Counter()
        self.owners: Counter[tuple[str, str]] = Counter()
        self.sizes: set[tuple[str, int]] = set()
        self.clusters: set[tuple[str | None, bool]] = set()
        for message in islice(messages(message_type, 3), count):
            self.clusters.add((message.get("offerType"), bool(message.get("productClusters"))))
            for path, value in _sites_and_values(message):
                self._count(path, value)

    def _count(self, path: str, value: Any) -> None:
        self.nulls[path, value is None] += 1
        if isinstance(value, dict):
            self.objects[path] += 1
            self.owners.update((path, name) for name in value)
        elif isinstance(value, list):
            self.sizes.add((path, len(value)))


@EVERY_TYPE
def test_every_site_every_absence_every_null_and_short_and_long_arrays_occur(message_type: MessageType) -> None:
    seen = Seen(message_type, 5_000)
    for path, site in seen.sites.items():
        assert seen.nulls[path, False], f"{path} is never present"
        if "null" in site.schema.get("type", ()):
            assert seen.nulls[path, True], f"{path} is never null"
        if "array" in site.schema.get("type", ()):
            sizes = {items for where, items in seen.sizes if where == path}
            assert (min(sizes), max(sizes) > 10) == (site.schema.get("minItems", 0), True), path
    for path, count in seen.objects.items():
        for name in seen.sites[path].schema["properties"]:
            required = name in seen.sites[path].schema.get("required", ())
            assert 0 < seen.owners[path, name] <= count
            assert (seen.owners[path, name] == count) == required, f"{path}.{name}"
    if message_type == "offer-creation-request":
        types = seen.sites["offerType"].schema["enum"]
        without = {(name, False) for name in types if name != "Product List"}
        assert seen.clusters == {(name, True) for name in types} | without


def test_free_values_are_not_limited_to_the_pools() -> None:
    numbers = {message.get("number") for message in islice(messages("offer-creation-request", 11), 6000)}
    assert len(numbers) > 200
