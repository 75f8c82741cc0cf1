"""Invalid values that lenient services accept: null, values beyond a bound, and values of other types."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from brokerfuzz.schemas.flattening import Schema, types_of


class Leniency(NamedTuple):
    """A bug of a service: it also accepts all values that match the schema `extra`. `example` is one of these
    values.
    """

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
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        yield _only("one below the minimum", low - 1)
        yield Leniency(
            "anything below the minimum but not 0", {"type": "integer", "maximum": low - 2}, min(low - 2, -5)
        )
    if high is not None:
        yield _only("one above the maximum", high + 1)
        yield Leniency(
            "integers without a sign", {"type": "integer", "minimum": high + 1, "maximum": 2 * high + 1}, 2 * high + 1
        )
        yield Leniency(
            "integers that wrap into range",
            {"type": "integer", "minimum": 2 * high + 3, "maximum": 3 * high + 2},
            2 * high + 3,
        )
        yield Leniency("integers of 64 bits", {"type": "integer", "minimum": high + 1, "maximum": BIGGEST_INT64}, 2**53)
        yield Leniency("integers beyond 64 bits", {"type": "integer", "minimum": BIGGEST_INT64}, 2**64)


def fractions(schema: Schema) -> Iterable[Leniency]:
    low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31 - 1)
    yield Leniency("fractions, cut", {"type": "number", "minimum": low, "maximum": high}, max(low, 1) + 0.5)
    yield Leniency(
        "fractions, rounded up",
        {"type": "number", "minimum": low - 0.5, "maximum": high, "not": {"multipleOf": 1}},
        max(low, 1) - 0.5,
    )
    yield Leniency("almost whole numbers", {"type": "number", "minimum": 1, "maximum": 1.001}, 1.0000000001)
    yield Leniency("any number", {"type": "number"}, 2.25)


def texts_for_numbers(_: Schema) -> Iterable[Leniency]:
    yield _text("digits in a string", "^[0-9]+$", "2")
    yield _text("digits in a string, with a minus", "^-?[0-9]+$", "2")
    yield _text("digits in a string, with spaces around them", r"^\s*[0-9]+\s*$", " 2 ")
    yield _text("only strings of one digit", "^[1-9]$", "2")
    yield _text("digits in a string, after zeros", "^0+[0-9]+$", "002")
    yield _text("digits in a string, after a plus", r"^\+[0-9]+$", "+2")
    yield _text("an exponent in a string", "^[0-9.]+[eE][+-]?[0-9]+$", "2e0")
    yield _text("a point in a string", r"^[0-9]+\.[0-9]+$", "2.0")
    yield _text("hexadecimal digits in a string", "^0x[0-9a-fA-F]+$", "0x2")
    yield _text("digits in groups", "^[0-9]{1,3}(,[0-9]{3})+$", "1,000")
    yield _text("strings that begin with digits", "^[0-9]+[^0-9]", "2 pieces")
    yield _only("the empty string for a number", "")
    yield _text("spaces for a number", r"^\s+$", " ")
    yield Leniency("booleans for numbers", {"type": "boolean"}, True)
    yield _only("false for a number", False)
    yield Leniency(
        "one number in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "number"}}, [2]
    )
    yield _only("an empty array for a number", [])
    yield _only("an empty object for a number", {})


def texts_for_reals(_: Schema) -> Iterable[Leniency]:
    yield _text("a fraction in a string", r"^-?[0-9]+\.[0-9]+$", "2.5")
    yield _text("a decimal comma", "^[0-9]+,[0-9]+$", "2,5")
    yield _text("a currency in a string", r"^[$€£] ?[0-9]", "$2.50")
    yield _text("NaN and Infinity in strings", "^(NaN|-?Infinity)$", "NaN")


def booleans(_: Schema) -> Iterable[Leniency]:
    yield _text("true and false in strings", "^(true|false)$", "true")
    yield _text("true and false in strings in any case", "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$", "true")
    yield _text("only False and True in strings", "^(True|False)$", "True")
    yield _text("yes and no", "^(yes|no)$", "yes")
    yield _text("on and off", "^(on|off)$", "on")
    yield _text("Y and N", "^[YNyn]$", "Y")
    yield _text("0 and 1 in strings", "^[01]$", "1")
    yield _text("true in a string with spaces", r"^\s+true\s*$|^true\s+$", " true ")
    yield Leniency("0 and 1", {"enum": [0, 1]}, 1)
    yield _only("only 1 for true", 1)
    yield _only("only 0 for false", 0)
    yield Leniency("any number for a boolean", {"type": "number"}, 2)
    yield Leniency("any string for true", {"type": "string", "minLength": 1}, "true")
    yield _only("the empty string for false", "")
    yield _only("an empty array for false", [])
    yield _only("an empty object for a boolean", {})
    yield Leniency(
        "one boolean in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "boolean"}}, [True]
    )


def strings(_: Schema) -> Iterable[Leniency]:
    yield Leniency("integers for strings", {"type": "integer"}, 7)
    yield Leniency("numbers for strings", {"type": "number"}, 7)
    yield Leniency("only fractions for strings", {"type": "number", "not": {"multipleOf": 1}}, 2.5)
    yield _only("0 for a string", 0)
    yield Leniency("booleans for strings", {"type": "boolean"}, True)
    yield _only("false for a string", False)
    yield Leniency(
        "one string in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "string"}}, ["a"]
    )
    yield Leniency("strings in an array", {"type": "array", "items": {"type": "string"}}, ["a"])
    yield _only("an empty array for a string", [])
    yield _only("an empty object for a string", {})
    yield Leniency("any object for a string", {"type": "object"}, {})


def enums(schema: Schema) -> Iterable[Leniency]:
    props = [prop for prop in schema["enum"] if isinstance(prop, str)]
    phrase = next((prop for prop in props if " " in prop), props[0])
    any_of = "|".join(map(re.escape, props))
    yield _text("listed values in any case", f"(?i)^({any_of})$", props[0].lower())
    yield _listed("listed values in lower case", [m.lower() for m in props])
    yield _listed("listed values in upper case", [m.upper() for m in props])
    yield _text("listed values with spaces before them", rf"^\s+({any_of})$", f" {props[0]}")
    yield _text("listed values with spaces after them", rf"^({any_of})\s+$", f"{props[0]} ")
    for name, instead in (("no spaces", ""), ("underscores", "_"), ("hyphens", "-"), ("two spaces", "  ")):
        yield _listed(
            f"listed values with {name} for spaces", [m.replace(" ", instead) for m in props if " " in m] or [phrase]
        )
    yield _listed("beginnings of listed values", [m[:length] for m in props for length in range(1, len(m))])
    yield _listed("first words of listed values", [m.split()[0] for m in props if " " in m] or [phrase[:3]])
    yield _listed(
        "parts of listed values",
        sorted({m[start:end] for m in props for start in range(len(m)) for end in range(start + 1, len(m) + 1)}),
    )
    yield _text("strings that begin with a listed value", f"^({any_of})", f"{props[0]}s")
    yield _text("strings that end with a listed value", f"({any_of})$", f"X{props[0]}")
    yield _text("listed values in a list", f"^({any_of})(, ?({any_of}))+$", f"{props[0]},{props[-1]}")
    yield Leniency("ordinal numbers of listed values", {"enum": list(range(len(props)))}, 0)
    yield Leniency("any integer for a listed value", {"type": "integer"}, 0)
    yield _text("ordinal numbers in strings", "^[0-9]$", "0")
    yield _only("the empty string for a listed value", "")
    yield _text("spaces for a listed value", r"^\s+$", " ")
    yield Leniency(
        "one listed value in an array",
        {"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": props}},
        [props[0]],
    )


def _listed(name: str, values: list[str]) -> Leniency:
    return Leniency(name, {"enum": values}, values[0])


def arrays(schema: Schema) -> Iterable[Leniency]:
    of = schema.get("items", {})
    plain = {"string": ("string", "a"), "number": ("number", 2), "object": ("object", {})}
    kind = next(
        (k for k in plain if plain[k][0] in types_of(of) or (k == "number" and "integer" in types_of(of))), "object"
    )
    json_type, example = plain[kind]
    yield Leniency(f"one {kind} for an array of them", {"type": json_type}, example)
    yield _only("an empty object for an array", {})
    yield Leniency("any object for an array", {"type": "object"}, {})
    yield Leniency(
        "an object with numbered properties for an array",
        {"type": "object", "patternProperties": {"^[0-9]+$": {}}, "additionalProperties": False},
        {"0": example},
    )
    yield _only("the empty string for an array", "")
    yield _text("strings with commas for an array", ".,", "a,b")
    yield _text("an array in a string", r"^\s*\[", "[]")
    yield _only("false for an array", False)
    yield _only("0 for an array", 0)
    yield Leniency("any scalar for an array", {"type": ["string", "number", "boolean"]}, 1)
    yield Leniency(
        "an array within an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "array"}}, [[]]
    )
    yield Leniency("null items", {"type": "array", "items": {"anyOf": [of, {"type": "null"}]}}, [None])


def objects(schema: Schema) -> Iterable[Leniency]:
    yield _only("an empty array for an object", [])
    yield Leniency("any array for an object", {"type": "array"}, [])
    yield Leniency(
        "one object in an array", {"type": "array", "minItems": 1, "maxItems": 1, "items": {"type": "object"}}, [{}]
    )
    yield _only("the empty string for an object", "")
    yield _text("an object in a string", r"^\s*\{", "{}")
    yield Leniency("any string for an object", {"type": "string", "minLength": 1}, "a")
    yield _only("false for an object", False)
    yield _only("true for an object", True)
    yield _only("0 for an object", 0)
    yield Leniency("numbers for objects", {"type": "number"}, 1)


COERCIONS: dict[str, tuple[Callable[[Schema], Iterable[Leniency]], ...]] = {
    "integer": (fractions, texts_for_numbers),
    "number": (texts_for_numbers, texts_for_reals),
    "boolean": (booleans,),
    "string": (strings,),
    "array": (arrays,),
    "object": (objects,),
}
