"""brokerfuzz lists the errors of a large message with little memory."""

import json
import subprocess
import sys
from typing import Any

import pytest

from brokerfuzz import check

PRODUCT = {
    "productId": "1",
    "productNumber": "1",
    "productType": "a",
    "status": "a",
    "lastUpdateDateTimeUtc": "2001-01-01T00:00:00Z",
}
RESPONSE = {"failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}


def test_an_error_after_thousands_of_valid_items_is_found() -> None:
    body = json.dumps({"data": [*[PRODUCT] * 3000, {**PRODUCT, "status": 5}], **RESPONSE})
    verdict = check("product-list-response", body.encode())
    assert [(broken.rule, broken.at) for broken in verdict.broken] == [
        ("product-list-response/data[].status:type", "/data/3000/status")
    ]


def test_the_errors_of_the_first_hundred_items_are_listed() -> None:
    body = json.dumps({"data": [*[PRODUCT] * 99, *[{**PRODUCT, "status": 5}] * 2000], **RESPONSE})
    assert [broken.at for broken in check("product-list-response", body.encode()).broken] == ["/data/99/status"]


_JUDGED = """
import resource, sys
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # not zero: the process inherits the value from the tests
from brokerfuzz import check
verdict = check(sys.argv[1], sys.stdin.buffer.read())
assert verdict.label == "invalid"
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1024 if sys.platform != "darwin" else 1 << 20))
"""


@pytest.mark.every(3)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no module `resource`")
@pytest.mark.parametrize(
    ("message_type", "message"),
    [
        ("product-list-response", {"data": [{}] * 300_000}),
        ("offer-creation-request", {"accessGroups": [1] * 300_000}),
        ("offer-creation-request", {"productClusters": [{"products": [{}] * 500}] * 500}),
    ],
    ids=["objects", "scalars", "arrays in an array"],
)
def test_hundreds_of_thousands_of_errors_need_little_memory(message_type: str, message: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _JUDGED, message_type],
        input=json.dumps(message).encode(),
        capture_output=True,
        check=True,
    )
    assert int(done.stdout) < 250, "megabytes; all errors of the validator would need 600 to 3,000"
