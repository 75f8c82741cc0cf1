"""What code takes besides what a site allows: nulls, values one past a bound, and values of another type that it makes do with."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from brokerfuzz.schemas.flattening import Schema, types_of


class Leniency(NamedTuple):
    """A name, the values that are taken besides, and one of them."""

    name: str
    extra: Schema
    example: Any


def _text(name: str, pattern: str, example: str) -> Leniency:
    return Leniency(name, {"type": "string", "pattern": pattern}, example)


def _only(name: str, value: Any) -> Leniency:
    return Leniency(name, {"const": value}, value)


NULL = _only("null", None)
BIGGEST_INT64 = 9223372036854775807


def bounds(schema: Schema) -> Iterable[Leniency]:
    """What lies past the bounds of a number."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        yield _only("one below the minimum", low - 1)
        yield Leniency("anything below the minimum but not 0", {"type": "integer", "maximum": low - 2}, min(low - 2, -5))
    if high is not None:
        yield _only("one above the maximum", high + 1)
        yield Leniency("integers without a sign", {"type": "integer", "minimum": high + 1, "maximum": 2 * high + 1}, 2 * high + 1)
        yield Leniency("integers that wrap into range", {"type": "integer", "minimum": 2 * high + 3, "maximum": 3 * high + 2}, 2 * high + 3)
        yield Leniency("integers of 64 bits", {"type": "integer", "minimum": high + 1, "maximum": BIGGEST_INT64}, 2**53)
        yield Leniency("integers beyond 64 bits", {"type": "integer", "minimum": BIGGEST_INT64}, 2**64)


def fractions(schema: Schema) -> Iterable[Leniency]:
    """Fractions for integers."""
    low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1)
    yield Leniency("fractions, cut", {"type": "number", "minimum": low, "maximum": high}, max(low, 1) + 0.5)
    yield Leniency("fractions, rounded up", {"type": "number", "minimum": low - 0.5, "maximum": high, "not": {"multipleOf": 1}}, max(low, 1) - 0.5)
    yield Leniency("almost whole numbers", {"type": "number", "minimum": 1, "maximum": 1.001}, 1.0000000001)
    yield Leniency("any number", {"type": "number"}, 2.25)


