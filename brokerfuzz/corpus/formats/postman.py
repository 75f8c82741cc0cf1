"""Writes requests with checks as a Postman collection (version 2.1), which Postman and newman can run.

There is a folder for each rule. Postman replaces `{{...}}` in messages and can send only text, so some cases are left
out. The variable `{{new}}` at the end of each number is empty unless the user asks for new numbers.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import MARK, FreshValues, marked
from brokerfuzz.corpus.formats.case_names import reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, source
from brokerfuzz.corpus.formats.suite_cases import SuiteCase, arranged
from brokerfuzz.corpus.formats.suite_folder import EXPECTED_FAILURES, known_failures, readme
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import check
from brokerfuzz.schemas.manifest import Transfer

HOST = "http://127.0.0.1:8000"
"""The URL of the target, which users replace with the URL of their own system."""
COLLECTION = "collection.json"
_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
NEW_NUMBERS = "newNumbers"
_NEW_VALUE = f"""\
const random = String(Math.floor(Math.random() * 1e6)).padStart(6, "0");
pm.variables.set("new", pm.variables.get("{NEW_NUMBERS}") ? `-${{Date.now()}}${{random}}` : "");
"""
_OPENS = "{{"  # the beginning of a variable; Postman replaces variables


def _files(chosen: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    requests = (entry for entry in arranged(chosen, info) if info.contract.is_request(entry.case.message_type))
    cases = [entry for entry in requests if _can_be_sent(entry.case, info)]
    if not cases:
        raise CorpusError(
            "the format `postman` supports none of these cases: choose requests with --message, or remove a filter "
            "such as --rule"
        )
    types = {entry.case.message_type for entry in cases}
    if len(types) > 1:
        raise CorpusError(f"the format `postman` supports one message type: use --message {min(types)}")
    route = info.contract.transfers[cases[0].case.message_type]
    identifier = next(iter(route.identifiers), "")
    fresh = FreshValues(identifier, lambda case, body: check(case.message_type, body, contract=info.contract))
    yield File(COLLECTION, [json.dumps(_collection(cases, route, fresh), indent=1).encode(), b"\n"])
    yield known_failures(cases)
    yield readme(
        info,
        place="Install newman (`npm install --global newman`), or import `collection.json` into Postman.",
        complete="Replace the URL in the command of step 3 with the URL of your system. If your system rejects a "
        "number that it already "
        f"knows, add `--env-var {NEW_NUMBERS}=yes`: then each message has a new number.",
        run=(
            f"newman run FOLDER/{COLLECTION} --env-var url={HOST + route.path} --env-var "
            f'"expectedFailures=$(cat FOLDER/{EXPECTED_FAILURES})"'
        ),
        expected=EXPECTED_FAILURES,
    )


def _can_be_sent(case: Case, info: CorpusInfo) -> bool:
    try:
        text = case.body.decode()
    except UnicodeDecodeError:
        info.leave_out(case, "that are not UTF-8, because Postman sends only text")
        return False
    if _OPENS in text:
        info.leave_out(case, f"that contain {_OPENS}, which Postman treats as the beginning of a variable")
        return False
    return True


def _collection(cases: list[SuiteCase], route: Transfer, fresh: FreshValues) -> dict[str, Any]:
    groups = [
        {"name": group, "item": [_item(entry, route.method, fresh) for entry in group_cases]}
        for group, group_cases in groupby(cases, lambda entry: entry.group)
    ]
    names = json.dumps([entry.name for entry in cases])
    last = groups[-1]["item"][-1]
    last["event"] = [
        _script("prerequest", f"pm.variables.set('names', {json.dumps(names)}); pm.variables.set('last', 'true');")
    ]
    variables = {"url": HOST + route.path, "expectedFailures": "", "new": ""}
    return {
        "info": {"name": "Contract tests", "schema": _SCHEMA},
        "event": [_script("prerequest", _NEW_VALUE), _script("test", source("postman.js").decode())],
        "variable": [{"key": name, "value": value} for name, value in variables.items()],
        "item": groups,
    }


def _item(entry: SuiteCase, method: str, fresh: FreshValues) -> dict[str, Any]:
    """Returns the Postman request for a case. Its `description` has five lines: the reason, the verdict, the ID, the ID
    of the twin, and `new` if the message can have a new number. The script `postman.js` uses these lines to check the
    answer. A long number would lose its end, so it is never new.
    """
    body = entry.case.body
    with_mark = marked(body, fresh.name)
    has_new_number = fresh.changes(entry.case, body) and with_mark.replace(MARK.encode(), b"") == body
    sent = with_mark.replace(MARK.encode(), b"{{new}}") if has_new_number else body
    new = "new" if has_new_number else ""
    request = {
        "description": f"{reason_of(entry.case)}\n{entry.case.label}\n{entry.case.id}\n{entry.case.twin_id or ''}\n{new}",
        "method": method,
        "url": "{{url}}",
        "header": [{"key": "Content-Type", "value": "application/json"}],
        "body": {
            "mode": "raw",
            "raw": sent.decode(),
            "options": {"raw": {"language": "text"}},
        },  # Postman removes comments from JSON
    }
    return {"name": entry.name.removeprefix(f"{entry.group} "), "request": request}


def _script(event: str, code: str) -> dict[str, Any]:
    return {"listen": event, "script": {"type": "text/javascript", "exec": code.splitlines()}}


FORMAT = Format("postman", _files, direction="request")
