"""Planted bugs that did not exist when the strategies were tuned, so nobody tuned the strategies to find these bugs."""

from benchmarks.planted.bugs import HAND_WRITTEN, PRICES, PRODUCTS, PYDANTIC, Bug

LATER_BUGS = [
    # Services that accept invalid offers
    Bug(
        "a quantity of a product that is a string",
        PYDANTIC,
        "accepts",
        "product_quantity_in_offer: Int32",
        "product_quantity_in_offer: Annotated[int, Field(strict=False, ge=-(2**31), le=2**31 - 1)]",
    ),
    Bug(
        "faults in a cluster that is not the first one",
        HAND_WRITTEN,
        "accepts",
        'for cluster in items(offer, "productClusters"):',
        'for cluster in items(offer, "productClusters")[:1]:',
    ),
    Bug(
        "an empty product ID",
        HAND_WRITTEN,
        "accepts",
        'require(product["productId"] != "", product)',
        'require(product["productId"] is not None, product)',
    ),
    # Services that reject valid offers
    Bug("a blank offer number", HAND_WRITTEN, "rejects", 'require(offer["number"] != ""', 'require(offer["number"].strip() != ""'),
    Bug(
        "a description that a column of 255 characters cannot hold",
        PYDANTIC,
        "rejects",
        "description: str |",
        "description: Annotated[str, Field(max_length=255)] |",
    ),
    Bug(
        "a weight of 0, which is falsy",
        HAND_WRITTEN,
        "rejects",
        "    nullable(offer, NUMBERS, number)\n",
        '    nullable(offer, NUMBERS, number)\n    require(offer.get("weightInPounds") != 0, offer)\n',
    ),
    # Services that crash
    Bug(
        "null offers of the channels", HAND_WRITTEN, "crashes", 'for offer in items(channels, "offers"):', 'for offer in channels.get("offers", []):'
    ),
    # Consumers of product lists
    Bug("a list without data", PRODUCTS, "crashes", "records = answer.data or []", "records = [*answer.data]"),
    Bug("a weight of 0 that counts as no weight", PRODUCTS, "computes", "sum(record.weight is None for", "sum(not record.weight for"),
    # Consumers of pricing responses
    Bug("a quantity of 0", PRICES, "accepts", "    quantity: Count\n", "    quantity: Annotated[int, Field(ge=0, le=2**31 - 1)]\n"),
]
