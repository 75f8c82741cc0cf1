"""Values for schemas with keywords that no table of ours knows: `pattern`, `format`, `oneOf` in a changed contract.

hypothesis-jsonschema makes them. Its output is driven by bytes through Hypothesis' own `fuzz_one_input`, so that a stranger is a
pool of values like any other; what it makes is judged before it is used, since it is wrong on some keywords. The pool depends on
the versions of both libraries.
"""

import json
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
        raise ContractError(f"no value for {site or 'the root'} can be made from its schema {json.dumps(schema)[:200]}: loosen it, or pin the site with fields=")
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
        if _carried_by_json(value) and accepts(value):
            found.setdefault(json.dumps(value))

    for attempt in range(_ATTEMPTS):
        if len(found) >= POOL_SIZE:
            break
        try:
            collect.hypothesis.fuzz_one_input(shake_128(f"{attempt} {schema_text}".encode()).digest(_BYTES if attempt else 0) or bytes(_BYTES))
        except HypothesisException:
            break
    return tuple(sorted(found, key=lambda text: (len(text), text)))


def _carried_by_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


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
        module.cu = _Utils(utils)  # type: ignore[attr-defined]


class _Utils:
    """Hypothesis' utilities, with a `many` that has `more`."""

    def __init__(self, utils: Any) -> None:
        self._utils = utils

        class Many(utils.many):  # type: ignore[misc, name-defined]
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
