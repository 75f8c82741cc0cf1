"""Generates `typed.py`: a TypedDict for each object in the messages of the built-in contract.

The `title` of an object's schema is the name of its class: "Price tier" becomes `PriceTier`. If the `then` schema of a
condition has a title, the messages that meet the condition have their own class, such as `ProductListOffer`. Run
`python -m tests.regenerate` after each change to the schemas.
"""

import json
import re

from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.flattening import Schema, conditions_of, conjoin, types_of
from brokerfuzz.schemas.sites import join
from brokerfuzz.wording import with_article

_HEAD = '''"""The message types as Python TypedDicts. `schemas/typed_source` generates this file.

To change it, change the schemas.
"""

from typing import Literal, NotRequired, TypedDict

__all__ = [
{exported}
]
'''
_OF_SCALARS = {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}


def typed_source(contract: Contract) -> str:
    """Returns the source of a module with a TypedDict for each object. Nested objects come first."""
    classes = _Classes()
    for message_type, schema in contract.flat.items():
        classes.message = with_article(message_type.replace("-", " "))
        classes.add(_camel(message_type), schema, "")
        for condition in conditions_of(schema):
            if "title" in condition["then"]:
                classes.add(_camel(condition["then"]["title"]), _meeting(condition, schema), "")
    exported = "\n".join(f'    "{name}",' for name in sorted(classes.sources))
    return _HEAD.format(exported=exported) + "\n\n".join(["", *classes.sources.values()])


def _meeting(condition: Schema, schema: Schema) -> Schema:
    """Combines a schema with a condition and the `then` schema of this condition. The properties have the same order as
    in `schema`.
    """
    met = conjoin(condition["then"], conjoin(condition["if"], schema))
    return {**met, "properties": {name: met["properties"][name] for name in schema["properties"]}}


def _camel(words: str) -> str:
    """Converts `offer-creation-request` or `Offer creation request` to the name of a class."""
    return "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", words))


class _Classes:
    """Collects the sources of the classes. Each class comes after the classes that it uses."""

    def __init__(self) -> None:
        self.message = ""
        self.sources: dict[str, str] = {}
        self._of_schema: dict[str, str] = {}

    def add(self, name: str, schema: Schema, path: str) -> None:
        summary = schema.get("description") or f"An item of `{path.removesuffix('[]')}` in {self.message}."
        lines = [f"class {name}(TypedDict):", f'    """{summary}"""', ""]
        for prop, inner in schema["properties"].items():
            annotation = self._annotation(inner, join(path, prop))
            is_required = prop in schema.get("required", ())
            lines.append(f"    {prop}: {annotation if is_required else f'NotRequired[{annotation}]'}")
            if "description" in inner:
                lines.append(f'    """{inner["description"]}"""')
        self.sources[name] = "\n".join(lines) + "\n"

    def _annotation(self, schema: Schema, path: str) -> str:
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value, ensure_ascii=False) for value in schema['enum'])}]"
        types = types_of(schema)
        found = [name for json_type, name in _OF_SCALARS.items() if json_type in types]
        if "array" in types:
            found.append(f"list[{self._annotation(schema['items'], path + '[]')}]")
        if "object" in types:
            found.append(self._object(schema, path))
        return " | ".join([*found, "None"] if "null" in types else found)

    def _object(self, schema: Schema, path: str) -> str:
        """Returns the name of the class of an object. Equal schemas at the same site share one class."""
        key = json.dumps([path, schema])
        if key not in self._of_schema:
            self._of_schema[key] = _camel(schema["title"])
            self.add(self._of_schema[key], schema, path)
        return self._of_schema[key]
