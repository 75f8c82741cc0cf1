"""Recognises the tags that brokerfuzz gives to cases. A tag is a word, such as `random`, or a family and a name, such as
`edge:complete`.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain

from brokerfuzz.cases.case import NOW_TAG, TWIN_TAGS, Case
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.controls import UNDER
from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.edges import SPELLINGS
from brokerfuzz.cases.fault_variations import NEIGHBOURS, REQUIRED, SMALLEST
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_with_place
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.requests import RequestMaker
from brokerfuzz.decoder.value_pools import LATEST_NOW
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import instant

_WORDS = {TAG, "plausible", *TWIN_TAGS}
_POSITIONS = {"root", "only", "first", "middle", "last", "eleventh"}
_NEIGHBOURS = {neighbours.name for neighbours in (*NEIGHBOURS, SMALLEST, REQUIRED)}
_STATE = r"[^+]+:(=[^+]+|absent|null|plain|edge|true|false)"
_PAIRS = re.compile(rf"\d+-\d+|{_STATE}(\+{_STATE})*")
_EDGES = re.compile(r"(values|spelled-(strings?|numbers?))-\d+|\d+-items-\d+-deep|only-required-\d+-deep")
_WHOLE_MESSAGES = {"complete", "only-required", "all-null", "all-false", "backwards", *SPELLINGS}


def is_known(tag: str, case: Case, contract: Contract) -> bool:
    """Returns whether brokerfuzz gives the tag to cases of the contract. A tag such as `probe:cron-syntax` is known only if this
    ambiguity is in the verdict of the case.
    """
    family, colon, name = tag.partition(":")
    known = _FAMILIES.get(family + colon)
    return tag in _WORDS if known is None else known(name, case, contract)


def _is_edge(name: str, case: Case, contract: Contract) -> bool:
    return bool(_EDGES.fullmatch(name)) or name in _edges(contract, case.message_type)


@lru_cache(maxsize=16)
def _edges(contract: Contract, message_type: MessageType) -> frozenset[str]:
    known, found = edges(contract, message_type), set(_WHOLE_MESSAGES)
    for path, site in contract.sites[message_type].items():
        found |= {":".join(filter(None, (path, edge))) for edge in known.at(site)}
        found |= {f"{kind}-{path}={value}" for kind in ("complete", "bare") for value in site.schema.get("enum", ())}
        if site.name:
            found |= set() if site.required else {f"absent-{path}", f"alone-{path}"}
            found |= {f"null-{path}"} if "null" in types_of(site.schema) else set()
    return frozenset(found)


def _is_probe(name: str, case: Case, contract: Contract) -> bool:
    return any(touch.ambiguity == name for touch in case.verdict.ambiguities)


def _is_name_of_probe(name: str, case: Case, contract: Contract) -> bool:
    return name in _probes(contract, case.message_type)


@lru_cache(maxsize=16)
def _probes(contract: Contract, message_type: MessageType) -> frozenset[str]:
    maker, requests = ProbeMaker(contract, message_type, LATEST_NOW), RequestMaker(contract, message_type, LATEST_NOW)
    found = set[str]()
    for ambiguity in contract.ambiguities:
        found |= {name for name, _, _ in requests.requests(ambiguity)}
        for site in maker.sites(ambiguity) if ambiguity.concerns(message_type) else ():
            message = build(contract, message_type, MessagePlan(narrowed=schema_with_place(contract, message_type, maker.path(site))))
            found |= {name for name, _, _ in maker.probes(ambiguity, site, message)}
    return frozenset(found)


def _is_condition(name: str, case: Case, contract: Contract) -> bool:
    return any(rule.condition is not None and rule.condition.label == name for rule in contract.rules[case.message_type])


def _is_control(name: str, case: Case, contract: Contract) -> bool:
    conditions = (rule.condition for rule in contract.rules[case.message_type] if rule.condition)
    properties = chain.from_iterable(condition.when.get("properties", {}) for condition in conditions)
    return name.partition("=")[0] in set(properties)


_FAMILIES: Mapping[str, Callable[[str, Case, Contract], bool]] = {
    "as:": _is_name_of_probe,
    "at:": lambda name, case, contract: name in _POSITIONS,
    "body:": lambda name, case, contract: name == "empty-object",
    "control:": _is_control,
    "edge:": _is_edge,
    "in:": lambda name, case, contract: name in _NEIGHBOURS,
    NOW_TAG: lambda name, case, contract: instant(name) is not None,
    "pairs:": lambda name, case, contract: bool(_PAIRS.fullmatch(name)),
    "probe:": _is_probe,
    UNDER: _is_condition,
}
"""Maps each family of tags to a function that recognises the names in this family."""
