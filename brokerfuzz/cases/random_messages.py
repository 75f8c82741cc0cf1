"""Generates random messages and cases from a seed, without end and without Hypothesis."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import count
from typing import Any, Literal, overload

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.errors import quoted
from brokerfuzz.generation import RandomSource, valid_draw
from brokerfuzz.generation.plausible.streams import PlausibleMessages, today
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.typed import OfferCreationRequest, OfferPricingResponse, ProductListResponse


@overload
def messages(
    message_type: Literal["offer-creation-request"],
    seed: int,
    *,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[OfferCreationRequest]: ...
@overload
def messages(
    message_type: Literal["product-list-response"],
    seed: int,
    *,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[ProductListResponse]: ...
@overload
def messages(
    message_type: Literal["offer-pricing-response"],
    seed: int,
    *,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[OfferPricingResponse]: ...
@overload
def messages(
    message_type: MessageType,
    seed: int,
    *,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Any]: ...
@overload
def messages(
    message_type: MessageType,
    seed: int,
    *,
    verdicts: Collection[Label],
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Case]: ...
def messages(
    message_type: MessageType,
    seed: int,
    *,
    verdicts: Collection[Label] | None = None,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Any]:
    """Returns an endless iterator over valid messages, or over cases with these `verdicts`.

    The same arguments give the same messages on every machine. Each message is a new object that you may change.
    `brokerfuzz.cases.compact` converts a message to bytes. `plausible=True` gives messages for demonstrations and load
    tests: unique numbers, values that belong together, and dates around `now` (None: today).

    `verdicts` contains one or more of `valid`, `invalid` and `unspecified`. Each case contains a message as bytes, and
    the message's verdict, faults and twin. `now` is the time for cases whose verdict depends on the current time. If
    `now` is None, there are no such cases, so every verdict is correct at any supported time. `contract` is a changed
    contract.

    Raises `UnknownNameError` for an unknown message type or verdict, `ClockError` for an unsupported `now`, and
    `TypeError` for other wrong arguments.

    >>> from brokerfuzz import messages
    >>> next(messages("offer-creation-request", seed=1, plausible=True))["number"]
    'OFF-53780878'
    """
    known_contract(contract).known_message_type(message_type)
    if not isinstance(seed, int):
        raise TypeError(f"seed={quoted(seed)}: use an integer")
    if verdicts is None:
        return valid_messages(message_type, seed, plausible=plausible, now=now and clock(now), contract=contract)
    return random_cases(message_type, seed, verdicts=known_labels(verdicts), now=now, contract=contract)


def valid_messages(
    message_type: MessageType,
    seed: int,
    *,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Any]:
    """Yields an endless stream of valid messages (see `messages`)."""
    known = contract or load_contract()
    if plausible:
        return PlausibleMessages(known, message_type, seed, now or today()).starting_at(0)
    draw, source = valid_draw(known, message_type), RandomSource(seed)
    return (draw(source) for _ in count())
