# ruff: noqa
# fmt: off
from collections.abc import Callable
from typing import Any

import brokerfuzz


def app(
    environ: dict[str, Any], start_response: Callable[..., Any]
) -> list[bytes]:  # replace this with your application
    verdict = brokerfuzz.check("offer-creation-request", environ["wsgi.input"].read())
    start_response("201 Created" if verdict.label == "valid" else "422 Invalid", [])
    return [b"{}"]


def test_the_service_conforms_to_the_contract() -> None:
    brokerfuzz.assert_conforms(app, "offer-creation-request", path="/offers", rules=["*:minimum"])


def test_no_offer_crashes_the_service() -> None:
    report = brokerfuzz.fire(app, path="/offers", sites=["orderMinimum", "orderMaximum"])
    assert not [finding for finding in report.findings if finding.answer.kind == "crashed"], report