def texts_for_numbers(_: Schema) -> Iterable[Leniency]:
    """Numbers in texts."""
    yield _text("digits in a text", "^[0-9]+$", "2")
    yield _text("digits in a text, with a minus", "^-?[0-9]+$", "2")
    yield _text("digits in a text, with blanks around them", r"^\s*[0-9]+\s*$", " 2 ")
    yield _text("only texts of one digit", "^[1-9]$", "2")
    yield _text("digits in a text, after zeros", "^0+[0-9]+$", "002")
    yield _text("digits in a text, after a plus", r"^\+[0-9]+$", "+2")
    yield _text("an exponent in a text", "^[0-9.]+[eE][+-]?[0-9]+$", "2e0")
    yield _text("a point in a text", r"^[0-9]+\.[0-9]+$", "2.0")
    yield _text("hexadecimal digits in a text", "^0x[0-9a-fA-F]+$", "0x2")
    yield _text("digits in groups", "^[0-9]{1,3}(,[0-9]{3})+$", "1,000")
    yield _text("texts that begin with digits", "^[0-9]+[^0-9]", "2 pieces")
    yield _only("the empty text for a number", "")
    yield _text("blanks for a number", r"^\s+$", " ")
    yield Leniency("booleans for numbers", {"type": "boolean"}, True)
    yield _only("false for a number", False)
    yield Leniency("one number in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "number"}}, [2])
    yield _only("an empty array for a number", [])
    yield _only("an empty object for a number", {})


def texts_for_reals(_: Schema) -> Iterable[Leniency]:
    """Numbers in texts that are no integers."""
    yield _text("a fraction in a text", r"^-?[0-9]+\.[0-9]+$", "2.5")
    yield _text("a decimal comma", "^[0-9]+,[0-9]+$", "2,5")
    yield _text("a currency in a text", r"^[$€£] ?[0-9]", "$2.50")
    yield _text("NaN and Infinity in texts", "^(NaN|-?Infinity)$", "NaN")


def booleans(_: Schema) -> Iterable[Leniency]:
    """What stands for true and false."""
    yield _text("true and false in texts", "^(true|false)$", "true")
    yield _text("true and false in texts in any case", "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$", "true")
    yield _text("only False and True in texts", "^(True|False)$", "True")
    yield _text("yes and no", "^(yes|no)$", "yes")
    yield _text("on and off", "^(on|off)$", "on")
    yield _text("Y and N", "^[YNyn]$", "Y")
    yield _text("0 and 1 in texts", "^[01]$", "1")
    yield _text("true in a text with blanks", r"^\s+true\s*$|^true\s+$", " true ")
    yield Leniency("0 and 1", {"enum": [0, 1]}, 1)
    yield _only("only 1 for true", 1)
    yield _only("only 0 for false", 0)
    yield Leniency("any number for a boolean", {"type": "number"}, 2)
    yield Leniency("any text for true", {"type": "string", "minLength": 1}, "true")
    yield _only("the empty text for false", "")
    yield _only("an empty array for false", [])
    yield _only("an empty object for a boolean", {})
    yield Leniency("one boolean in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "boolean"}}, [True])


def texts(_: Schema) -> Iterable[Leniency]:
    """What is written out as a text."""
    yield Leniency("integers for texts", {"type": "integer"}, 7)
    yield Leniency("numbers for texts", {"type": "number"}, 7)
    yield Leniency("only fractions for texts", {"type": "number", "not": {"multipleOf": 1}}, 2.5)
    yield _only("0 for a text", 0)
    yield Leniency("booleans for texts", {"type": "boolean"}, True)
    yield _only("false for a text", False)
    yield Leniency("one text in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "string"}}, ["a"])
    yield Leniency("texts in an array", {"type": "array", "items": {"type": "string"}}, ["a"])
    yield _only("an empty array for a text", [])
    yield _only("an empty object for a text", {})
    yield Leniency("any object for a text", {"type": "object"}, {})


def enums(schema: Schema) -> Iterable[Leniency]:
    """What stands for the values of an enum of texts."""
    props = [prop for prop in schema["enum"] if isinstance(prop, str)]
    phrase = next((prop for prop in props if " " in prop), props[0])
    any_of = "|".join(map(re.escape, props))
    yield _text("properties in any case", f"(?i)^({any_of})$", props[0].lower())
    yield _properties("properties in small letters", [m.lower() for m in props])
    yield _properties("properties in capitals", [m.upper() for m in props])
    yield _text("properties with blanks before them", rf"^\s+({any_of})$", f" {props[0]}")
    yield _text("properties with blanks behind them", rf"^({any_of})\s+$", f"{props[0]} ")
    for name, instead in (("no blanks", ""), ("underscores", "_"), ("hyphens", "-"), ("two blanks", "  ")):
        yield _properties(f"properties with {name} for blanks", [m.replace(" ", instead) for m in props if " " in m] or [phrase])
    yield _properties("beginnings of properties", [m[:length] for m in props for length in range(1, len(m))])
    yield _properties("first words of properties", [m.split()[0] for m in props if " " in m] or [phrase[:3]])
    yield _properties("parts of properties", sorted({m[start:end] for m in props for start in range(len(m)) for end in range(start + 1, len(m) + 1)}))
    yield _text("texts that begin with a property", f"^({any_of})", f"{props[0]}s")
    yield _text("texts that end with a property", f"({any_of})$", f"X{props[0]}")
    yield _text("properties in a list", f"^({any_of})(, ?({any_of}))+$", f"{props[0]},{props[-1]}")
    yield Leniency("ordinal numbers of properties", {"enum": list(range(len(props)))}, 0)
    yield Leniency("any integer for a property", {"type": "integer"}, 0)
    yield _text("ordinal numbers in texts", "^[0-9]$", "0")
    yield _only("the empty text for a property", "")
    yield _text("blanks for a property", r"^\s+$", " ")
    yield Leniency("one property in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": props}}, [props[0]])


def _properties(name: str, values: list[str]) -> Leniency:
    return Leniency(name, {"enum": values}, values[0])


def arrays(schema: Schema) -> Iterable[Leniency]:
    """What stands for an array."""
    of = schema.get("items", {})
    plain = {"text": ("string", "a"), "number": ("number", 2), "object": ("object", {})}
    kind = next((k for k in plain if plain[k][0] in types_of(of) or (k == "number" and "integer" in types_of(of))), "object")
    json_type, example = plain[kind]
    yield Leniency(f"one {kind} for an array of them", {"type": json_type}, example)
    yield _only("an empty object for an array", {})
    yield Leniency("any object for an array", {"type": "object"}, {})
    yield Leniency(
        "an object with numbered properties for an array",
        {"type": "object", "patternProperties": {"^[0-9]+$": {}}, "additionalProperties": False},
        {"0": example},
    )
    yield _only("the empty text for an array", "")
    yield _text("texts with commas for an array", ".,", "a,b")
    yield _text("an array in a text", r"^\s*\[", "[]")
    yield _only("false for an array", False)
    yield _only("0 for an array", 0)
    yield Leniency("any scalar for an array", {"type": ["string", "number", "boolean"]}, 1)
    yield Leniency("an array within an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "array"}}, [[]])
    yield Leniency("null items", {"type": "array", "items": {"anyOf": [of, {"type": "null"}]}}, [None])


def objects(schema: Schema) -> Iterable[Leniency]:
    """What stands for an object."""
    yield _only("an empty array for an object", [])
    yield Leniency("any array for an object", {"type": "array"}, [])
    yield Leniency("one object in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "object"}}, [{}])
    yield _only("the empty text for an object", "")
    yield _text("an object in a text", r"^\s*\{", "{}")
    yield Leniency("any text for an object", {"type": "string", "minLength": 1}, "a")
    yield _only("false for an object", False)
    yield _only("true for an object", True)
    yield _only("0 for an object", 0)
    yield Leniency("numbers for objects", {"type": "number"}, 1)


COERCIONS: dict[str, tuple[Callable[[Schema], Iterable[Leniency]], ...]] = {
    "integer": (fractions, texts_for_numbers),
    "number": (texts_for_numbers, texts_for_reals),
    "boolean": (booleans,),
    "string": (texts,),
    "array": (arrays,),
    "object": (objects,),
}
"""JSON type of a site -> what is taken for its values."""
