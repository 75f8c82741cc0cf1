"""Makes large messages smaller before their validation, because the validator creates all errors before it returns the
first error. An error needs about two kilobytes, so the errors of a message with one megabyte of `{},` would need three
gigabytes. For each array item, this module asks the validator only whether the item is valid, which creates no errors.
After a limited number of invalid items, this module removes the rest of the array.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from brokerfuzz.schemas.flattening import Schema, conditions_of, types_of, unsupported_keywords_of
from brokerfuzz.schemas.structural_validation import SchemaFiles, Validator, standard, validator


class ErrorLimiter:
    """Makes messages smaller so that they have fewer errors. The remaining errors keep their places in the message.

    If the message has fewer than `limit` errors, all errors remain. Otherwise, at least `limit` errors remain.
    """

    def __init__(self, schema: Schema, files: SchemaFiles, limit: int) -> None:
        self._schema, self._files, self._limit = schema, files, limit
        self._validators: dict[int, Validator] = {}

    def reduced(self, message: Any) -> Any:
        """Raises `ValueError` or `RecursionError` if the message is nested too deeply for the validator."""
        return _Reduction(self, self._limit).reduced([self._schema], message)

    def validator_of(self, schema: Schema) -> Validator:
        if id(schema) not in self._validators:
            self._validators[id(schema)] = validator(standard(schema), self._files)
        return self._validators[id(schema)]

    def applied(self, schemas: Iterable[Schema], value: Any) -> Iterator[Schema]:
        """Yields each schema. For each condition in a schema, also yields the branch that applies to `value`: `then` or
        `else`.
        """
        for schema in schemas:
            yield schema
            for condition in conditions_of(schema):
                branch = "then" if self.validator_of(condition["if"]).is_valid(value) else "else"
                yield from self.applied([condition[branch]], value) if branch in condition else ()


class _Reduction:
    def __init__(self, limiter: ErrorLimiter, left: int) -> None:
        self._limiter, self._limit, self._left = limiter, left, left

    def reduced(self, schemas: Iterable[Schema], value: Any) -> Any:
        if not isinstance(value, dict | list):
            return value
        applied = list(self._limiter.applied(schemas, value))
        if any(unsupported_keywords_of(schema) for schema in applied):
            return value
        return self._array(applied, value) if isinstance(value, list) else self._object(applied, value)

    def _array(self, schemas: list[Schema], items: list[Any]) -> list[Any]:
        asked = [schema["items"] for schema in schemas if "items" in schema]
        if not asked:
            return items if all("array" in types_of(schema) for schema in schemas) else []
        judges, found = [self._limiter.validator_of(schema) for schema in asked], list[Any]()
        for item in items:
            if self._left <= 0:
                break
            found.append(self.reduced(asked, item))
            self._left -= not all(judge.is_valid(item) for judge in judges)
        return found

    def _object(self, schemas: list[Schema], props: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a copy of an object. The copy has reduced values for the properties that `schemas` describe. The copy
        also contains the first `limit` other properties. Their value is None, because only their names can break a
        rule.
        """
        found, unknown = dict[str, Any](), 0
        for name, prop in props.items():
            asked = [schema["properties"][name] for schema in schemas if name in schema.get("properties", ())]
            unknown += not asked
            if asked or unknown <= self._limit:
                found[name] = self.reduced(asked, prop) if asked else None
        return found
