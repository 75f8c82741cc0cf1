"""Behaviours of targets. A behaviour is a function that accepts or rejects the bytes of a message. Most of them conform to
the contract, except for one mistake.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

import brokerfuzz
from brokerfuzz.schemas import Violation

OFFER: Final = "offer-creation-request"
PRICING: Final = "offer-pricing-response"
PRODUCTS: Final = "product-list-response"

VALID: Final[dict[str, Any]] = {"verdicts": ["valid"], "tags": ["edge:*", "pairs*"]}
"""Selects valid messages with unusual values, and with all pairs of states of their properties."""

EDGES: Final[dict[str, Any]] = {"verdicts": ["valid"], "tags": ["edge:*"]}
"""Selects valid messages with unusual values: half of `VALID`."""

SCALARS: Final[dict[str, Any]] = {"verdicts": ["valid"], "tags": ["edge:values*"]}
"""Selects valid messages with unusual strings, numbers and booleans: a third of `EDGES`."""

LINE_OF_CODE: Final = re.compile(r"^\w+\.py:\d+: ")
"""The beginning of the text of a crash."""

Accepts = Callable[[bytes], bool]
Condition = Callable[[dict[str, Any]], object]
check = lru_cache(maxsize=20_000)(brokerfuzz.check)
"""Campaigns against different behaviours send mostly the same messages."""


def conforming(message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    return lambda body: check(message_type, body).label != "invalid"


CONFORMING: Final = conforming()


def excusing(excuses: Callable[[Violation], object], message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    """Accepts messages if it excuses everything that is wrong with them."""
    return lambda body: all(excuses(violation) for violation in check(message_type, body).broken)


def lenient(*rules: str, message_type: brokerfuzz.MessageType = OFFER) -> Accepts:
    """Does not check rules that match one of the patterns."""
    patterns = [re.escape(f"{message_type}/{rule}").replace(r"\*", ".*") for rule in rules]
    unchecked = re.compile("|".join(patterns))
    return excusing(lambda violation: unchecked.fullmatch(violation.rule), message_type)


def strict(refuses: Condition, otherwise: Accepts = CONFORMING) -> Accepts:
    """Also rejects messages for which `refuses` is true."""
    return lambda body: otherwise(body) and not refuses(parsed(body))


def crashing(fails: Condition, otherwise: Accepts = CONFORMING) -> Accepts:
    """Raises an exception for messages for which `fails` is true, before anything is checked."""

    def accepts(body: bytes) -> bool:
        if fails(parsed(body)):
            raise RuntimeError("boom")
        return otherwise(body)

    return accepts


def parsed(body: bytes) -> dict[str, Any]:
    """The message as a dictionary, which is empty if the message is not an object in JSON."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def everything_in(value: Any) -> Iterator[Any]:
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from everything_in(part)


def objects(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """The objects in the arrays that are called `name`, at any depth."""
    for part in everything_in(value):
        array = part.get(name) if isinstance(part, dict) else None
        yield from (item for item in (array if isinstance(array, list) else ()) if isinstance(item, dict))


def values_at(message: dict[str, Any], path: str) -> list[Any]:
    """The values at a path such as `data.offers[].pageCount`, except nulls."""
    found: list[Any] = [message]
    for step in path.split("."):
        name = step.removesuffix("[]")
        found = [value[name] for value in found if isinstance(value, dict) and name in value]
        if step.endswith("[]"):
            found = [item for items in found if isinstance(items, list) for item in items]
    return [value for value in found if value is not None]


def any_at(path: str, test: Callable[[Any], object]) -> Condition:
    return lambda message: any(map(test, values_at(message, path)))


def is_null(name: str) -> Condition:
    return lambda message: name in message and message[name] is None


def any_string(is_refused: Callable[[str], object]) -> Condition:
    return lambda message: any(isinstance(value, str) and is_refused(value) for value in everything_in(message))
