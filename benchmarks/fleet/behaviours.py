"""What a service of the fleet does: the ways in which a bug shows, each made from a schema or a small function."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import jsonschema_rs

from benchmarks.fleet.messages import Answer, Behaviour, Message
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.structural_validation import SchemaFiles, standard, validator


class Matches:
    """Whether a value matches a schema. The schema is compiled when it is first asked: most candidates of a fleet never are."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __call__(self, value: Any) -> bool:
        return self._validator.is_valid(value)

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return validator(standard(self._schema), SchemaFiles({}))


def judges_by(schema: Schema) -> Behaviour:
    """Takes what matches the schema, and keeps the rule of the clock."""
    matches = Matches(schema)

    def answer(message: Message) -> Answer:
        if not message.readable:
            return message.conforming
        return "accepted" if message.punctual and matches(message.value) else "rejected"

    return answer


def forgives(path: str, *looser: Schema, part: Callable[[Any], Any] | None = None) -> Behaviour:
    """Takes what matches a looser schema as well, of which only the path differs from the contract's.

    Messages that break rules elsewhere are not looked at. With `part`, it is a part of the message that has to match, and the whole of it
    the second schema.
    """
    of_first, *of_whole = (Matches(schema) for schema in looser)

    def answer(message: Message) -> Answer:
        if message.conforming == "accepted" or not (message.readable and message.punctual):
            return message.conforming
        if not all(site.startswith(path) for site in message.broken):
            return "rejected"
        seen = part(message.value) if part else message.value
        return "accepted" if of_first(seen) and all(matches(message.value) for matches in of_whole) else "rejected"

    return answer


def rejects(trigger: Schema) -> Behaviour:
    """Rejects what matches the trigger."""
    matches = Matches(trigger)

    def answer(message: Message) -> Answer:
        if message.conforming == "rejected" or not message.readable:
            return message.conforming
        return "rejected" if matches(message.value) else "accepted"

    return answer


def crashes(trigger: Schema, *, accepted_only: bool) -> Behaviour:
    """Falls over what matches the trigger; `accepted_only`, once it has passed every check."""
    matches = Matches(trigger)

    def answer(message: Message) -> Answer:
        if not message.readable or (accepted_only and message.conforming != "accepted"):
            return message.conforming
        return "crashed" if matches(message.value) else message.conforming

    return answer


def forgets_the_clock(forgives: Callable[[Message], bool]) -> Behaviour:
    """Forgives an instant in the future, in messages where `forgives` says so."""

    def answer(message: Message) -> Answer:
        return "accepted" if not message.punctual and forgives(message) else message.conforming

    return answer


def reads(rewrite: Callable[[bytes], bytes | None]) -> Behaviour:
    """Reads what is no JSON as another text; `rewrite` gives None, or raises ValueError, where it cannot."""

    def answer(message: Message) -> Answer:
        if message.readable:
            return message.conforming
        try:
            seen = rewrite(message.body)
        except (ValueError, RecursionError):
            return message.conforming
        return message.conforming if seen is None or seen == message.body else message.reader(seen).conforming

    return answer


def unwraps(unwrap: Callable[[Any], Any]) -> Behaviour:
    """Sees another value in place of the one that was sent; `unwrap` gives None where it sees no other."""

    def answer(message: Message) -> Answer:
        if not message.readable:
            return message.conforming
        try:
            seen = unwrap(message.value)
        except (ValueError, RecursionError):
            return message.conforming
        return message.conforming if seen is None else message.reader(json.dumps(seen).encode()).conforming

    return answer


def rejects_text(test: Callable[[bytes], object]) -> Behaviour:
    """Rejects messages by their bytes."""

    def answer(message: Message) -> Answer:
        return "rejected" if message.conforming == "accepted" and test(message.body) else message.conforming

    return answer


def crashes_on_text(test: Callable[[bytes], object]) -> Behaviour:
    """Falls over messages by their bytes, before it looks at what they say."""

    def answer(message: Message) -> Answer:
        return "crashed" if test(message.body) else message.conforming

    return answer
