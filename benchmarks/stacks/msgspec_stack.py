"""An offer service with msgspec. The service checks the format of `lastUpdatedDateTimeUtc`, but not of the other
timestamps.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, defstruct
from msgspec.json import Decoder

from benchmarks.stacks.runner import LAX, main
from benchmarks.stacks.shapes import OFFER, OFFER_TYPES, Prop, Shape, lacks_products

TOLERANCE = timedelta(seconds=30)
KINDS: dict[str, Any] = {
    "text": str,
    "id": Annotated[str, Meta() if LAX else Meta(min_length=1)],
    "offer type": Literal[OFFER_TYPES],
    "time": str,
    "cron": str,
    "int32": Annotated[int, Meta() if LAX else Meta(ge=-(2**31), le=2**31 - 1)],
    "positive": Annotated[int, Meta() if LAX else Meta(ge=1, le=2**31 - 1)],
    "number": float,
    "flag": bool,
}


def struct(name: str, shape: Shape) -> Any:
    fields = [field(name, prop) for name, prop in shape.items()]
    return defstruct(name, fields, forbid_unknown_fields=not LAX, kw_only=True)


def field(name: str, prop: Prop) -> Any:
    kind: Any = struct(name, prop.kind) if isinstance(prop.kind, dict) else KINDS[prop.kind]
    kind = datetime if name == "lastUpdatedDateTimeUtc" else kind
    if prop.many:
        kind = Annotated[list.__class_getitem__(kind), Meta(min_length=prop.least)]
    if prop.presence == "required":
        return name, kind
    return (name, kind | None, None) if prop.presence == "nullable" else (name, kind | UnsetType, UNSET)


DECODER = Decoder(struct("Offer", OFFER), strict=not LAX)


def accepts(body: bytes, now: datetime) -> bool:
    try:
        offer = DECODER.decode(body)
    except ValueError:  # msgspec's errors are ValueErrors, and so is invalid UTF-8
        return False
    updated = offer.lastUpdatedDateTimeUtc
    if lacks_products(offer):
        return False
    return updated is None or (updated if updated.tzinfo else updated.replace(tzinfo=UTC)) <= now + TOLERANCE


if __name__ == "__main__":
    main(accepts)
