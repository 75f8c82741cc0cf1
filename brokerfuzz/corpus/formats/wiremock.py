"""Writes a folder for the mock server WireMock, which then answers requests with the messages of the cases. Use this
folder to test programs that read the responses of the broker.

A program that cannot change its paths receives ordinary valid messages, or the case that the state of the scenario
`brokerfuzz` selects. WireMock serves the bytes in `__files` unchanged, even if templates are enabled.
"""

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import facts_of, reason_of, stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, filled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType

ROOT = "/brokerfuzz"
SCENARIO = "brokerfuzz"
_INDEX = "brokerfuzz/cases.json"
_BY_PATH, _BY_SCENARIO, _USUAL, _NO_CASE = 1, 2, 3, 1_000_000
"""The priorities of the stubs. If several stubs match a request, WireMock uses the stub with the lowest number."""
_HINT = f"""\
No case belongs to this request. GET {ROOT} lists the cases. Select a case in one of two ways:
- request the path of the case: GET {ROOT}/MESSAGE-TYPE/ID
- before any request, set the state: curl -X PUT HOST/__admin/scenarios/{SCENARIO}/state -d '{{"state":"ID"}}'
"""
_ANY = {"method": "ANY", "urlPattern": ".*"}
Json = dict[str, Any]


def _files(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    index: list[Json] = []
    usual: dict[MessageType, Case] = {}
    for case in cases:
        if info.contract.is_request(case.message_type):
            continue
        if case.label == "valid":
            usual.setdefault(case.message_type, case)
        name, path = f"{case.label}_{stem(case)}", f"{ROOT}/{case.message_type}/{case.id}"
        index.append({**facts_of(case), "name": name, "reason": reason_of(case), "path": path})
        yield File(f"__files/{_body_of(case)}", [case.body])
        by_path = _stub(name, _BY_PATH, {"method": "GET", "urlPath": path}, _served(_body_of(case)))
        state = {"scenarioName": SCENARIO, "requiredScenarioState": case.id}
        by_scenario = {**_stub(name, _BY_SCENARIO, _ANY, _served(_body_of(case))), **state}
        yield _stubs(f"{case.message_type}/{case.id}", by_path, by_scenario)
    if not index:
        raise CorpusError(
            "the format `wiremock` supports only responses, but these cases are requests: choose responses with "
            "--message"
        )
    yield File(f"__files/{_INDEX}", [_json(index)])
    listing = _stub("brokerfuzz: the cases", _BY_PATH, {"method": "GET", "urlPath": ROOT}, _served(_INDEX))
    missing = {"status": 404, "headers": {"Content-Type": "text/plain"}, "body": _HINT}
    yield _stubs("cases", listing, _stub("brokerfuzz: no case belongs to the request", _NO_CASE, _ANY, missing))
    yield _stubs("usual", *(_usual_stub(case, info) for case in usual.values()))
    routes = "\n".join(
        f"   - `{info.contract.transfers[message_type].route}`: {message_type}" for message_type in usual
    )
    folder = shlex.quote(info.folder)
    yield File("README.md", [filled("readme-wiremock.md", folder=folder, usual=routes, recipe=info.recipe)])


def _body_of(case: Case) -> str:
    return f"brokerfuzz/{case.message_type}/{case.id}.json"


def _usual_stub(case: Case, info: CorpusInfo) -> Json:
    transfer = info.contract.transfers[case.message_type]
    path = {"urlPathPattern": transfer.path_pattern} if "{" in transfer.path else {"urlPath": transfer.path}
    name = f"brokerfuzz: an ordinary {case.message_type}"
    return _stub(name, _USUAL, {"method": transfer.method, **path}, _served(_body_of(case)))


def _stubs(name: str, *stubs: Json) -> File:
    return File(f"mappings/brokerfuzz/{name}.json", [_json({"mappings": stubs}), b"\n"])


def _stub(name: str, priority: int, request: Json, response: Json) -> Json:
    return {"name": name, "priority": priority, "request": request, "response": response}


def _served(name: str) -> Json:
    return {
        "status": 200,
        "headers": {"Content-Type": "application/json"},
        "bodyFileName": name,
        "transformerParameters": {"disableBodyFileTemplating": True},
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


FORMAT = Format("wiremock", _files, direction="response")
