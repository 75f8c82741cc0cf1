"""An offer service with attrs and cattrs. By default, cattrs converts values of a wrong type. The service rejects them
instead.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NoReturn

from attrs import field as attribute
from attrs import has, make_class
from attrs.validators import ge, min_len, optional
from cattrs import Converter
from cattrs.errors import CattrsError
from cattrs.gen import make_dict_structure_fn

from benchmarks.stacks.runner import LAX, main
from benchmarks.stacks.shapes import OFFER, OFFER_TYPES, Prop, Shape, lacks_products

TOLERANCE = timedelta(minutes=5)
KINDS: dict[str, Any] = {
    "text": str,
    "id": str,
    "offer type": Literal[OFFER_TYPES],
    "time": datetime,
    "cron": str,
    "int32": int,
    "positive": int,
    "number": float,
    "flag": bool,
}
VALIDATORS = {"id": min_len(1), "positive": ge(1)}


def class_of(name: str, shape: Shape) -> Any:
    return make_class(name, {name: attribute_of(name, prop) for name, prop in shape.items()}, kw_only=True)


def attribute_of(name: str, prop: Prop) -> Any:
    kind: Any = class_of(name, prop.kind) if isinstance(prop.kind, dict) else KINDS[prop.kind]
    validator: Any = min_len(prop.least) if prop.many else VALIDATORS.get(str(prop.kind), [])
    kind = list.__class_getitem__(kind) if prop.many else kind
    if prop.presence == "required":
        return attribute(type=kind, validator=validator)
    validator = optional(validator)
    return attribute(type=kind | None if prop.presence == "nullable" else kind, default=None, validator=validator)


def checked(value: Any, valid: bool) -> Any:
    if not valid:
        raise TypeError(f"{value!r} has the wrong type or size")
    return value


def instant(value: Any, _: object) -> datetime:
    """Parses a timestamp in any format that Python's `fromisoformat` supports. A timestamp without a time zone is in
    UTC.
    """
    parsed = datetime.fromisoformat(value)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def structure_list(kind: Any) -> Callable[[Any, object], list[Any]]:
    (item_kind,) = kind.__args__
    hook = converter.get_structure_hook(item_kind)
    return lambda value, _: [hook(item, item_kind) for item in checked(value, isinstance(value, list))]


def structure_object(kind: Any) -> Callable[[Any, object], Any]:
    structure = make_dict_structure_fn(kind, converter)
    return lambda value, _: structure(checked(value, LAX or isinstance(value, dict)), kind)


def add_strict_hooks() -> None:
    converter.register_structure_hook(str, lambda value, _: checked(value, isinstance(value, str)))
    converter.register_structure_hook(bool, lambda value, _: checked(value, isinstance(value, bool)))
    converter.register_structure_hook(
        int, lambda value, _: checked(value, type(value) is int and -(2**31) <= value < 2**31)
    )
    converter.register_structure_hook(float, lambda value, _: checked(value, type(value) in (int, float)))
    converter.register_structure_hook_factory(lambda kind: getattr(kind, "__origin__", None) is list, structure_list)


converter = Converter(forbid_extra_keys=not LAX, detailed_validation=False)
if not LAX:
    add_strict_hooks()
converter.register_structure_hook(datetime, instant)
converter.register_structure_hook_factory(has, structure_object)
Offer = class_of("Offer", OFFER)


def first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """If two properties have the same name, the first one counts."""
    return dict(reversed(pairs))


def reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def accepts(body: bytes, now: datetime) -> bool:
    try:
        document = json.loads(body, object_pairs_hook=first_of_each, parse_constant=reject_constant)
        offer = converter.structure(document, Offer)
    except (ValueError, TypeError, KeyError, RecursionError, CattrsError):
        return False
    updated = offer.lastUpdatedDateTimeUtc
    return not lacks_products(offer) and (updated is None or updated <= now + TOLERANCE)


if __name__ == "__main__":
    main(accepts)
