"""Writes a folder for the mock server WireMock, which then answers requests with the messages of the cases. Use this
folder to test programs that read the responses of the broker.

    GET /products, POST /pricing                        an ordinary valid message
    GET /brokerfuzz                                     the list of cases: id, message, verdict, name, reason, path
    GET /brokerfuzz/product-list-response/ID            the message of a case
    any request with the header X-Brokerfuzz-Case: ID   the message of a case
    any request, after PUT /__admin/scenarios/brokerfuzz/state with {"state": "ID"}   the message of a case
    any other request                                   status 404, and how to select a case

If you cannot change the path or the headers that your program sends, first send the `PUT` request that is shown above.
Its body contains the ID of a case. Then WireMock answers each request of your program with the message of this case.
The bytes of each message are a separate file in `__files`. WireMock serves the files in `__files` unchanged, even if
templates are enabled.
"""

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import facts_of, reason_of, stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format
from brokerfuzz.corpus.formats.texts import filled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType
from brokerfuzz.schemas.headers import JSON_TYPE

ROOT = "/brokerfuzz"
HEADER = "X-Brokerfuzz-Case"
SCENARIO = "brokerfuzz"
_INDEX = "brokerfuzz/cases.json"
_BY_PATH, _BY_HEADER, _BY_SCENARIO, _USUAL = 1, 2, 3, 4
"""The priorities of the stubs. If several stubs match a request, WireMock uses the stub with the lowest number."""
_AFTER_ALL_OTHERS = 1_000_000
_HINT = f"""\
No case belongs to this request. GET {ROOT} lists the cases. Select a case in one of three ways:
- request the path of the case: GET {ROOT}/MESSAGE-TYPE/ID
- send the header {HEADER}: ID
- before any request, set the state: curl -X PUT HOST/__admin/scenarios/{SCENARIO}/state -d '{{"state":"ID"}}'
"""
_NO_CASE = {
    "name": "brokerfuzz: no case belongs to the request",
    "priority": _AFTER_ALL_OTHERS,
    "request": {"method": "ANY", "urlPattern": ".*"},
    "response": {"status": 404, "headers": {"Content-Type": "text/plain"}, "body": _HINT},
}


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    index = []
    usual: dict[MessageType, Case] = {}
    for case in cases:
        if about.contract.is_request(case.message_type):
            continue
        if case.label == "valid":
            usual.setdefault(case.message_type, case)
        place = f"{case.message_type}/{case.id}"
        index.append(_described(case))
        yield File(f"__files/brokerfuzz/{place}.json", [case.body])
        yield _stub_file(place, {"mappings": list(_stubs(case))})
    if not index:
        raise CorpusError(
            "the format `wiremock` supports only responses, but these cases are requests: choose responses with "
            "--message"
        )
    yield File(f"__files/{_INDEX}", [_json(index)])
    listing = {
        "name": "brokerfuzz: the cases",
        "priority": _BY_PATH,
        "request": {"method": "GET", "urlPath": ROOT},
        "response": _served(_INDEX),
    }
    yield _stub_file("cases", listing)
    for message_type, case in usual.items():
        yield _stub_file(message_type, _usual_stub(case, about))
    yield _stub_file("no-case", _NO_CASE)
    routes = "\n".join(f"   - `{about.contract.transfers[one].route}`: {one}" for one in usual)
    folder = shlex.quote(about.folder)
    yield File("README.md", [filled("readme-wiremock.md", folder=folder, usual=routes, recipe=about.recipe)])


def _stub_file(name: str, stub: dict[str, Any]) -> File:
    return File(f"mappings/brokerfuzz/{name}.json", [_json(stub), b"\n"])


def _described(case: Case) -> dict[str, Any]:
    return {
        **facts_of(case),
        "name": f"{case.label}_{stem(case)}",
        "reason": reason_of(case),
        "path": f"{ROOT}/{case.message_type}/{case.id}",
    }


def _stubs(case: Case) -> Iterator[dict[str, Any]]:
    description = _described(case)
    response = _served(f"brokerfuzz/{case.message_type}/{case.id}.json")
    by_path = {"method": "GET", "urlPath": description["path"]}
    by_header = {"method": "ANY", "urlPattern": ".*", "headers": {HEADER: {"equalTo": case.id}}}
    by_scenario = {"method": "ANY", "urlPattern": ".*"}
    state = {"scenarioName": SCENARIO, "requiredScenarioState": case.id}
    yield {
        "name": description["name"],
        "priority": _BY_PATH,
        "request": by_path,
        "response": response,
        "metadata": {"brokerfuzz": description},
    }
    yield {"name": description["name"], "priority": _BY_HEADER, "request": by_header, "response": response}
    yield {"name": description["name"], "priority": _BY_SCENARIO, **state, "request": by_scenario, "response": response}


def _usual_stub(case: Case, about: CorpusInfo) -> dict[str, Any]:
    """Returns the stub for requests that select no case."""
    transfer = about.contract.transfers[case.message_type]
    path = {"urlPathPattern": transfer.path_pattern} if "{" in transfer.path else {"urlPath": transfer.path}
    return {
        "name": f"brokerfuzz: an ordinary {case.message_type}",
        "priority": _USUAL,
        "request": {"method": transfer.method, **path},
        "response": _served(f"brokerfuzz/{case.message_type}/{case.id}.json"),
    }


def _served(name: str) -> dict[str, Any]:
    """Returns the response of a stub, with the bytes of the file `name` as its body."""
    headers = {"Content-Type": JSON_TYPE}
    return {
        "status": 200,
        "headers": headers,
        "bodyFileName": name,
        "transformerParameters": {"disableBodyFileTemplating": True},
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


FORMAT = Format("wiremock", _files, direction="response")
