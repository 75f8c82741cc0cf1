"""Repairs messages if the contract has reference data. After the repair, all values of an object come from one row of
the reference data, and the items of an array have different keys.

The generator draws each property independently of the others. Without a repair, the product ID and the page count of an
object can come from different rows.
"""

from collections.abc import Callable, Collection, Sequence
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


def known_key(site: str, key: str, items: Schema) -> Callable[[Any, Sequence[Any]], Any]:
    """Returns a function that gives the property `key` of an item another value from the reference data than the other
    items have. If no value is left, it returns the item unchanged. `site` is the site of the items.
    """
    known, settle = items["properties"][key][KNOWN], in_one_row(site, items)

    def renew(item: Any, others: Sequence[Any]) -> Any:
        used = [other.get(key) for other in others if isinstance(other, dict)]
        for name in known if isinstance(item, dict) else ():
            changed = {**item, key: name}
            for repair in settle:
                repair(changed)
            if name not in used and changed.get(key) == name:
                return changed
        return item

    return renew
