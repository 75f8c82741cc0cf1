"""Generates random messages and cases from a seed, without end and without Hypothesis."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import count
from typing import Any, Literal, TypedDict, Unpack, overload

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.errors import quoted
from brokerfuzz.generation import RandomSource, valid_draw
from brokerfuzz.generation.plausible.streams import PlausibleMessages, today
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.typed import OfferCreationRequest, OfferPricingResponse, ProductListResponse


class MessageOptions(TypedDict, total=False):
    plausible: bool
    now: datetime | None
    contract: Contract | None


@overload
def messages(
    message_type: Literal["offer-creation-request"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[OfferCreationRequest]: ...
@overload
def messages(
    message_type: Literal["product-list-response"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[ProductListResponse]: ...
@overload
def messages(
    message_type: Literal["offer-pricing-response"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[OfferPricingResponse]: ...
@overload
def messages(message_type: MessageType, seed: int, **options: Unpack[MessageOptions]) -> Iterator[Any]: ...
@overload
def messages(
    message_type: MessageType, seed: int, *, verdicts: Collection[Label], **options: Unpack[MessageOptions]
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
    known = known_contract(contract)
    known.known_message_type(message_type)
    if not isinstance(seed, int):
        raise TypeError(f"seed={quoted(seed)}: use an integer")
    if verdicts is not None:
        return random_cases(message_type, seed, verdicts=known_labels(verdicts), now=now, contract=contract)
    time = now and clock(now)
    if plausible:
        return PlausibleMessages(known, message_type, seed, time or today()).starting_at(0)
    draw, source = valid_draw(known, message_type), RandomSource(seed)
    return (draw(source) for _ in count())
