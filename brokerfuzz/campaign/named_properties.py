"""Finds the names of properties in the texts of answers."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import Verdict

_POINTED = (
    "field",
    "pointer",
    "path",
    "param",
    "parameter",
    "property",
    "propertyname",
    "loc",
    "location",
    "instancepath",
    "name",
    "source",
)
"""The properties of error responses whose values name the invalid property or its path, such as `pointer` in RFC
9457.
"""
_KEYED = ("errors", "fielderrors", "violations", "validationerrors", "modelstate", "invalidparams", "invalid-params")
"""The properties of error responses whose values are objects with the invalid properties as keys. For example, `errors`
is such a property in `{"errors": {"pageCount": "too small"}}`.
"""
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"""['"`‘“]([\w.\[\]/$@-]+)['"`’”]""")
_CAMEL = re.compile(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b")
_POINTER = re.compile(r"(?:^|[\s\"'(])((?:/[A-Za-z_0-9]+)+)")
_MOST_WALKED = 500


@lru_cache(maxsize=4096)
def named_words(body: bytes) -> frozenset[str]:
    """Returns the words that an answer clearly uses as names of properties, in lower case. A word counts if it is a
    key, is in a path or in quotes, or is written in camel case: `name` in an ordinary sentence does not count.
    """
    return frozenset(word.lower() for word in _candidates(body))


def _candidates(body: bytes) -> Iterator[str]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        yield from _of_text(body.decode(errors="replace"))
        return
    waiting: list[tuple[str, Any]] = [("", value)]
    for _ in range(_MOST_WALKED):
        if not waiting:
            return
        key, there = waiting.pop()
        if isinstance(there, dict):
            if key.lower() in _KEYED:
                yield from (word for name in there for word in _WORD.findall(name))
            waiting += [(str(name), prop) for name, prop in there.items() if name != "data"]
        elif isinstance(there, list):
            waiting += [("" if key.lower() in _KEYED else key, item) for item in there]
        elif isinstance(there, str):
            yield from _WORD.findall(there) if key.lower() in _POINTED and " " not in there.strip() else _of_text(there)


def _of_text(text: str) -> Iterator[str]:
    for found in _QUOTED.findall(text):
        yield from _WORD.findall(found)
    for found in _POINTER.findall(text):
        yield from _WORD.findall(found)
    yield from _CAMEL.findall(text)


def names_at_fault(case: Case, verdict: Verdict) -> set[str]:
    """Returns the names of the invalid properties, in lower case. The result is empty if the fault concerns the whole
    message.
    """
    places = [broken.at for broken in verdict.broken] or [touched.at for touched in verdict.ambiguities]
    steps = [
        [step for step in steps_of(at) if not step.isdecimal()]
        for at in (*places, *(fault.at for fault in case.faults))
    ]
    return {found[-1].lower() for found in steps if found}
