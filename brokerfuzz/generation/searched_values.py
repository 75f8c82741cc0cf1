"""Searches values for keywords that the generator does not follow, such as `oneOf` and `pattern`. Only own contracts
have them.

The library hypothesis-jsonschema proposes the values, always with the same seed, and a validator judges each of them.
So the same schema and the same version of the library always give the same values.
"""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from random import Random
from threading import RLock
from typing import Any

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.formats import FORMATS
from brokerfuzz.schemas.edge import LONGEST
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.validation import judge_of, standard

PLAIN_VALUES: Sequence[Any] = (
    "a", "", "~", "A-1", "abcdefghij", 1, 0, -1, 1.5, 1000, True, False, [], {}, ["a", "a"], [1, 1], {"a": 1},
    {"a": "a", "b": "b"}, list(range(20)), dict.fromkeys("abcdefghij", 1), dict.fromkeys("abcdefghij", "a"),
)  # fmt: skip
"""Values that comply with many schemas, and break many others."""
_MOST_VALUES = 30
_MOST_PROPOSALS, _IN_VAIN = 100, 20
"""A search ends after this number of proposals, or after a number of proposals in a row without a new value."""


def searched_values(schema: Schema, site: str) -> list[Any]:
    """Returns up to 30 different values that comply with the schema, the shortest first, and empty ones last. They do
    not include null.

    Raises `ContractError` if no value was found: the schema allows no value, or its values are too rare.
    """
    texts = _search(json.dumps(schema))
    if texts:
        return [json.loads(text) for text in texts]
    pattern = schema.get("pattern", "")
    if pattern.startswith("/") and pattern.endswith("/"):
        raise ContractError(
            f"the pattern {pattern!r} of {site or 'the root'} matches nothing: remove the slashes around it"
        )
    raise ContractError(
        f"brokerfuzz found no value for {site or 'the root'} with the schema {json.dumps(schema)[:200]}: correct or "
        "simplify the schema, or add `examples` to it"
    )


@lru_cache(maxsize=512)
def _search(schema_text: str) -> Sequence[str]:
    """Returns the values as JSON, because callers may change what they get."""
    schema = json.loads(schema_text)
    search = _Search(schema)
    spellings = FORMATS[schema["format"]].valid if "format" in schema else ()
    for value in (*schema.get("examples", ()), *spellings, *PLAIN_VALUES):
        search.add(value)
    search.propose()
    return sorted(search.texts, key=lambda text: (text in ('""', "[]", "{}"), len(text), text))


class _SearchEndedError(Exception):
    pass


class _Search:
    """Collects the values that comply with a schema, as JSON. It counts also those proposals that become too large
    before they are complete, so that the same schema always needs the same work.
    """

    def __init__(self, schema: Schema) -> None:
        self.texts: dict[str, None] = {}
        self._schema = schema
        self._is_valid = judge_of(schema)
        self._proposals = 0
        self._last_new = 0

    def add(self, value: Any) -> None:
        if value is None or not _is_ordinary(value) or not self._is_valid(value):
            return
        text = json.dumps(value)
        if text not in self.texts:
            self.texts[text] = None
            self._last_new = self._proposals

    def propose(self) -> None:
        """Adds values that probably comply with the schema."""
        from hypothesis import Phase, find, settings
        from hypothesis.strategies import DrawFn, composite
        from hypothesis_jsonschema import from_schema

        restore_many()
        bounds = settings(database=None, deadline=None, phases=[Phase.generate], max_examples=_MOST_PROPOSALS)
        # the library rejects some schemas, and `find` raises at the end of the search
        with _without_constants(), suppress(Exception):
            strategy = from_schema(_in_draft_7(standard(self._schema)), allow_x00=False)

            @composite
            def proposals(draw: DrawFn) -> None:
                if self._is_over:
                    raise _SearchEndedError
                self._proposals += 1
                self.add(draw(strategy))

            find(proposals(), lambda _: False, settings=bounds, random=Random(0))

    @property
    def _is_over(self) -> bool:
        in_vain = self._proposals - self._last_new
        return self._proposals == _MOST_PROPOSALS or in_vain == _IN_VAIN or len(self.texts) >= _MOST_VALUES


def _in_draft_7(schema: Any) -> Any:
    """Translates the keywords for which hypothesis-jsonschema knows only the names of draft 7."""
    if isinstance(schema, list):
        return [_in_draft_7(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    older = {keyword: _in_draft_7(value) for keyword, value in schema.items()}
    if "prefixItems" in older:
        older["additionalItems"] = older.pop("items", older.pop("unevaluatedItems", True))
        older["items"] = older.pop("prefixItems")
    if "unevaluatedProperties" in older:
        older.setdefault("additionalProperties", older.pop("unevaluatedProperties"))
    return older


_PATCHING = RLock()


@contextmanager
def _without_constants() -> Iterator[None]:
    """Hypothesis also generates constants from the modules of the user, so other modules would give other values."""
    from hypothesis.internal.conjecture.providers import HypothesisProvider

    name = "_maybe_draw_constant"
    with _PATCHING:  # two threads can search at the same time
        draw_constant = getattr(HypothesisProvider, name, None)
        if draw_constant is None:  # other versions of Hypothesis have no such constants
            yield
            return
        setattr(HypothesisProvider, name, lambda *arguments, **options: None)
        try:
            yield
        finally:
            setattr(HypothesisProvider, name, draw_constant)


def _is_ordinary(value: Any) -> bool:
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
        return all(_is_ordinary(name) and _is_ordinary(prop) for name, prop in value.items())
    return value is None or all(map(_is_ordinary, value))


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
