"""A large message is thinned before its errors are listed: the same are found, in bounded memory."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import pytest

from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.steering.stream import steered_cases
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract
from brokerfuzz.schemas.json_reader import DEEPEST, read
from brokerfuzz.schemas.oracle import MOST_BROKEN, rulebook_of

PRODUCTS: MessageType = "product-list-response"
OFFER: MessageType = "offer-creation-request"
PRODUCT = {"productId": "1", "productNumber": "1", "productType": "a", "status": "a", "lastUpdateDateTimeUtc": "2001-01-01T00:00:00Z"}


def read_messages(message_type: MessageType) -> Iterator[Any]:
    for case in chain(catalogue(message_type), islice(steered_cases(message_type, 5), 500)):
        if case.label == "invalid" and case.body.count(b"[") < DEEPEST:
            yield from read(case.body).values


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_what_is_found_in_a_thinned_message_is_what_is_found_in_the_whole(message_type: MessageType) -> None:
    rulebook = rulebook_of(load_contract(), message_type)
    for value in read_messages(message_type):
        assert rulebook._broken_of(value, rulebook._thinning.of(value)) == rulebook._broken_of(value, value)


@pytest.mark.parametrize(
    ("message_type", "value"),
    [
        (PRODUCTS, {"data": [*[PRODUCT] * 5000, {}, *[PRODUCT] * 5000, {**PRODUCT, "status": 5}]}),
        (PRODUCTS, {"data": [{**PRODUCT, "more": [{}] * 50} for _ in range(MOST_BROKEN // 2)]}),
        (OFFER, {"offerType": "Product List", "productClusters": [{"products": []}] * 50 + [{"name": "a"}] * 50}),
        (OFFER, {"offerType": "Email", "productClusters": [{"products": [{}] * 10}] * 10}),
        (OFFER, {"comments": [{}] * 5000, "accessGroups": {str(number): {} for number in range(5000)}}),
        (OFFER, {f"unknown {number}": [{}] for number in range(MOST_BROKEN - 3)}),
        (OFFER, [{}] * 5000),
    ],
)  # fmt: skip
def test_so_it_is_where_there_is_much_of_it(message_type: MessageType, value: Any) -> None:
    rulebook = rulebook_of(load_contract(), message_type)
    whole = rulebook._broken_of(value, value)
    assert 0 < len(whole) < MOST_BROKEN
    assert rulebook._broken_of(value, rulebook._thinning.of(value)) == whole


_JUDGED = """
import resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # at the least what the tests have, whose process this was
from brokerfuzz.schemas import check
verdict = check(sys.argv[1], sys.argv[2].encode() + b",".join([sys.argv[3].encode()] * 300_000) + b"]}")
assert len(verdict.broken) == 1000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1024 if sys.platform != "darwin" else 1 << 20))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no module resource")
@pytest.mark.parametrize(
    ("message_type", "before", "item"),
    [
        (PRODUCTS, '{"data":[', "{}"), (PRODUCTS, '{"data":[', '{"more":[]}'), (OFFER, '{"accessGroups":[', "1"),
        (OFFER, '{"offerType":"Product List","productClusters":[', "{}"),
    ],
)  # fmt: skip
def test_errors_by_the_hundred_thousand_take_little_memory(message_type: MessageType, before: str, item: str) -> None:
    done = subprocess.run([sys.executable, "-c", _JUDGED, message_type, before, item], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 250, "megabytes; errors of the validator would take 600 to 3,000"
