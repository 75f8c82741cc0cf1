"""The sources of examples: strategies of brokerfuzz and of other tools, for each message type."""

# pyright: reportMissingImports=false
# (Other tools are installed only with the extra `bench`.)

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from hypothesis.strategies import SearchStrategy

from benchmarks import peers
from benchmarks.generators.drawing import examples
from benchmarks.generators.generator import written
from benchmarks.generators.messages import NOW, OFFER
from benchmarks.generators.models import model
from brokerfuzz import strategies as ours
from brokerfuzz.schemas import MESSAGE_TYPES, Label, MessageType, load_contract

VALID: dict[MessageType, Callable[..., SearchStrategy[Any]]] = {
    "offer-creation-request": ours.offer_requests,
    "product-list-response": ours.product_list_responses,
    "offer-pricing-response": ours.pricing_responses,
}
INVALID: dict[MessageType, Callable[..., SearchStrategy[Any]]] = {
    "offer-creation-request": ours.invalid_offer_requests,
    "product-list-response": ours.invalid_product_list_responses,
    "offer-pricing-response": ours.invalid_pricing_responses,
}
RUN = 100
"""Hypothesis' default number of examples per test."""

Draw = Callable[[MessageType, int, int], list[bytes]]
"""A function that generates messages. Its arguments are the message type, the number of messages and the seed."""


class Source(NamedTuple):
    """`aim` is the verdict that the source's messages should have. `package` is the package that must be installed."""

    name: str
    aim: Label
    draw: Draw
    package: str = "brokerfuzz"
    message_types: tuple[MessageType, ...] = MESSAGE_TYPES

    @property
    def is_ours(self) -> bool:
        return self.package == "brokerfuzz"


def sources(message_type: MessageType, *, only_ours: bool = False) -> list[Source]:
    """Returns the sources whose packages are installed. With `only_ours`, returns only the sources of brokerfuzz."""
    found = [source for source in _EVERY if find_spec(source.package) and message_type in source.message_types]
    return [source for source in found if not only_ours or source.is_ours]


def source_named(name: str) -> Source:
    """Worker processes get the name of a source, and find the source here, because strategies cannot be pickled."""
    return next(source for source in _EVERY if source.name == name)


def in_runs(name: str, message_type: MessageType, count: int, seed: int) -> list[bytes]:
    """Draws `count` examples, like several tests of Hypothesis: in runs of at most `RUN` examples, each with another seed."""
    draw = source_named(name).draw
    return [body for run in range(0, count, RUN) for body in draw(message_type, min(RUN, count - run), seed * 1_000_000 + run)]


def _strategy(make: Callable[[MessageType], SearchStrategy[Any]], *, patient: bool = False) -> Draw:
    kept = lru_cache(make)
    return lambda message_type, count, seed: list(map(_bytes_of, examples(kept(message_type), count, seed_number=seed, patient=patient)))


def _bytes_of(example: Any) -> bytes:
    """For a case of Schemathesis, returns its body. The result is empty if the case has no body."""
    value = getattr(example, "body", example)
    return value if isinstance(value, bytes) else b"" if type(value).__name__ == "NotSet" else written(value)


@lru_cache
def _factory(message_type: MessageType) -> Any:
    from polyfactory.factories.pydantic_factory import ModelFactory

    return ModelFactory.create_factory(model("Message", load_contract().flat[message_type]))


def _polyfactory(message_type: MessageType, count: int, seed: int) -> list[bytes]:
    factory = _factory(message_type)
    factory.seed_random(seed)
    return [factory.build().model_dump_json(by_alias=True).encode() for _ in range(count)]


def _ambiguous(message_type: MessageType) -> SearchStrategy[Any]:
    return VALID[message_type](ambiguities="all")


_EVERY = [
    Source("brokerfuzz", "valid", _strategy(lambda message_type: VALID[message_type]())),
    Source("brokerfuzz, product lists", "valid", _strategy(lambda _: ours.product_list_offers()), message_types=(OFFER,)),
    Source("brokerfuzz, invalid", "invalid", _strategy(lambda message_type: INVALID[message_type](now=NOW))),
    Source("hypothesis-jsonschema", "valid", _strategy(peers.from_schema, patient=True), "hypothesis_jsonschema"),
    Source("hypothesis-jsonschema, negated", "invalid", _strategy(partial(peers.from_schema, negated=True), patient=True), "hypothesis_jsonschema"),
    Source("Schemathesis", "valid", _strategy(peers.schemathesis, patient=True), "schemathesis"),
    Source("Schemathesis, negative", "invalid", _strategy(partial(peers.schemathesis, negative=True), patient=True), "schemathesis"),
    Source("polyfactory", "valid", _polyfactory, "polyfactory"),
]
if "ambiguities" in inspect.signature(ours.offer_requests).parameters:
    _EVERY.insert(1, Source("brokerfuzz, ambiguous", "unspecified", _strategy(_ambiguous)))
