"""Changes values a little: to repair a value that does not comply with its schema, and to break a rule that structure
does not show how to break.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Any

import jsonschema_rs

from brokerfuzz.generation.judging import judge_of, validator_of
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import Steps

Changed = Callable[[Any, Sequence[Any]], Iterator[Any]]
"""A function that yields changed copies of a value, the simplest first. The second argument are examples of other
values.
"""
SCALARS: Sequence[Any] = ("a", "", "~", "A-1", 1, 0, -1, 1.5, 1000, True, False, None)
_NAMES = ("a", "~", "A b", "1", "unexpected", "x" * 40)
_MOST = 400
"""The maximum number of changed copies that are tried."""
_MOST_COUNTED = 40
"""The maximum number of changed copies whose errors are counted, which takes longer than to validate them."""
_MOST_ERRORS = 50
_ROUNDS = 3


def other_values(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    yield from examples
    for names in chain.from_iterable(combinations(_longest_of(examples), size) for size in (1, 2)):
        yield {name: _longest_of(examples)[name] for name in names}
    yield from SCALARS
    yield from ([], {})


def _longest_of(examples: Sequence[Any]) -> dict[str, Any]:
    return max((one for one in examples if isinstance(one, dict)), key=len, default={})


def changed_strings(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, str):
        yield from (
            f"{value}~",
            f"~{value}",
            value[:-1],
            value[1:],
            value.upper(),
            value.lower(),
            f"{value} ",
            value * 2,
        )


def changed_numbers(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (value + 1, value - 1, value + 0.5, -value, value * 10, value + 1000, value - 1000)


def fewer_items(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, list):
        yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
        yield from (value[:size] for size in range(len(value)))


def more_items(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, list):
        others = [*value, *chain.from_iterable(one for one in examples if isinstance(one, list)), *examples, *SCALARS]
        yield from ([*value, *[other] * times] for times in (1, 2, 3, 12) for other in others)


def changed_items(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, list):
        for index, item in enumerate(value[:12]):
            for other in islice(any_neighbours(item, examples), 60):
                yield [*value[:index], other, *value[index + 1 :]]
        yield from ([other] * len(value) for other in SCALARS)


def fewer_properties(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from ({name: value[name] for name in value if name != other} for other in value)
        yield from (dict(islice(value.items(), size)) for size in range(len(value)))


def more_properties(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from ({**value, **example} for example in examples if isinstance(example, dict))
        yield from ({name: other, **value} for name, other in _longest_of(examples).items() if name not in value)
        yield from ({**value, name: other} for name in _NAMES for other in (*value.values(), *SCALARS))
        for size in (2, 3, 5, 12, 101):
            yield from (
                {**value, **dict.fromkeys([f"a{number}" for number in range(size)], other)}
                for other in (*value.values(), 1, "a")
            )


def changed_properties(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, prop in value.items():
            for other in islice(any_neighbours(prop, _properties(examples, name)), 60):
                yield {**value, name: other}


def _properties(examples: Sequence[Any], name: str) -> list[Any]:
    return [example[name] for example in examples if isinstance(example, dict) and name in example]


KINDS: Mapping[str, Changed] = {
    kind.__name__: kind
    for kind in (
        changed_strings, changed_numbers, fewer_items, more_items, changed_items, fewer_properties, more_properties,
        changed_properties, other_values,
    )
}  # fmt: skip


def any_neighbours(value: Any, examples: Sequence[Any]) -> Iterator[Any]:
    for kind in KINDS.values():
        yield from kind(value, examples)


def without(schema: Schema, keyword: str) -> Schema:
    """Returns the schema without a keyword, but with its effect on other keywords: without `patternProperties`,
    `additionalProperties` would concern more names.
    """
    kept = {name: value for name, value in schema.items() if name != keyword}
    match keyword:
        case "patternProperties":
            return {**kept, keyword: {pattern: {} for pattern in schema[keyword]}}
        case "prefixItems":
            return {**kept, keyword: [{} for _ in schema[keyword]]}
        case "minContains":
            return {**kept, keyword: 0}
        case _:
            return kept


def breaking(kind: Changed, value: Any, examples: Sequence[Any], schema: Schema, keyword: str) -> Iterator[Any]:
    """Yields changed values that do not comply with a keyword of a schema, but with all others."""
    with_keyword, others = judge_of(schema), judge_of(without(schema, keyword))
    for changed in islice(kind(value, examples), _MOST):
        if others(changed) and not with_keyword(changed):
            yield changed


def repaired(value: Any, schema: Schema, examples: Sequence[Any]) -> Any:
    """Changes a value until it complies with its schema, as long as fewer and fewer places are wrong. If this does not
    succeed, the result is still wrong.
    """
    validator = validator_of(schema)
    places = _wrong_places(validator, value)
    for _ in range(_ROUNDS if places else 0):
        candidates = list(islice(_at(value, places[0], examples), _MOST))
        valid = next(filter(validator.is_valid, candidates), None)
        if valid is not None:
            return valid
        wrong = [(_wrong_places(validator, changed), changed) for changed in candidates[:_MOST_COUNTED]]
        fewest, changed = min(wrong, key=lambda one: len(one[0]))
        if len(fewest) >= len(places):
            break
        value, places = changed, fewest
    return value


def _wrong_places(validator: jsonschema_rs.Validator, value: Any) -> list[Steps]:
    return [tuple(error.instance_path) for error in islice(validator.iter_errors(value), _MOST_ERRORS)]


def _at(value: Any, place: Steps, examples: Sequence[Any]) -> Iterator[Any]:
    """Yields copies of a value that are changed at a place, or around it."""
    if place:
        step = place[0]
        for other in _at(value[step], place[1:], ()):
            copied = value.copy()
            copied[step] = other
            yield copied
    yield from any_neighbours(value, examples)
