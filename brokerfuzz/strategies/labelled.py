"""Strategies for cases. A case is a message with its verdict and the reason for the verdict."""

from collections.abc import Collection
from datetime import datetime
from typing import cast

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn

from brokerfuzz.cases.case import Broken, Case, clock
from brokerfuzz.cases.case_decoder import CaseDecoder, case_decoder
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import ClockError
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.hypothesis_source import hypothesis_source


@st.composite
def invalid_offer_requests(
    draw: DrawFn,
    *,
    rules: Collection[str] | None = None,
    techniques: Collection[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Broken:
    """Cases of offer creation requests that a service must reject.

    Each case breaks one rule. `case.twin` is its twin (the valid counterpart): a valid message that differs only at the place
    where the rule is broken.

    `rules` lists the IDs of the rules to break. In an ID, `*` matches any characters: `"*:minimum"` matches every rule about a
    minimum. `techniques` lists the names of the techniques: the ways to break a rule. `now` is the time that counts as the
    present (default: the actual time). Some techniques use a time that is later than `now`.

    `contract` is a changed contract (default: the built-in one).

    Raises `InvalidArgument` if a rule or a technique is unknown, or if no given technique can break any of the given rules.

    Shrinks towards the first rule, the first technique, and a simple message.
    """
    return _draw_fault(draw, "offer-creation-request", rules, techniques, now, contract)


@st.composite
def invalid_product_list_responses(
    draw: DrawFn,
    *,
    rules: Collection[str] | None = None,
    techniques: Collection[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Broken:
    """Cases of product list responses that break one rule each. The arguments are the same as for `invalid_offer_requests`.

    Source: Response envelope; Product list response.
    """
    return _draw_fault(draw, "product-list-response", rules, techniques, now, contract)


@st.composite
def invalid_pricing_responses(
    draw: DrawFn,
    *,
    rules: Collection[str] | None = None,
    techniques: Collection[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Broken:
    """Cases of offer pricing calculation responses that break one rule each. The arguments are the same as for
    `invalid_offer_requests`.

    Source: Response envelope; Offer pricing calculation response; Limits.
    """
    return _draw_fault(draw, "offer-pricing-response", rules, techniques, now, contract)


@st.composite
def cases(
    draw: DrawFn,
    message_type: MessageType,
    *,
    verdicts: Collection[Label] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Case:
    """Cases of one message type: valid, invalid (with faults and a twin) and unspecified cases. A case is unspecified if the
    contract does not say whether a service must accept the message.

    `verdicts` lists the verdicts to generate (`valid`, `invalid`, `unspecified`; default: all). `now` and `contract` are the same
    as for `invalid_offer_requests`.

    Shrinks towards the first verdict, and then towards simple messages.
    """
    contract = contract or load_contract()
    decoder = case_decoder(contract, arguments.known_type(message_type), arguments.labels(verdicts, LABELS))
    return decoder.read(hypothesis_source(draw, {}), _clock(now))


def _draw_fault(
    draw: DrawFn,
    message_type: MessageType,
    rules: Collection[str] | None,
    techniques: Collection[str] | None,
    now: datetime | None,
    contract: Contract | None,
) -> Broken:
    decoder = _fault_decoder(contract or load_contract(), message_type, rules, techniques)
    return cast(Broken, decoder.read(hypothesis_source(draw, {}), _clock(now)))


def _fault_decoder(contract: Contract, message_type: MessageType, rules: Collection[str] | None, techniques: Collection[str] | None) -> CaseDecoder:
    chosen = arguments.chosen_rules(rules, contract, message_type)
    decoder = case_decoder(contract, message_type, ("invalid",), chosen, arguments.chosen_techniques(techniques))
    if not decoder.rules:
        remedy = f"none of these techniques can break any of rules={rules!r}; `brokerfuzz rules --techniques` lists the rules for each technique"
        arguments.reject("techniques", techniques, remedy)
    return decoder


def _clock(now: datetime | None) -> datetime:
    try:
        return clock(now)
    except ClockError as problem:
        raise InvalidArgument(str(problem)) from problem
