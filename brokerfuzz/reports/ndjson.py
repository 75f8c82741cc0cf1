"""Creates the report for pipes: one JSON object per line. The property `record` says what the object describes.

The first line is the `campaign`. Then there is one line for each `finding`, `ambiguity`, `rule`, `unproven` and `elsewhere`. The last line is the
`timing`, which contains `"last": true`. If a file has no such line, it is truncated.
"""

import json
from collections.abc import Iterator
from typing import Any

from brokerfuzz.reports.document_messages import Document

_LISTS = {"findings": "finding", "ambiguities": "ambiguity", "rules": "rule", "elsewhere": "elsewhere"}
_APART = {*_LISTS, "unproven", "timing"}


def report(document: Document) -> str:
    """Returns the report as ASCII text."""
    return "".join(f"{json.dumps(record, separators=(',', ':'))}\n" for record in _records(document))


def _records(document: Document) -> Iterator[dict[str, Any]]:
    about = {key: value for key, value in document.items() if key not in _APART}
    numbers = {key: len(document[key]) for key in _LISTS}
    yield {"record": "campaign", **about, **numbers, "unproven": document["unproven"]["count"]}
    for key, record in _LISTS.items():
        yield from ({"record": record, **one} for one in document[key])
        if key == "rules":
            yield from ({"record": "unproven", **one} for one in document["unproven"]["examples"])
    yield {"record": "timing", **document["timing"], "last": True}
