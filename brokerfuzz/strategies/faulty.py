"""A strategy that breaks the valid messages of another strategy."""

from typing import Any, Unpack, cast

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.case import Broken, Case, compact
from brokerfuzz.cases.faults import Faults
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import MessageType
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws, strategy
from brokerfuzz.strategies.hypothesis_source import hypothesis_source
from brokerfuzz.strategies.labelled_cases import LabelledCases


@strategy
def faulty(
    messages: SearchStrategy[Any], message_type: MessageType, **options: Unpack[arguments.FaultOptions]
) -> Draws[Broken]:
    """Invalid cases, made from the valid messages of a strategy. Each case breaks one rule.

    `messages` is a strategy of JSON values, such as `product_list_offers(min_clusters=2)` or your own strategy.
    `case.twin` is the valid message. A case can break only rules about values that the valid message contains. The
    other arguments are the same as for `invalid_offer_requests`.

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
    cases = LabelledCases.of(message_type, **options)

    def draw_broken(draw: DrawFn) -> Broken:
        faults = cases.faults()
        message = draw(messages)
        _check_valid(message, faults)
        return cast(Broken, cases.finished(cases.fault_in(message, hypothesis_source(draw), faults)))

    return draw_broken


def _check_valid(message: Any, faults: Faults) -> None:
    try:
        Case.judged(faults.message_type, compact(message), claim="valid", now=faults.now, contract=faults.contract)
    except (LabelError, TypeError) as problem:
        raise InvalidArgument(
            f"messages: a message is not clearly valid ({problem}); use a strategy for valid messages"
        ) from problem
