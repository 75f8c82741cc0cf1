"""Lists all goals of a message type: everything that a case can cover."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from brokerfuzz.cases.covering.edges import edges
from brokerfuzz.cases.covering.goals import KINDS, Goal, of_ambiguity, of_rule
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.pairs import possible_pairs
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.flattening import types_of


def every_goal(contract: Contract, message_type: MessageType, now: datetime) -> Sequence[Goal]:
    """Returns all goals of a message type, sorted by site and then by kind.

    `now` is the time that counts as the present. Some techniques use a fixed time, such as a time in 2038, that must be
    in the future. The goals of such a technique are included only if `now` is before this time.
    """
    order = {path: number for number, path in enumerate(contract.sites[message_type])}
    found = [
        *_rules(contract, message_type, now),
        *_edges(contract, message_type),
        *_ambiguities(contract, message_type, now),
        *sorted(possible_pairs(contract, message_type)),
    ]
    return sorted(found, key=lambda goal: (order.get(goal.site, len(order)), KINDS.index(goal.kind)))


def _rules(contract: Contract, message_type: MessageType, now: datetime) -> Iterator[Goal]:
    faults = Faults(contract, message_type, now)
    for rule in contract.rules[message_type]:
        yield of_rule(rule)
        yield from (of_rule(rule, technique.name) for technique in faults.techniques(rule))


def _edges(contract: Contract, message_type: MessageType) -> Iterator[Goal]:
    known = edges(contract, message_type)
    for site in contract.sites[message_type].values():
        yield from (Goal("edge", site.path, edge) for edge in known.at(site))


def _ambiguities(contract: Contract, message_type: MessageType, now: datetime) -> Iterator[Goal]:
    probes = ProbeMaker(contract, message_type, now)
    for ambiguity in contract.ambiguities:
        if ambiguity.concerns(message_type):
            yield from dict.fromkeys(of_ambiguity(ambiguity, path) for path in _places(probes, ambiguity))


def _places(probes: ProbeMaker, ambiguity: Ambiguity) -> Sequence[str]:
    """Returns the sites of an ambiguity. An ambiguity that concerns the whole message, or all strings, has the root as
    its only site.
    """
    paths = [probes.path(site) for site in probes.sites(ambiguity)]
    if ambiguity.sites is not None:
        return paths or [""]
    known = probes.contract.sites[probes.message_type]
    return [""] if any("string" in types_of(known[path].schema) for path in paths) else paths
