"""Draws items that the schema of an array describes by their position (`prefixItems`) or their number (`contains`)."""

from collections.abc import Callable
from typing import Any

from brokerfuzz.generation.judging import judge_of
from brokerfuzz.generation.sources import Draw, Source
from brokerfuzz.schemas.flattening import CUT_OFF, OTHER_ITEMS, Schema, conjoin


def most_items(schema: Schema) -> int | None:
    """Returns the maximum number of items (None: no limit)."""
    most: int | None = schema.get("maxItems")
    if (CUT_OFF in schema and "items" not in schema) or schema.get("items", {}).get("type") == []:
        return 0
    if False in (schema.get(OTHER_ITEMS), schema.get("unevaluatedItems")):
        first = len(schema.get("prefixItems", ()))
        return first if most is None else min(most, first)
    return most


def other_items(schema: Schema) -> Schema:
    """Returns the schema of the items after `prefixItems`."""
    found: Any = next(
        (schema[keyword] for keyword in ("items", OTHER_ITEMS, "unevaluatedItems") if keyword in schema), {}
    )
    return found if isinstance(found, dict) else {"type": []} if found is False else {}


def contained_items(
    schema: Schema, draw_of: Callable[[Schema], Draw | None]
) -> Callable[[list[Any], int, Source], None] | None:
    """Returns a function that changes an array so that it has as many items with the schema `contains` as necessary.
    The function needs the array and its maximum number of items.
    """
    if "contains" not in schema:
        return None
    is_one, least, most = judge_of(schema["contains"]), schema.get("minContains", 1), schema.get("maxContains")
    draw = draw_of(conjoin(other_items(schema), schema["contains"])) or (lambda source: None)
    first = len(schema.get("prefixItems", ()))

    def settle(items: list[Any], longest: int, source: Source) -> None:
        fitting = [index for index, item in enumerate(items) if is_one(item)]
        surplus = len(fitting) - most if most is not None else 0
        for index in reversed(fitting[-surplus:] if surplus > 0 else []):
            del items[index]
        for _ in range(least - len(fitting) if longest else 0):
            if len(items) >= longest:
                unfit = [index for index in range(first, len(items)) if not is_one(items[index])]
                del items[unfit[-1] if unfit else -1]
            items.append(draw(source))

    return settle
