"""Generates the probes of an ambiguity, each in the smallest message in which the probe is possible."""

from collections.abc import Iterator
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.changes import apply
from brokerfuzz.cases.message_builder import MessagePlan, build, schema_requiring, schema_with_place
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.schemas import Ambiguity

_SMALL = MessagePlan(full=False, realistic=False)


def probes_of_ambiguity(maker: ProbeMaker, ambiguity: Ambiguity) -> Iterator[Case]:
    """Yields for each site the first probe, and each probe that was not yielded for an earlier site."""
    yielded = set[str]()
    for site in maker.sites(ambiguity) if ambiguity.concerns(maker.message_type) else ():
        *small, complete = _messages(maker, maker.path(site))
        names = [name for name, _, _ in maker.probes(ambiguity, site, complete)]
        missing = {name for name in names if name == names[0] or name not in yielded}
        yielded |= missing
        for message in (*small, complete):
            for name, steps, change in maker.probes(ambiguity, site, message) if missing else ():
                case = maker.case(ambiguity, name, apply(message, steps, change)) if name in missing else None
                if case is not None:
                    missing.remove(name)
                    yield case


def _messages(maker: ProbeMaker, path: str) -> Iterator[Any]:
    """Yields messages with a value at the path: the smallest message first, and a complete message last."""
    contract, message_type = maker.contract, maker.message_type
    place = schema_with_place(contract, message_type, path)
    yield build(contract, message_type, _SMALL.narrow(place))
    for name in contract.sites[message_type][path].schema.get("properties", {}):
        yield build(contract, message_type, _SMALL.narrow(place, schema_requiring(path, {"required": [name], "properties": {name: {"minItems": 1}}})))
    yield build(contract, message_type, MessagePlan().narrow(place))
