"""Repairs messages if the contract has reference data. After the repair, all values of an object come from one row of
the reference data, and the items of an array have different keys.

The generator draws each property independently of the others. Without a repair, the product ID and the page count of an
object can come from different rows.
"""

from collections.abc import Callable, Collection
from typing import Any

from brokerfuzz.schemas.flattening import KNOWN, ROWS, Schema
from brokerfuzz.schemas.known_values import columns
from brokerfuzz.schemas.sites import join

Repair = Callable[[Any], None]


def in_one_row(site: str, schema: Schema, pinned: Collection[str] = ()) -> list[Repair]:
    """Returns a list with a repair: after the repair, all values of an object come from one row of the reference data.
    The list is empty if there are no rows, or if a property in the rows is pinned. The repair checks the values in the
    order of the columns. It keeps a value if a row contains this value together with the values of all earlier columns.
    Otherwise, it replaces or removes the value. An absent property stays absent, and null stays null.
    """
    rows = schema.get(ROWS, ())
    names = columns(rows)
    if not rows or any(join(site, name) in pinned for name in names):
        return []
    demanded = {name for name in names if name in schema.get("required", ())}
    complete = [row for row in rows if demanded <= row.keys()] or rows

    def repair(value: dict[str, Any]) -> None:
        fitting = complete
        for name in names:
            if value.get(name) is None:
                continue
            if not any(row.get(name) == value[name] for row in fitting):
                if name not in fitting[0]:
                    del value[name]
                    continue
                value[name] = fitting[0][name]
            fitting = [row for row in fitting if row.get(name) == value[name]]

    return [repair]


def use_each_key_once(site: str, key: str, items: Schema, least: int) -> Repair:
    """Returns a repair that gives the property `key` of each array item a different value from the reference data. If
    no value is left for an item, the repair removes the item, unless fewer than `least` items would remain. `site` is
    the site of the items.
    """
    known, settle = items["properties"][key][KNOWN], in_one_row(site, items)

    def with_key(item: dict[str, Any], name: Any) -> dict[str, Any]:
        changed = {**item, key: name}
        for repair in settle:
            repair(changed)
        return changed

    def repair(values: list[Any]) -> None:
        kept: list[Any] = []
        for number, item in enumerate(values):
            used = [other.get(key) for other in kept if other.get(key) is not None]
            candidates = [item]
            if item.get(key) in used:
                candidates = [
                    changed for name in known if name not in used and (changed := with_key(item, name))[key] == name
                ]
            elif item in kept:
                candidates = []
            if candidates or len(kept) + len(values) - number <= least:
                kept.append(candidates[0] if candidates else item)
        values[:] = kept

    return repair
