"""Defines strategies for cases. A case is a message with its verdict and the reason for the verdict."""

from collections.abc import Iterable
from typing import Any, Unpack

from hypothesis.strategies import SearchStrategy

from brokerfuzz.cases.case import Broken, Case
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Label, MessageType
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws, strategy
from brokerfuzz.strategies.drawn_cases import DrawnCases


@strategy
def invalid_offer_requests(**options: Unpack[arguments.GeneratedCaseOptions]) -> Draws[Broken]:
    """Cases of offer creation requests that a service must reject.

    Each case breaks one rule. `case.twin` is the twin (the valid counterpart) of the case: a valid message that differs
    only at the place where the rule is broken.

    - `rules` lists the rules to break (`orderMinimum:minimum`, or `orderMinimum` for all rules of this property), and
      `techniques` lists the ways to break a rule (default: all). In these lists, `*` matches any characters, and `!`
      excludes: `["*:minimum"]` selects every rule about a minimum, and `["!*:type"]` all except those about types.
    - `fields` and `plausible` work as in `offer_requests`. No case breaks a rule at a site in `fields`.
    - `parsed=True` selects cases that are valid JSON, so that `case.value` is the parsed message.
    - `now` is the time that counts as the present (default: the actual time). Some techniques use a time after `now`.
    - `contract` is your own contract, such as `brokerfuzz.load_contract(folder)` (default: the built-in contract).

    Raises `InvalidArgument` if a name is unknown, if no given technique can break any of the given rules, or if a
    pinned value breaks the contract.

    Rules and techniques have a fixed order. Shrinks towards a simple message, the first rule and the first technique.

    The contract describes these messages in the section "Errors", validation rules 1-9.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import invalid_offer_requests
    >>> case = find(invalid_offer_requests(rules=["*orderMinimum:minimum"]), lambda case: True)
    >>> print(case.body.decode(), case.twin.body.decode())
    {"number":"a","offerType":"Direct Mail","orderMinimum":0} {"number":"a","offerType":"Direct Mail","orderMinimum":1}
    """
    return DrawnCases.of("offer-creation-request", **options).draws(["invalid"])


@strategy
def invalid_product_list_responses(**options: Unpack[arguments.GeneratedCaseOptions]) -> Draws[Broken]:
    """Cases of product list responses that break one rule each. The arguments are the same as for
    `invalid_offer_requests`.

    The contract describes these messages in the sections "Response envelope" and "Product list response".

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import invalid_product_list_responses
    >>> str(find(invalid_product_list_responses(rules=["data"]), lambda case: True))
    'breaks product-list-response.data required removed'
    """
    return DrawnCases.of("product-list-response", **options).draws(["invalid"])


@strategy
def invalid_pricing_responses(**options: Unpack[arguments.GeneratedCaseOptions]) -> Draws[Broken]:
    """Cases of offer pricing calculation responses that break one rule each. The arguments are the same as for
    `invalid_offer_requests`.

    The contract describes these messages in the sections "Response envelope", "Offer pricing calculation response" and
    "Limits".

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import invalid_pricing_responses
    >>> str(find(invalid_pricing_responses(rules=["*quantity:minimum"]), lambda case: True))
    'breaks quantity minimum one-below'
    """
    return DrawnCases.of("offer-pricing-response", **options).draws(["invalid"])


@strategy
def cases(
    message_type: MessageType,
    *,
    verdicts: Iterable[Label] | None = None,
    **options: Unpack[arguments.GeneratedCaseOptions],
) -> Draws[Case]:
    """Cases of one message type: valid, invalid (with faults and a twin) and unspecified cases. A case is unspecified
    if the contract does not say whether a service must accept the message.

    `verdicts` lists the verdicts to generate (`valid`, `invalid`, `unspecified`; default: all). `rules` and
    `techniques` limit only the invalid cases. The other arguments are the same as for `invalid_offer_requests`.

    Shrinks towards the first verdict in the order `valid`, `invalid`, `unspecified`, and then towards simple messages.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import cases
    >>> find(cases("product-list-response", verdicts=["valid"]), lambda case: True).label
    'valid'
    """
    labels = LABELS if verdicts is None else known_labels(arguments.several("verdicts", verdicts))
    return DrawnCases.of(message_type, **options).draws(labels)


@strategy
def faulty(
    messages: SearchStrategy[Any], message_type: MessageType, **options: Unpack[arguments.FaultOptions]
) -> Draws[Broken]:
    """Invalid cases, made from the valid messages of a strategy. Each case breaks one rule.

    `messages` is a strategy of JSON values, such as `product_list_offers(min_clusters=2)` or your own strategy.
    `case.twin` is the valid message. A case can break only rules about values that the valid message contains;
    `invalid_offer_requests` breaks each rule, and is faster. The other arguments are the same.

    Raises `InvalidArgument` if `messages` generates a message that is not valid.

    Shrinks towards the smallest message, and then towards the first rule and the first technique.

    >>> from hypothesis import find, strategies as st
    >>> from brokerfuzz.strategies import faulty
    >>> offers = st.just({"number": "A", "offerType": "Email", "orderMaximum": 3})
    >>> find(faulty(offers, "offer-creation-request", rules=["*orderMaximum:minimum"]), lambda case: True).value
    {'number': 'A', 'offerType': 'Email', 'orderMaximum': 0}
    """
    if not isinstance(messages, SearchStrategy):
        arguments.reject("messages", messages, "use a strategy for valid messages, such as offer_requests()")
    messages.validate()
    return DrawnCases.of(message_type, **options).draws_from(messages)
