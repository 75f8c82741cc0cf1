import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from exported_cases import OFFER, cases, written
from ready_suites import chosen, clocked
from referencing import Registry
from referencing.jsonschema import DRAFT6
from validators import NODE

from brokerfuzz.corpus.formats.case_names import now_of
from brokerfuzz.corpus.formats.routes import ROUTES
from brokerfuzz.har_reading import bodies, is_har
from brokerfuzz.schemas.headers import JSON_TYPE
from brokerfuzz.service.app import OFFERS, PRICING, PRODUCTS

SCHEMAS = NODE / "node_modules" / "har-schema" / "lib"


@pytest.fixture(scope="module")
def har() -> bytes:
    return written("har", [*chosen(), *cases()[::10]])


@pytest.fixture(scope="module")
def entries(har: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(har)["log"]["entries"]
    return found


def validator() -> jsonschema.Draft6Validator:
    if not SCHEMAS.is_dir():
        pytest.skip("HAR's schema is not installed: run `npm ci` in tests/node")
    found = ((path.name, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(Path(SCHEMAS).glob("*.json")))
    registry: Registry[Any] = Registry().with_resources(
        (name, DRAFT6.create_resource(schema)) for name, schema in found
    )
    return jsonschema.Draft6Validator({"$ref": "har.json"}, registry=registry)


def test_the_file_is_valid_by_the_schema_of_har(har: bytes) -> None:
    document = json.loads(har)
    judge = validator()
    assert [error.message[:200] for error in judge.iter_errors(document)] == []
    del document["log"]["entries"][0]["request"]["url"]
    assert not judge.is_valid(document)


def test_additional_properties_begin_with_an_underscore(entries: list[dict[str, Any]]) -> None:
    posted = [entry["request"]["postData"] for entry in entries if "postData" in entry["request"]]
    assert any("_encoding" in body for body in posted)
    assert {name for body in posted for name in body if not name.startswith("_")} == {"mimeType", "text", "comment"}


def test_messages_sent_as_json_are_read_back_byte_for_byte(har: bytes) -> None:
    plain = [
        case
        for case in [*chosen(), *cases()[::10]]
        if case.body and not any(name.lower() == "content-type" for name, _ in case.headers)
    ]
    found = {body for _, body in bodies(har) or ()}
    assert is_har(har)
    assert {case.body for case in plain} <= found


def test_offers_are_requests_and_the_other_messages_responses(entries: list[dict[str, Any]]) -> None:
    for entry, case in zip(entries, [*chosen(), *cases()[::10]], strict=True):
        assert (entry["_id"], entry["_verdict"], entry["_twin"]) == (case.id, case.label, case.twin_id)
        assert ("postData" in entry["request"]) == (case.message_type == OFFER and case.body != b"")
        assert entry["response"]["status"] == (0 if case.message_type == OFFER else 200)


def test_headers_of_a_case_replace_the_default_headers(entries: list[dict[str, Any]]) -> None:
    [sent] = [entry["request"]["headers"] for entry in entries if entry["_id"] == chosen()[5].id]
    assert sent == [{"name": "Content-Type", "value": "text/plain; a=b&c%20+d"}]
    assert entries[0]["request"]["headers"] == [{"name": "Content-Type", "value": JSON_TYPE}]


def test_a_verdict_that_depends_on_the_clock_comes_with_its_time(entries: list[dict[str, Any]]) -> None:
    assert clocked()
    for entry, case in zip(entries, [*chosen(), *cases()[::10]], strict=True):
        now = now_of(case)
        assert entry["_now"] == now
        assert ("set the clock of the target to this time" in entry["comment"]) == (now is not None)


def test_routes_are_those_of_the_reference_service() -> None:
    assert [path for _, path in ROUTES.values()] == [OFFERS, PRODUCTS, PRICING]
