"""Values for schemas with keywords that no table of ours knows: `pattern`, `format`, `oneOf` in a changed contract.

hypothesis-jsonschema makes them. Its output is driven by bytes through Hypothesis' own `fuzz_one_input`, so that a stranger is a
pool of values like any other; what it makes is judged before it is used, since it is wrong on some keywords. The pool depends on
the versions of both libraries.
"""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from hashlib import shake_128
from typing import Any

from brokerfuzz.errors import ContractError

POOL_SIZE = 60
_ATTEMPTS = 1500
_BYTES = 4096


def pool(schema: Mapping[str, Any], site: str) -> list[Any]:
    """Up to 60 different values that the schema accepts, shortest first.

    Raises `ContractError` where none can be made: the schema allows nothing, or nothing that random search finds.
    """
    texts = _pool(json.dumps(schema))
    if not texts:
        where, demands = site or "the root", json.dumps(schema)[:200]
        raise ContractError(f"no value for {where} can be made from its schema {demands}: loosen it, or pin the site with fields=")
    return [json.loads(text) for text in texts]


@lru_cache(maxsize=256)
def _pool(schema_text: str) -> tuple[str, ...]:
    import jsonschema_rs
    from hypothesis import Phase, given, settings
    from hypothesis.errors import HypothesisException

    schema = json.loads(schema_text)
    accepts = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
    found: dict[str, None] = {}

    @settings(database=None, deadline=None, phases=[Phase.generate])
    @given(_from_schema(schema))
    def collect(value: Any) -> None:
        if _ordinary(value) and accepts(value):
            found.setdefault(json.dumps(value))

    spell = vars(collect)["hypothesis"].fuzz_one_input
    for attempt in range(_ATTEMPTS):
        if len(found) >= POOL_SIZE:
            break
        try:
            spell(_bytes(schema_text, attempt))
        except HypothesisException:
            break
    return tuple(sorted(found, key=lambda text: (len(text), text)))


def _bytes(schema_text: str, attempt: int) -> bytes:
    """The bytes of an attempt: zeros first, then more and less sparse ones, since sparse bytes spell small values."""
    raw, mask = (shake_128(f"{salt} {attempt} {schema_text}".encode()).digest(_BYTES) for salt in ("bytes", "mask"))
    return bytes(byte if kept < 64 * (attempt % 4) else 0 for byte, kept in zip(raw, mask, strict=True))


def _ordinary(value: Any) -> bool:
    """Whether no ambiguity is about the value, wherever it stands: text that UTF-8 carries, numbers that are written as what they are."""
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
    """Gives hypothesis-jsonschema, and it alone, the method that it calls and that Hypothesis 6.170.10 took away.

    Its 0.23.1 loops `while elements.more()` over Hypothesis' `many`, which is iterated now. Nothing happens where `many` has
    the method, or where hypothesis-jsonschema no longer asks for it.
    """
    from hypothesis.internal.conjecture import utils
    from hypothesis_jsonschema import _from_schema as module

    if not hasattr(utils.many, "more") and getattr(module, "cu", None) is utils:
        setattr(module, "cu", _Utils(utils))  # noqa: B010  (to type checkers it is the module that it stands in for)


class _Utils:
    """Hypothesis' utilities, with a `many` that has `more`."""

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
