"""Generates values for schemas with keywords that the other modules of this folder do not support, such as `pattern`,
`format` and `oneOf`.

Only a changed contract uses such keywords. The library hypothesis-jsonschema generates the values from bytes that
brokerfuzz computes from the schema. So the same schema and the same version of the library always give the same values.
The library handles some keywords incorrectly, so brokerfuzz validates each value before using it.
"""

import json
import math
from collections.abc import Mapping
from hashlib import shake_128
from typing import Any

import jsonschema_rs

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.edge_values import OF_DETECTOR
from brokerfuzz.schemas.contract_limits import TimeLimit
from brokerfuzz.schemas.structural_validation import PATTERNS

POOL_SIZE = 60
_ATTEMPTS = 1500
_BYTES = 4096
_REMEMBERED = 256
_OF_FORMAT = {"date-time": OF_DETECTOR["past"].values, "uri": OF_DETECTOR["url"].values}
"""The values of these formats. The library would generate timestamps and URLs whose notation is ambiguous, such as the
year 0000.
"""


def pool(schema: Mapping[str, Any], site: str) -> list[Any]:
    """Returns up to 60 different values that comply with the schema, shortest first.

    Raises `ContractError` if no value was found: the schema allows no value, or its values are too rare.
    """
    where = site or "the root"
    texts = _pool(json.dumps(schema), TimeLimit(where))
    if not texts:
        demands = json.dumps(schema)[:200]
        raise ContractError(
            f"brokerfuzz cannot generate a value for {where} from the schema {demands}: simplify the schema, or pass "
            "a strategy in `fields`"
        )
    return [json.loads(text) for text in texts]


_found: dict[str, tuple[str, ...] | ContractError] = {}
"""The values that were generated for each schema, or the error if this has exceeded the time limit."""


def _pool(schema_text: str, limit: TimeLimit) -> tuple[str, ...]:
    if schema_text not in _found:
        if len(_found) >= _REMEMBERED:
            _found.clear()
        try:
            _found[schema_text] = _generated(schema_text, limit)
        except ContractError as problem:
            _found[schema_text] = problem
    found = _found[schema_text]
    if isinstance(found, ContractError):
        raise found
    return found


def _generated(schema_text: str, limit: TimeLimit) -> tuple[str, ...]:
    from hypothesis import Phase, given, settings
    from hypothesis.errors import HypothesisException

    schema = json.loads(schema_text)
    accepts = jsonschema_rs.validator_for(schema, validate_formats=True, pattern_options=PATTERNS).is_valid
    if plain := [value for value in _OF_FORMAT.get(schema.get("format"), ()) if accepts(value)]:
        return tuple(json.dumps(value) for value in [*plain, *([None] if accepts(None) else [])])
    strategy = _from_schema(schema)
    if strategy.is_empty:
        return ()
    found: dict[str, None] = {}

    @settings(database=None, deadline=None, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Any) -> None:
        if _ordinary(value) and accepts(value):
            found.setdefault(json.dumps(value))

    spell = vars(collect)["hypothesis"].fuzz_one_input
    for attempt in range(_ATTEMPTS):
        if len(found) >= POOL_SIZE:
            break
        limit.check()
        try:
            spell(_bytes(schema_text, attempt))
        except HypothesisException:
            break
    return tuple(sorted(found, key=lambda text: (len(text), text)))


def _bytes(schema_text: str, attempt: int) -> bytes:
    """Returns random bytes for one attempt to generate a value. Some attempts get more zeros than others, because zeros
    give small values.
    """
    raw, mask = (shake_128(f"{salt} {attempt} {schema_text}".encode()).digest(_BYTES) for salt in ("bytes", "mask"))
    return bytes(byte if kept < 64 * (attempt % 4) else 0 for byte, kept in zip(raw, mask, strict=True))


def _ordinary(value: Any) -> bool:
    """Returns whether a value touches no ambiguity. Strings must have at most 1,024 characters, without NUL and lone
    surrogates. Numbers must have the usual notation.
    """
    if isinstance(value, str):
        return "\0" not in value and len(value) <= 1024 and not any("\ud800" <= letter <= "\udfff" for letter in value)
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
