"""Creates the report for programs that read line by line: one JSON object per line. The property `record` says what the object
describes.

In the first line, `record` is `campaign`, and in the last line `timing`. The last line also contains `"last": true`, so that readers
detect a truncated file. In all other lines, `record` is `finding`, `ambiguity`, `rule`, `unproven`, `retested` or `elsewhere`.
"""

import json
from collections.abc import Iterator
from typing import Any

from brokerfuzz.reports.document_messages import Document

_LISTS = {"findings": "finding", "ambiguities": "ambiguity", "rules": "rule", "elsewhere": "elsewhere"}
_APART = {*_LISTS, "unproven", "timing"}


def report(document: Document) -> str:
    return "".join(f"{json.dumps(record, separators=(',', ':'))}\n" for record in _records(document))


def _records(document: Document) -> Iterator[dict[str, Any]]:
    about = {key: value for key, value in document.items() if key not in _APART}
    numbers = {key: len(document[key]) for key in _LISTS}
    yield {"record": "campaign", **about, **numbers, "unproven": document["unproven"]["count"]}
    for key, record in _LISTS.items():
        yield from ({"record": record, **one} for one in document[key])
        if key == "rules":
            yield from ({"record": "unproven", **one} for one in document["unproven"]["examples"])
            yield from ({"record": "retested", **one} for one in document["unproven"].get("retested", ()))
    yield {"record": "timing", **document["timing"], "last": True}
