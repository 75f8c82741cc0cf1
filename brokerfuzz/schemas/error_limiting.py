"""Large messages with less in them, of which schemas find as much wrong as a verdict lists.

The validator makes an object of some two kilobytes of each error before it gives the first one: of a megabyte of `{},` where products are asked
for that would be three gigabytes. Whether there is an error it tells at once: so items are asked one by one, and no more are left than have enough.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from brokerfuzz.schemas.flattening import Schema, conditions_of, strangers, types_of
from brokerfuzz.schemas.structural_validation import SchemaFiles, Validator, standard, validator


class Thinning:
    """What a flat schema finds wrong is found in a thinned message too, at the same places: all of it, where there is no more than `most`."""

    def __init__(self, schema: Schema, files: SchemaFiles, most: int) -> None:
        self._schema, self._files, self._most = schema, files, most
        self._validators: dict[int, Validator] = {}

    def of(self, message: Any) -> Any:
        """The message, thinned. Raises `ValueError` or `RecursionError` for what is deeper than a validator goes."""
        return _Thinned(self, self._most).below([self._schema], message)

    def asking(self, schema: Schema) -> Validator:
        """The validator for a part of the schema."""
        if id(schema) not in self._validators:
            self._validators[id(schema)] = validator(standard(schema), self._files)
        return self._validators[id(schema)]

    def applied(self, schemas: Iterable[Schema], value: Any) -> Iterator[Schema]:
        """The schemas, and what their conditions demand of the value besides."""
        for schema in schemas:
            yield schema
            for condition in conditions_of(schema):
                branch = "then" if self.asking(condition["if"]).is_valid(value) else "else"
                yield from self.applied([condition[branch]], value) if branch in condition else ()


class _Thinned:
    """One message: `left` is how many more bad items are taken."""

    def __init__(self, thinning: Thinning, left: int) -> None:
        self._thinning, self._most, self._left = thinning, left, left

    def below(self, schemas: Iterable[Schema], value: Any) -> Any:
        """What lies at a place of which these schemas ask something."""
        if not isinstance(value, dict | list):
            return value
        applied = list(self._thinning.applied(schemas, value))
        if any(strangers(schema) for schema in applied):
            return value
        return self._array(applied, value) if isinstance(value, list) else self._object(applied, value)

    def _array(self, schemas: list[Schema], items: list[Any]) -> list[Any]:
        asked = [schema["items"] for schema in schemas if "items" in schema]
        if not asked:
            return items if all("array" in types_of(schema) for schema in schemas) else []
        judges, found = [self._thinning.asking(schema) for schema in asked], list[Any]()
        for item in items:
            if self._left <= 0:
                break
            found.append(self.below(asked, item))
            self._left -= not all(judge.is_valid(item) for judge in judges)
        return found

    def _object(self, schemas: list[Schema], props: Mapping[str, Any]) -> dict[str, Any]:
        """Of properties that no schema knows the names are enough, and not all of them."""
        found, unknown = dict[str, Any](), 0
        for name, prop in props.items():
            asked = [schema["properties"][name] for schema in schemas if name in schema.get("properties", ())]
            unknown += not asked
            if asked or unknown <= self._most:
                found[name] = self.below(asked, prop) if asked else None
        return found
