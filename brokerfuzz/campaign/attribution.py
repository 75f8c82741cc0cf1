"""Checks that the target rejects each invalid message for the right reason.

An invalid message differs from its twin (the valid counterpart) in only one place. If the target also rejects the twin, it has
another reason to reject both messages, so the campaign could not test the rule. If an answer names properties, one of them should
be the invalid property. Otherwise, the target may have another reason to reject the message. Neither problem is a finding.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import unescape
from brokerfuzz.schemas import Contract, Verdict
from brokerfuzz.targets import Answer

MOST_EXAMPLES = 20
"""The maximum number of examples of each kind in the report."""


@dataclass
class UnprovenRejection:
    """An example of an invalid message whose twin was also rejected.

    `answer` is the answer to the twin. `count` is the number of invalid messages whose twins got this answer, and `case` is the
    first of them.
    """

    case: Case
    number: int
    answer: Answer
    count: int = 1


@dataclass
class OtherPropertyNamed:
    """An example of an invalid message whose answer names properties, but not the invalid one.

    `count` is the number of such messages that break this rule, and `case` is the first of them.
    """

    case: Case
    number: int
    named: tuple[str, ...]
    said: str
    count: int = 1


@dataclass
class Attribution:
    """The rejections that prove nothing: the target also rejected the twin, or the answer names a different property."""

    unproven: dict[tuple[str, int | None], UnprovenRejection] = field(default_factory=dict)
    elsewhere: dict[str, OtherPropertyNamed] = field(default_factory=dict)
    rejections_unproven: int = 0

    def twin_rejected(self, number: int, case: Case, answer: Answer) -> None:
        """Records an invalid message whose twin the target did not accept. `answer` is the answer to the twin."""
        self.rejections_unproven += 1
        _count(self.unproven, (answer.kind, answer.status), UnprovenRejection(case, number, answer))

    def rejected(self, number: int, case: Case, verdict: Verdict, answer: Answer, contract: Contract) -> None:
        """Records the rejection of an invalid message, and checks which properties the answer names."""
        if len(case.faults) != 1 or not answer.body:
            return
        named = named_properties(answer.body, _names(contract, case.message_type))
        if named and _meant(case, verdict, contract).isdisjoint(name.lower() for name in named):
            said = answer.body.decode(errors="backslashreplace")[:300]
            _count(self.elsewhere, case.faults[0].rule, OtherPropertyNamed(case, number, tuple(sorted(named)), said))

    def absorb(self, other: "Attribution") -> None:
        """Adds the results of another part of the campaign."""
        self.rejections_unproven += other.rejections_unproven
        for key, unproven in other.unproven.items():
            _count(self.unproven, key, unproven)
        for rule, elsewhere in other.elsewhere.items():
            _count(self.elsewhere, rule, elsewhere)


def _count(known: dict[Any, Any], key: Any, new: Any) -> None:
    """Adds the number of rejections in `new` to the entry with this key, and keeps the earlier case as the example."""
    old = known.get(key)
    if old is None:
        if len(known) < MOST_EXAMPLES or key in known:
            known[key] = new
        return
    first, later = (new, old) if new.number < old.number else (old, new)
    first.count += later.count
    known[key] = first


@lru_cache(maxsize=16)
def _names(contract: Contract, message_type: str) -> "Names":
    return Names(name for site in contract.sites[message_type].values() for name in site.schema.get("properties", ()))


def _meant(case: Case, verdict: Verdict, contract: Contract) -> set[str]:
    """Returns the names that a correct answer may mention, in lower case: the properties on the path to the fault, missing or
    unexpected properties, and the properties in the condition of the rule.
    """
    meant = {unescape(step).lower() for entry in verdict.broken for step in entry.at.split("/")}
    meant |= {word.lower() for fault in case.faults for word in re.findall(r"[^/:@.\[\]=]+", fault.rule + fault.at)}
    for entry in verdict.broken:
        rule = contract.rules_by_id.get(entry.rule)
        if rule is not None:
            meant |= {name.lower() for name in (rule.value if isinstance(rule.value, list | tuple) else ()) if isinstance(name, str)}
        meant |= {word.lower() for word in re.findall(r"\w+", f"{entry.found} {entry.demanded}")}
    return meant


# -------------------------------------------------------------------------------------------------- what an answer names

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
    "property",
    "source",
)
"""Properties of error reports that contain property names or paths, such as `pointer` in RFC 9457."""
_KEYED = ("errors", "fielderrors", "violations", "validationerrors", "modelstate", "invalidparams", "invalid-params")
"""Properties of error reports that contain objects whose keys are property names."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"""['"`‘“]([A-Za-z_][\w.\[\]/$]*)['"`’”]""")
_CAMEL = re.compile(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b")
_POINTER = re.compile(r"(?:^|[\s\"'(])((?:/[A-Za-z_0-9]+)+)")
_MOST_WALKED = 500


class Names:
    """Property names that can be found in upper or lower case."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_small = {name.lower(): name for name in names}


@lru_cache(maxsize=4096)
def named_properties(body: bytes, names: Names) -> frozenset[str]:
    """Returns the properties of the contract that an answer clearly names: in pointers, paths or quotes, as keys, or in camel
    case.

    A name that is also an English word, such as `name`, does not count if it occurs only as a plain word.
    """
    return frozenset(names.by_small[small] for word in _candidates(body) if (small := word.lower()) in names.by_small)


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
