"""Realistic bugs. Each bug is a small change of the source of a correct program."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

from benchmarks.generators.messages import NOW
from brokerfuzz.schemas import Label, MessageType

ROOT = Path(__file__).parents[2]

Effect = Literal["accepts", "rejects", "crashes", "computes"]
"""What a bug does: it accepts invalid messages, rejects valid messages, crashes, or computes a wrong result."""


class Program(NamedTuple):
    """`function` is the name of a function in `module`. The function gets a message and the current time, and returns the answer."""

    message_type: MessageType
    module: str
    function: str


HAND_WRITTEN = Program("offer-creation-request", "benchmarks.planted.offer_service", "accepts")
PYDANTIC = Program("offer-creation-request", "benchmarks.stacks.pydantic_stack", "accepts")
PRODUCTS = Program("product-list-response", "benchmarks.planted.product_reader", "summary")
PRICES = Program("offer-pricing-response", "benchmarks.planted.price_reader", "invoice")
PROGRAMS = (HAND_WRITTEN, PYDANTIC, PRODUCTS, PRICES)


class Bug(NamedTuple):
    """The bug replaces `old` by `new` in the source of the program. `old` occurs there once."""

    name: str
    program: Program
    effect: Effect
    old: str
    new: str


BUGS = [
    # Services that accept invalid offers
    Bug("an order minimum of 0", PYDANTIC, "accepts", "order_minimum: PositiveInt32", "order_minimum: Annotated[int, Field(ge=0, le=2**31 - 1)]"),
    Bug(
        "a page count of 0, which is falsy",
        HAND_WRITTEN,
        "accepts",
        'nullable(product, ["pageCount"], at_least_one)',
        'product.get("pageCount") and at_least_one(product["pageCount"])',
    ),
    Bug(
        "a null tier price",
        HAND_WRITTEN,
        "accepts",
        'number(tier["price"])',
        'nullable(tier, ["price"], number)',
    ),
    Bug(
        "an empty cluster of a product list, if it is not the first one",
        HAND_WRITTEN,
        "accepts",
        'bool(clusters) and all(items(cluster, "products") for cluster in clusters)',
        'bool(clusters) and bool(items(clusters[0], "products"))',
    ),
    Bug("an update later on the same day", HAND_WRITTEN, "accepts", "require(updated <= now, value)", "require(updated.date() <= now.date(), value)"),
    Bug(
        "unknown properties of a product",
        PYDANTIC,
        "accepts",
        "class ClusterProduct(Shape):\n",
        'class ClusterProduct(Shape):\n    model_config = ConfigDict(extra="ignore")\n\n',
    ),
    # Services that reject valid offers
    Bug("a negative tier price", PYDANTIC, "rejects", "price: float\n", "price: Annotated[float, Field(ge=0)]\n"),
    Bug(
        "an additional property with an empty name",
        HAND_WRITTEN,
        "rejects",
        'string(prop["name"])',
        'string(prop.get("name") or None)',
    ),
    Bug(
        "a cluster without products in an offer of any type",
        HAND_WRITTEN,
        "rejects",
        'require(cluster.get("products") != [], cluster)',
        'require(bool(cluster.get("products")), cluster)',
    ),
    Bug(
        "an order maximum above 1000 without approval",
        HAND_WRITTEN,
        "rejects",
        '    nullable(offer, ("orderMinimum", "orderMaximum"), at_least_one)\n',
        '    nullable(offer, ("orderMinimum", "orderMaximum"), at_least_one)\n'
        '    require((offer.get("orderMaximum") or 0) <= 1000 or offer.get("requiresApproval") is True, offer)\n',
    ),
    # Services that crash
    Bug("null tiers", HAND_WRITTEN, "crashes", 'items(price_class, "priceTiers")', 'price_class.get("priceTiers", [])'),
    Bug(
        "more than ten access groups",
        HAND_WRITTEN,
        "crashes",
        "    for quantity in items(offer",
        '    for slot, group in enumerate(items(offer, "accessGroups")):\n        ([""] * 10)[slot] = group\n    for quantity in items(offer',
    ),
    Bug(
        "an order maximum that needs more than 16 bits",
        HAND_WRITTEN,
        "crashes",
        '    nullable(offer, ("orderMinimum", "orderMaximum"), at_least_one)\n',
        '    nullable(offer, ("orderMinimum", "orderMaximum"), at_least_one)\n    (offer.get("orderMaximum") or 0).to_bytes(2)\n',
    ),
    # Consumers of product lists
    Bug("a record without status", PRODUCTS, "accepts", "status: str\n", 'status: str = "unknown"\n'),
    Bug(
        "an update before 1970",
        PRODUCTS,
        "crashes",
        "    return moment.isoformat()\n",
        "    int(moment.timestamp()).to_bytes(8)\n    return moment.isoformat()\n",
    ),
    Bug(
        "two records with the same product ID",
        PRODUCTS,
        "computes",
        '"products": len(records),',
        '"products": len({record.product_id: record for record in records}),',
    ),
    # Consumers of pricing responses
    Bug(
        "a price with a surcharge",
        PRICES,
        "crashes",
        "    text = f",
        "    assert surcharge <= offer.extended_price / 1_000_000, surcharge\n    text = f",
    ),
    Bug(
        "a successful response with a failure message",
        PRICES,
        "computes",
        "if answer.data is None:",
        "if answer.failure_messages:",
    ),
    Bug("a total slightly below 0", PRICES, "accepts", "total_extended_price: Price", "total_extended_price: Annotated[float, Field(ge=-0.01)]"),
    Bug(
        "null product IDs",
        PRICES,
        "crashes",
        "len(offer.product_ids or [])",
        "len(offer.product_ids) if 'product_ids' in offer.model_fields_set else 0",
    ),
]


@lru_cache
def loaded(program: Program, old: str = "", new: str = "") -> Callable[[bytes], Any]:
    """Loads the program after `new` replaces `old` in its source. The returned function gives the answer to a message or, if the
    program crashes, the class of the exception.
    """
    path = ROOT / f"{program.module.replace('.', '/')}.py"
    source = path.read_text(encoding="utf-8")
    assert not old or source.count(old) == 1, f"{old!r} occurs {source.count(old)} times in {program.module}"
    module = ModuleType(program.module)
    exec(compile(source.replace(old, new) if old else source, path, "exec"), module.__dict__)
    function: Callable[[bytes, datetime], Any] = getattr(module, program.function)

    def answer(body: bytes) -> Any:
        try:
            return function(body, NOW)
        except Exception as problem:  # the program has crashed
            return f"crashed with {type(problem).__name__}"

    return answer


def shows(bug: Bug, body: bytes, aim: Label = "unspecified") -> bool:
    """Returns True if the program with the bug and the correct program answer the message differently.

    `aim` is the verdict that the strategy intends for the message. Returns False if the answer of the correct program contradicts
    `aim`, because a test with this message would fail for the correct program too.
    """
    answer = loaded(bug.program)(body)
    return is_expected(answer, aim) and bool(loaded(bug.program, bug.old, bug.new)(body) != answer)


def is_expected(answer: Any, aim: Label) -> bool:
    """A valid message should be accepted, and an invalid message should be rejected. For an unspecified message, every answer is expected."""
    return aim == "unspecified" or (answer in (False, None)) == (aim == "invalid")
