"""Gives random cases smaller twins, so that `repr()` of a case is short.

`repr()` contains the part of the twin that is not in the case. If the fault removes a large value, `repr()` is therefore long. So
brokerfuzz replaces the value in the twin with a smaller valid value, and breaks the rule in the new twin. Usually, the result is
the same invalid message.

    invalid     {"number":"A","offerType":"Product List"}
    twin        {"number":"A","offerType":"Product List","productClusters":[{"id":"…","products":[…]},…]}
    new twin    {"number":"A","offerType":"Product List","productClusters":[{"products":[{"productId":"a","productQuantityInOffer":0}]}]}
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

from brokerfuzz.cases.case import Broken, Case, Splice, compact, tagged_now
from brokerfuzz.cases.changes import Put, Steps, altered, places, pointer, value_at
from brokerfuzz.cases.compressed_twins import LEGIBLE, splice, written_twin
from brokerfuzz.cases.fault_variations import COMPLETE, REQUIRED, SMALLEST
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.decoder import Style
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site
from brokerfuzz.decoder.consistency_repair import repairs
from brokerfuzz.errors import LabelError
from brokerfuzz.pointers import site_of, steps_of
from brokerfuzz.schemas import Contract, Rule, check

_MOST_CHARACTERS = 64
"""A twin is short if `repr()` of the case needs at most this number of characters for the twin."""
_MOST_BYTES = 32
"""A twin is also short if at most this number of its bytes are not in the case."""


def brief(case: Broken, maker: FaultMaker, style: Style) -> Broken:
    """Returns a case with the same fault and a short twin. Returns `case` itself if `case` already has a short twin, or if there is
    no short twin.
    """
    if _has_short_twin(case, maker):
        return case
    [fault] = case.faults
    rule, technique = maker.contract.rule(fault.rule), TECHNIQUES[fault.technique]
    for message, steps in _smaller_messages(case.twin.value, fault.at, rule, maker, style):
        with suppress(LabelError, LookupError):
            other = maker.broken(message, steps, rule, technique, case.tags)
            if other is not None and _has_short_twin(other, maker):
                return other
    return case


def _has_short_twin(case: Broken, maker: FaultMaker) -> bool:
    if len(splice(case.body, case.twin.body)[2]) <= _MOST_BYTES:
        return True
    return len(repr(written_twin(case.twin.body, case, maker.contract))) <= _MOST_CHARACTERS


def legible(case: Case, twin: Case, contract: Contract) -> Splice:
    """Returns the difference between a case and its twin, for `repr()`. If this difference is long, uses a smaller twin instead."""
    written = written_twin(twin.body, case, contract)
    if len(repr(written)) <= LEGIBLE or len(case.faults) != 1 or case.headers:
        return written
    [fault] = case.faults
    maker = FaultMaker(contract, case.message_type, tagged_now(case.tags))
    with suppress(LookupError, TypeError):
        for message, _ in _smaller_messages(twin.value, fault.at, contract.rule(fault.rule), maker, Style()):
            body = compact(message)
            other = written_twin(body, case, contract)
            if len(repr(other)) <= LEGIBLE and check(case.message_type, body, now=maker.now, contract=contract).label == "valid":
                return other
    return written


def _smaller_messages(message: Any, at: str, rule: Rule, maker: FaultMaker, style: Style) -> Iterator[tuple[Any, Steps]]:
    """Yields messages that may be smaller than `message`, each with the path to the place of the fault. Values that the user
    specified stay in every message. The order is:

    - `message` with only the first item of the array at the place, if the array has several items
    - `message` with the simplest valid value at the place
    - the smallest message in which the rule can be broken
    - `message` with a value that has all optional properties at the place
    - a complete message (with all optional properties) in which the rule can be broken
    """
    steps = _steps_to(message, at)
    present = value_at(message, steps)
    if isinstance(present, list) and len(present) > 1:
        yield _with(present[:1], message, steps, maker, style), steps
    pinned = {pin: [value_at(message, place) for place in places(message, pin)] for pin in style.pinned}
    for neighbours in (REQUIRED if style.plausible else SMALLEST, COMPLETE):
        simple, there = maker.simple(rule, neighbours)
        for smaller, place in ((_with(value_at(simple, there), message, steps, maker, style), steps), (simple, there)):
            with suppress(IndexError):
                yield _with_pinned(smaller, pinned), place


def _with(value: Any, message: Any, steps: Steps, maker: FaultMaker, style: Style) -> Any:
    """Returns a copy of the message with `value` at the path `steps`. Other values that contradict `value` also change."""
    changed = deepcopy(altered(message, steps, Put(value)))
    sites, ambiguities = maker.contract.sites[maker.message_type], ambiguities_by_site(maker.contract, maker.message_type)
    for around in (steps[:end] for end in reversed(range(len(steps)))):
        site = site_of(pointer(around))
        for repair in repairs(ambiguities.get(site, ()), site, sites[site].schema, style.pinned, simple=True):
            repair(value_at(changed, around))
    return changed


def _with_pinned(message: Any, pinned: Mapping[str, Sequence[Any]]) -> Any:
    """Puts the values that the user specified into a message. `pinned` maps each site to its values. Raises `IndexError` if the
    message contains a site that has no value in `pinned`.
    """
    for site, values in pinned.items():
        for steps in places(message, site):
            message = altered(message, steps, Put(values[0]))
    return message


def _steps_to(message: Any, at: str) -> Steps:
    found: list[str | int] = []
    for token in steps_of(at):
        step = int(token) if isinstance(message, list) else token
        found.append(step)
        message = value_at(message, (step,))
    return tuple(found)
