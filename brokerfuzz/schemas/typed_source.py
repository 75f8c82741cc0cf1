"""Generates `typed.py`: a TypedDict for each object in the messages of a contract.

The `title` of an object's schema is the name of its class: "Price tier" becomes `PriceTier`. The class of an object
without a title is named after the site of the object. If the `then` schema of a condition has a title, the messages
that meet the condition have their own class, such as `ProductListOffer`. Run `python -m
brokerfuzz.schemas.typed_source` after each change to the schemas.
"""

import json
import re
from collections.abc import Mapping
from itertools import chain, count
from keyword import iskeyword
from pathlib import Path
from typing import Any

from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.flattening import JSON_TYPES, Schema, conditions_of, conjoin, types_of
from brokerfuzz.schemas.loading import load_contract
from brokerfuzz.schemas.sites import join
from brokerfuzz.wording import with_article

_HEAD = '''"""The message types as Python TypedDicts. `schemas/typed_source` generates this file.

To change it, change the schemas.
"""

from typing import {imports}

__all__ = [
{exported}
]
'''
_IMPORTS = ("Any", "Literal", "NotRequired", "TypedDict")
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_IN_ORDER = ("boolean", "integer", "number", "string", "array", "object", "null")


def typed_source(contract: Contract) -> str:
    """Returns the source of a module with a TypedDict for each object. Nested objects come first."""
    classes = _Classes()
    for message_type, schema in contract.flat.items():
        classes.message = with_article(message_type.replace("-", " "))
        classes.add(_camel(message_type), schema, "")
        for condition in conditions_of(schema):
            if name := _camel(condition.get("then", {}).get("title", "")):
                classes.add(name, _meeting(condition, schema), "")
    body = "\n\n".join(["", *classes.sources.values()])
    imports = [name for name in _IMPORTS if re.search(rf"\b{name}\b", body)]
    exported = "\n".join(f'    "{name}",' for name in sorted(classes.sources))
    return _HEAD.format(imports=", ".join(imports), exported=exported) + body


def _meeting(condition: Schema, schema: Schema) -> Schema:
    """Combines a schema with a condition and the `then` schema of this condition. The properties have the same order as
    in `schema`.
    """
    met = conjoin(condition["then"], conjoin(condition["if"], schema))
    return {**met, "properties": {name: met["properties"][name] for name in schema["properties"]}}


def _camel(words: str) -> str:
    """Converts `offer-creation-request`, `Offer creation request` or `omniChannel` to the name of a class."""
    return "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", words))


class _Classes:
    """Collects the Python source of the TypedDict classes in `typed.py`. Each class comes after the classes that it
    uses.
    """

    def __init__(self) -> None:
        self.message = ""
        self.sources: dict[str, str] = {}
        self._of_schema: dict[str, str] = {}

    def add(self, name: str, schema: Schema, path: str) -> str:
        """Adds the classes of an object and of the objects inside it. Returns the name of the object's class."""
        self.sources[name] = ""  # reserves the name, because the class comes after the classes that it uses
        props = {prop: self._property(name, schema, prop, path) for prop in schema.get("properties", {})}
        summary = schema.get("description") or f"An item of `{path.removesuffix('[]')}` in {self.message}."
        regular = all(_is_name(prop) and not prop.startswith("__") for prop in props)
        del self.sources[name]
        self.sources[name] = (_class if regular else _call)(name, _text(summary), schema, props)
        return name

    def _property(self, owner: str, schema: Schema, prop: str, path: str) -> str:
        annotation = self._annotation(owner, schema["properties"][prop], join(path, prop))
        return annotation if prop in schema.get("required", ()) else f"NotRequired[{annotation}]"

    def _annotation(self, owner: str, schema: Schema, path: str) -> str:
        if "enum" in schema and all(isinstance(value, str | int | None) for value in schema["enum"]):
            return f"Literal[{', '.join(_literal(value) for value in schema['enum'])}]"
        types = types_of(schema)
        if types.issuperset(JSON_TYPES) or not types:
            return "Any"
        return " | ".join(self._of_type(name, owner, schema, path) for name in _IN_ORDER if name in types)

    def _of_type(self, json_type: str, owner: str, schema: Schema, path: str) -> str:
        if json_type == "array":
            return f"list[{self._annotation(owner, schema.get('items', {}), path + '[]')}]"
        if json_type == "object":
            return self._object(owner, schema, path) if "properties" in schema else "dict[str, Any]"
        return _PLAIN[json_type]

    def _object(self, owner: str, schema: Schema, path: str) -> str:
        """Returns the name of the class of an object. Equal schemas at the same site share one class."""
        key = json.dumps([path, schema])
        if key not in self._of_schema:
            self._of_schema[key] = self.add(self._name(owner, schema, path), schema, path)
        return self._of_schema[key]

    def _name(self, owner: str, schema: Schema, path: str) -> str:
        by_place = owner + _camel(path.rpartition(".")[2])
        names = chain([_camel(schema.get("title", "")), by_place], (f"{by_place}{number}" for number in count(2)))
        return next(name for name in names if _is_name(name) and name not in self.sources and name not in _IMPORTS)


def _is_name(text: str) -> bool:
    return text.isidentifier() and not iskeyword(text)


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _text(description: str) -> str:
    return description.replace("\\", "\\\\").replace('"', "'")


def _class(name: str, summary: str, schema: Schema, props: Mapping[str, str]) -> str:
    lines = [f"class {name}(TypedDict):", f'    """{summary}"""', ""]
    for prop, annotation in props.items():
        lines.append(f"    {prop}: {annotation}")
        if description := schema["properties"][prop].get("description"):
            lines.append(f'    """{_text(description)}"""')
    return "\n".join(lines) + "\n"


def _call(name: str, summary: str, schema: Schema, props: Mapping[str, str]) -> str:
    """Defines a TypedDict with a function call, because some property names are not valid Python identifiers."""
    lines = [f'{name} = TypedDict("{name}", {{']
    lines += [f"    {_literal(prop)}: {annotation}," for prop, annotation in props.items()]
    return "\n".join([*lines, "})", f'"""{summary}"""']) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent.parent / "typed.py").write_text(typed_source(load_contract()), encoding="utf-8")
