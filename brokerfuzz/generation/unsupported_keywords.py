"""Searches values of schemas for which neither their structure nor repairs give one. Only a changed contract has such
schemas, and most of them contradict themselves.

The library hypothesis-jsonschema generates the values, always with the same seed. So the same schema and the same
version of the library always give the same values. The library handles some keywords incorrectly, so brokerfuzz
validates each value before using it.
"""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from random import Random
from time import process_time
from typing import Any

import jsonschema_rs

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.edge_values import LONGEST
from brokerfuzz.schemas.structural_validation import PATTERNS

_ENOUGH, _EXAMPLES = 60, 300
SECONDS = 2.0
"""The maximum processor time for generating the values of one place of a message."""


def pool(schema: Mapping[str, Any], site: str) -> list[Any]:
    """Returns up to 60 different values that comply with the schema, shortest first.

    Raises `ContractError` if no value was found: the schema allows no value, or its values are too rare.
    """
    texts, in_time = _generated(json.dumps(schema))
    if texts:
        return [json.loads(text) for text in texts]
    where, demands = site or "the root", json.dumps(schema)[:200]
    if in_time:
        raise ContractError(
            f"brokerfuzz cannot generate a value for {where} from the schema {demands}: simplify the schema, or pass "
            "a strategy in `fields`"
        )
    raise ContractError(
        f"generating values for {where} exceeds the limit of {SECONDS:g} s: simplify the schema, or pass a strategy in "
        "`fields`"
    )


@lru_cache(maxsize=256)
def _generated(schema_text: str) -> tuple[Sequence[str], bool]:
    """Returns values as JSON, and whether the search for them stayed within the time limit."""
    from hypothesis import Phase, find, settings
    from hypothesis.errors import HypothesisException

    schema = json.loads(schema_text)
    accepts = jsonschema_rs.validator_for(schema, validate_formats=True, pattern_options=PATTERNS).is_valid
    strategy = _from_schema(schema)
    found: dict[str, None] = {}
    end = process_time() + SECONDS

    def is_last(value: Any) -> bool:
        if _ordinary(value) and accepts(value):
            found.setdefault(json.dumps(value))
        return len(found) >= _ENOUGH or process_time() > end

    if not strategy.is_empty:
        bounds = settings(database=None, deadline=None, phases=[Phase.generate], max_examples=_EXAMPLES)
        with suppress(HypothesisException):  # also if the examples are used up
            find(strategy, is_last, settings=bounds, random=Random(0))
    return sorted(found, key=lambda text: (len(text), text)), process_time() <= end


def _ordinary(value: Any) -> bool:
    """Returns whether a value touches no ambiguity. Strings must have at most 255 characters, without NUL and lone
    surrogates. Numbers must have the usual notation.
    """
    if isinstance(value, str):
        is_unicode = not any("\ud800" <= letter <= "\udfff" for letter in value)
        return "\0" not in value and len(value) <= LONGEST and is_unicode
    if isinstance(value, float):
        return math.isfinite(value) and not value.is_integer()
    if isinstance(value, int):
        return abs(value) <= 1 << 53
    if isinstance(value, dict):
        return all(_ordinary(name) and _ordinary(prop) for name, prop in value.items())
    return value is None or all(map(_ordinary, value))


def _from_schema(schema: Mapping[str, Any]) -> Any:
    from hypothesis_jsonschema import from_schema

    restore_many()
    return from_schema(dict(schema))


def restore_many() -> None:
    """Makes hypothesis-jsonschema work with current versions of Hypothesis.

    hypothesis-jsonschema 0.23.1 calls `many.more()`, which Hypothesis 6.170.10 removed. The patch adds this method if
    it is missing, and changes no other code.
    """
    from hypothesis.internal.conjecture import utils
    from hypothesis_jsonschema import _from_schema as module

    if not hasattr(utils.many, "more") and getattr(module, "cu", None) is utils:
        setattr(module, "cu", _Utils(utils))  # noqa: B010  (type checkers reject the assignment, because the attribute is a module)


class _Utils:
    """Replaces the module `hypothesis.internal.conjecture.utils`, and adds the method `more` to its class `many`."""

    def __init__(self, utils: Any) -> None:
        self._utils = utils

        class Many(utils.many):  # type: ignore[misc]
            def more(self) -> bool:
                if self._depth is None:
                    self.__enter__()
                    self._rounds = iter(self)
                if next(self._rounds, True) is None:
                    return True
                self.__exit__(None, None, None)
                return False

        self.many = Many

    def __getattr__(self, name: str) -> Any:
        return getattr(self._utils, name)
