"""An offer service with attrs and cattrs. By default, cattrs converts values of a wrong type. The service rejects them
instead.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NoReturn

from attrs import define, fields, has
from attrs import field as attribute
from attrs.validators import ge, min_len, optional
from cattrs import Converter
from cattrs.errors import CattrsError
from cattrs.gen import make_dict_structure_fn, override

from benchmarks.stacks.runner import LAX, main

TOLERANCE = timedelta(minutes=5)


@define
class AdditionalProp:
    name: str
    type: str = "string"
    hint: str | None = None
    label: str | None = None
    value: str | None = None


@define
class ChannelOffer:
    offer_id: str | None = None
    delivery_channel: str | None = None


@define
class OmniChannel:
    offers: list[ChannelOffer] | None = None


@define
class PageCountPrice:
    minimum_pages: int | None = None
    maximum_pages: int | None = None
    price: float | None = None


@define
class PriceTier:
    price: float
    minimum_quantity: int | None = None
    maximum_quantity: int | None = None
    page_counts: list[PageCountPrice] | None = None


@define
class PriceClass:
    name: str = ""
    price: float | None = None
    price_tiers: list[PriceTier] | None = None


@define
class ClusterProduct:
    product_id: str = attribute(validator=min_len(1))
    product_quantity_in_offer: int
    associated_file_name: str | None = None
    page_count: int | None = attribute(default=None, validator=optional(ge(1)))
    surcharge: float | None = None


@define
class ProductCluster:
    id: str | None = None
    products: list[ClusterProduct] | None = attribute(default=None, validator=optional(min_len(1)))


@define
class Offer:
    number: str = attribute(validator=min_len(1))
    offer_type: Literal["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]
    oms_offer_id: str | None = None
    xm_vendor_template_id: str | None = None
    xm_vendor_u_store_id: str | None = None
    description: str | None = None
    comments: str | None = None
    access_groups: list[str] | None = None
    category_ids: list[str] | None = None
    available_start_date: datetime | None = None
    available_end_date: datetime | None = None
    last_updated_date_time_utc: datetime | None = None
    default_price: float | None = None
    surcharge: float | None = None
    delivery_schedule_cron: str | None = None
    do_suppress_shipping_and_handling: bool | None = None
    only_ship_methods_available: list[str] | None = None
    fixed_order_quantities: list[int] | None = None
    order_minimum: int | None = attribute(default=None, validator=optional(ge(1)))
    order_maximum: int | None = attribute(default=None, validator=optional(ge(1)))
    full_image_url: str | None = None
    thumbnail_url: str | None = None
    pdf_url: str | None = None
    is_active: bool | None = None
    is_available_via_coop_funds: bool | None = None
    is_inventoried: bool | None = None
    is_taxable: bool | None = None
    requires_approval: bool | None = None
    secure_email_subject: str | None = None
    secure_email_body: str | None = None
    unit_of_measure: str | None = None
    weight_in_pounds: float | None = None
    additional_props_required_on_order: list[AdditionalProp] | None = None
    omni_channel: OmniChannel | None = None
    price_classes: list[PriceClass] | None = None
    product_clusters: list[ProductCluster] | None = None

    def __attrs_post_init__(self) -> None:
        """Checks validation rule 3 of the contract."""
        if self.offer_type == "Product List" and not (
            self.product_clusters and all(cluster.products for cluster in self.product_clusters)
        ):
            raise ValueError("a product list needs products")


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


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def structure_list(kind: Any) -> Callable[[Any, object], list[Any]]:
    (item_kind,) = kind.__args__
    hook = converter.get_structure_hook(item_kind)
    return lambda value, _: [hook(item, item_kind) for item in checked(value, isinstance(value, list))]


def structure_object(kind: Any) -> Callable[[Any, object], Any]:
    names = {field.name: override(rename=camel(field.name)) for field in fields(kind)}
    structure = make_dict_structure_fn(kind, converter, **names)  # type: ignore[arg-type]
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


def first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """If two properties have the same name, the first one counts."""
    return dict(reversed(pairs))


def reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def accepts(body: bytes, now: datetime) -> bool:
    try:
        document = json.loads(body, object_pairs_hook=first_of_each, parse_constant=reject_constant)
        updated = converter.structure(document, Offer).last_updated_date_time_utc
    except (ValueError, TypeError, KeyError, RecursionError, CattrsError):
        return False
    return updated is None or updated <= now + TOLERANCE


if __name__ == "__main__":
    main(accepts)
