"""Mutants that change the sent value before they check it: for example, they remove properties that are null."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.fleet.behaviours import unwraps
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.plain_messages import Ground, written

Change = Callable[[Any], Any]


def candidates(ground: Ground) -> Iterator[Candidate]:
    for name, unwrap, example in (*_OTHERS, _any_case(ground)):
        bodies = [written(example(message)) for message in ground.messages]
        yield Candidate("reader", f"reads {name}", "", "", None, unwraps(unwrap), bodies)


def _json_text(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else None


def _only_item(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else None


def _first_item(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _only_property(value: Any) -> Any:
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None


def _any_case(ground: Ground) -> tuple[str, Change, Change]:
    known = {site.name.lower(): site.name for site in ground.sites.values() if site.name}

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {known.get(name.lower(), name): rename(prop) for name, prop in value.items()}
        return [rename(item) for item in value] if isinstance(value, list) else value

    return "names in any case", rename, lambda m: {name.upper(): prop for name, prop in m.items()}


def _nulls_dropped(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _nulls_dropped(prop) for name, prop in value.items() if prop is not None}
    return [_nulls_dropped(item) for item in value if item is not None] if isinstance(value, list) else value


def _trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _trimmed(prop) for name, prop in value.items()}
    if isinstance(value, list):
        return [_trimmed(item) for item in value]
    return value.strip() if isinstance(value, str) else value


def _empty_as_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _empty_as_null(prop) for name, prop in value.items()}
    if isinstance(value, list):
        return [_empty_as_null(item) for item in value]
    return None if value == "" else value


def _names_trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name.strip(): _names_trimmed(prop) for name, prop in value.items()}
    return [_names_trimmed(item) for item in value] if isinstance(value, list) else value


_OTHERS: tuple[tuple[str, Change, Change], ...] = (
    ("a string that contains JSON", _json_text, json.dumps),
    ("an array of one message", _only_item, lambda m: [m]),
    ("an array's first message", _first_item, lambda m: [m, m]),
    ("a message in an envelope", _only_property, lambda m: {"data": m}),
    (
        "names without leading and trailing spaces",
        _names_trimmed,
        lambda m: {f"{name} ": prop for name, prop in m.items()},
    ),
    ("null as absence", _nulls_dropped, lambda m: {**m, "accessGroups": [None]}),
    ("strings without leading and trailing spaces", _trimmed, lambda m: {**m, "number": " "}),
    ("the empty string as null", _empty_as_null, lambda m: {**m, "defaultPrice": ""}),
)
