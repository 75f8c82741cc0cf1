"""WireMock: a root folder whose stubs serve the messages that are responses, to test what reads them.

    GET /brokerfuzz                                     every case: id, message, verdict, name, reason, path
    GET /brokerfuzz/product-list-response/ID            the message of a case
    any request with the header X-Brokerfuzz-Case: ID   the same
    any request, once PUT /__admin/scenarios/brokerfuzz/state has set {"state": "ID"}: for programs that send what they send

The bytes of a message are a file of their own in `__files`, and nothing is filled into them, whatever WireMock is told of templates.
"""

import json
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import About, File, Folder
from brokerfuzz.corpus.formats.routes import OFFER, RESPONSES
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas.headers import JSON_TYPE

ROOT = "/brokerfuzz"
HEADER = "X-Brokerfuzz-Case"
SCENARIO = "brokerfuzz"
_INDEX = "brokerfuzz/cases.json"
_CHUNK = 1 << 20
_BY_PATH, _BY_HEADER, _BY_SCENARIO = 1, 2, 3
"""WireMock's priorities: what is asked for more plainly goes first."""


def _files(cases: Iterable[Case], about: About) -> Iterator[File]:
    with TemporaryFile() as index:  # as long as the corpus has cases: more than memory should hold
        count = 0
        for case in cases:
            if case.message_type == OFFER:
                continue
            place = f"{case.message_type}/{case.id}"
            index.write((",\n" if count else "[\n").encode() + _json(_told(case, about)))
            count += 1
            yield File(f"__files/brokerfuzz/{place}.json", [case.body])
            yield File(f"mappings/brokerfuzz/{place}.json", [_json({"mappings": list(_stubs(case, about))}, indent=2), b"\n"])
        if not count:
            raise CorpusError("the format wiremock serves responses, and none of these cases is one: choose --message product-list-response")
        index.write(b"\n]\n")
        index.seek(0)
        yield File(f"__files/{_INDEX}", iter(lambda: index.read(_CHUNK), b""))
        listing = {"name": "brokerfuzz: the cases", "priority": _BY_PATH, "request": {"method": "GET", "urlPath": ROOT}, "response": _served(_INDEX)}
        yield File("mappings/brokerfuzz/cases.json", [_json(listing, indent=2), b"\n"])


def _told(case: Case, about: About) -> dict[str, Any]:
    """What is said of a case."""
    return {
        "id": case.id,
        "message": case.message_type,
        "verdict": case.label,
        "now": now_of(case, about),
        "faults": [{"rule": fault.rule, "at": fault.at, "technique": fault.technique} for fault in case.faults],
        "ambiguities": sorted({touch.ambiguity for touch in case.verdict.ambiguities}),
        "twin": case.twin_id,
        "name": name_of(case),
        "reason": reason_of(case),
        "path": f"{ROOT}/{case.message_type}/{case.id}",
    }


def _stubs(case: Case, about: About) -> Iterator[dict[str, Any]]:
    told = _told(case, about)
    response = _served(f"brokerfuzz/{case.message_type}/{case.id}.json")
    by_path = {"method": "GET", "urlPath": told["path"]}
    by_header = {"method": "ANY", "urlPattern": ".*", "headers": {HEADER: {"equalTo": case.id}}}
    by_scenario = {"method": "ANY", "urlPattern": ".*"}
    state = {"scenarioName": SCENARIO, "requiredScenarioState": case.id}
    yield {"name": told["name"], "priority": _BY_PATH, "request": by_path, "response": response, "metadata": {"brokerfuzz": told}}
    yield {"name": told["name"], "priority": _BY_HEADER, "request": by_header, "response": response}
    yield {"name": told["name"], "priority": _BY_SCENARIO, **state, "request": by_scenario, "response": response}


def _served(name: str) -> dict[str, Any]:
    """A response with the bytes of a file."""
    headers = {"Content-Type": JSON_TYPE}
    return {"status": 200, "headers": headers, "bodyFileName": name, "transformerParameters": {"disableBodyFileTemplating": True}}


def _json(value: Any, *, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


FORMAT = Folder("wiremock", "a root folder for WireMock, with stubs that serve the responses", _files, RESPONSES)
