"""Finds property names in the texts of answers, and lists the names that a correct answer to an invalid message may
contain.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import Contract, Verdict

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


class Names:
    """A set of property names. Searches in this set ignore upper and lower case."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_small = {name.lower(): name for name in names}


@lru_cache(maxsize=4096)
def named_properties(body: bytes, names: Names) -> frozenset[str]:
    """Returns the properties of the contract that an answer clearly names. A name counts if it is a key, is in a path
    or in quotes, or is written in camel case.

    A name that is also an English word, such as `name`, does not count if it only occurs in an ordinary sentence.
    """
    return frozenset(names.by_small[small] for small in named_words(body) if small in names.by_small)


@lru_cache(maxsize=4096)
def named_words(body: bytes) -> frozenset[str]:
    """Returns the words that an answer clearly uses as names, in lower case. They need not be in the contract: an
    answer can name an unknown property.
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


# -------------------------------------------------------------------------------------------- names in a correct answer


@lru_cache(maxsize=16)
def names_of(contract: Contract, message_type: str) -> "Names":
    return Names(name for site in contract.sites[message_type].values() for name in site.schema.get("properties", ()))


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


def names_meant(case: Case, verdict: Verdict, contract: Contract) -> set[str]:
    """Returns the names that a correct answer to an invalid message may contain, in lower case. The names come from the
    JSON Pointer of the fault, the broken rule, and the description of the wrong value.
    """
    meant = {step.lower() for entry in verdict.broken for step in steps_of(entry.at)}
    meant |= {word.lower() for fault in case.faults for word in re.findall(r"[^/:@.\[\]=]+", fault.rule + fault.at)}
    for entry in verdict.broken:
        rule = contract.rules_by_id.get(entry.rule)
        if rule is not None:
            meant |= {
                name.lower()
                for name in (rule.value if isinstance(rule.value, list | tuple) else ())
                if isinstance(name, str)
            }
        meant |= {word.lower() for word in re.findall(r"\w+", f"{entry.found} {entry.demanded}")}
    return meant
