"""brokerfuzz removes parts of a large message before it lists the errors in the message. The smaller message must have
the same errors.
"""

import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import pytest

from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract
from brokerfuzz.schemas.json_reader import DEEPEST, read
from brokerfuzz.schemas.structural_violations import MOST_BROKEN, StructureChecker

PRODUCTS: MessageType = "product-list-response"
OFFER: MessageType = "offer-creation-request"
PRODUCT = {
    "productId": "1",
    "productNumber": "1",
    "productType": "a",
    "status": "a",
    "lastUpdateDateTimeUtc": "2001-01-01T00:00:00Z",
}


def read_messages(message_type: MessageType) -> Iterator[Any]:
    for case in chain(catalogue(message_type), islice(random_cases(message_type, 5), 500)):
        if case.label == "invalid" and case.body.count(b"[") < DEEPEST:
            yield from read(case.body).values.values()


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_reduced_message_has_the_same_errors_as_the_whole(message_type: MessageType) -> None:
    checker = StructureChecker(load_contract(), message_type)
    for value in read_messages(message_type):
        assert checker._broken_of(value, checker._error_limiter.reduced(value)) == checker._broken_of(value, value)


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
def test_a_reduced_message_with_many_items_has_the_same_errors_as_the_whole(
    message_type: MessageType, value: Any
) -> None:
    checker = StructureChecker(load_contract(), message_type)
    whole = checker._broken_of(value, value)
    assert 0 < len(whole) < MOST_BROKEN
    assert checker._broken_of(value, checker._error_limiter.reduced(value)) == whole


_JUDGED = """
import resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # not zero: the process inherits the value from the tests
from brokerfuzz.schemas import check
verdict = check(sys.argv[1], sys.argv[2].encode() + b",".join([sys.argv[3].encode()] * 300_000) + b"]}")
assert len(verdict.broken) == 1000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1024 if sys.platform != "darwin" else 1 << 20))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module `resource`")
@pytest.mark.parametrize(
    ("message_type", "before", "item"),
    [
        (PRODUCTS, '{"data":[', "{}"), (PRODUCTS, '{"data":[', '{"more":[]}'), (OFFER, '{"accessGroups":[', "1"),
        (OFFER, '{"offerType":"Product List","productClusters":[', "{}"),
    ],
)  # fmt: skip
@pytest.mark.rotated(4)
def test_hundreds_of_thousands_of_errors_need_little_memory(message_type: MessageType, before: str, item: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _JUDGED, message_type, before, item], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 250, "megabytes; all errors of the validator would need 600 to 3,000"
