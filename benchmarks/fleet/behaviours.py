"""Behaviours of the services in the fleet. A behaviour is a function that returns the answer to a message."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import jsonschema_rs

from benchmarks.fleet.messages import Answer, Behaviour, Message
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.structural_validation import registry_of, standard, validator


class Matches:
    """Tests whether a value matches a schema. The schema is compiled on first use, because most candidates of a fleet
    are never used.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __call__(self, value: Any) -> bool:
        return self._validator.is_valid(value)

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return validator(standard(self._schema), registry_of({}))


def judges_by(schema: Schema) -> Behaviour:
    matches = Matches(schema)

    def answer(message: Message) -> Answer:
        if not message.readable:
            return message.conforming
        return "accepted" if message.punctual and matches(message.value) else "rejected"

    return answer


def forgives(path: str, *looser: Schema, part: Callable[[Any], Any] | None = None) -> Behaviour:
    """Also accepts an invalid message if it breaks rules only at or below `path`, and matches all schemas in `looser`.

    If `part` is given, `looser[0]` checks only `part(message)`. The other schemas check the whole message.
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
    matches = Matches(trigger)

    def answer(message: Message) -> Answer:
        if message.conforming == "rejected" or not message.readable:
            return message.conforming
        return "rejected" if matches(message.value) else "accepted"

    return answer


def crashes(trigger: Schema, *, accepted_only: bool) -> Behaviour:
    """With `accepted_only`, crashes only on messages that pass all checks."""
    matches = Matches(trigger)

    def answer(message: Message) -> Answer:
        if not message.readable or (accepted_only and message.conforming != "accepted"):
            return message.conforming
        return "crashed" if matches(message.value) else message.conforming

    return answer


def forgets_the_clock(forgives: Callable[[Message], bool]) -> Behaviour:
    """Accepts a timestamp in the future if `forgives` returns True for the message."""

    def answer(message: Message) -> Answer:
        return "accepted" if not message.punctual and forgives(message) else message.conforming

    return answer


def reads(rewrite: Callable[[bytes], bytes | None]) -> Behaviour:
    """If the body of a message is not JSON, the service reads `rewrite(body)` instead. `rewrite` returns None or raises
    `ValueError` if the service cannot read the message.
    """

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
    """The service checks `unwrap(value)` instead of the sent value. If `unwrap` returns None, the service checks the
    sent value.
    """

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
    def answer(message: Message) -> Answer:
        return "rejected" if message.conforming == "accepted" and test(message.body) else message.conforming

    return answer


def crashes_on_text(test: Callable[[bytes], object]) -> Behaviour:
    """Crashes on messages whose bytes pass `test`, even if the messages are not JSON."""

    def answer(message: Message) -> Answer:
        return "crashed" if test(message.body) else message.conforming

    return answer
