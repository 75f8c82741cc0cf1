"""The products of the shop. A product has the same identifiers, price and weight in all messages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of product. `cents` is the price of the first size, and `pounds` its weight; other sizes cost and weigh
    more. `pages` are the numbers of pages that customers can order (empty: pages do not matter).
    """

    code: str
    name: str
    category: str
    sizes: tuple[str, ...]
    finishes: tuple[str, ...]
    cents: int
    pounds: float
    unit: str = "EA"
    pages: tuple[int, ...] = ()
    is_gift: bool = False

    @property
    def product_type(self) -> str:
        if self.is_gift:
            return "Finished Good"
        return "Print on Demand" if self.pages else "Component"


@dataclass(frozen=True)
class Product:
    kind: Kind
    id: str
    number: str
    description: str
    owner: str
    billing_entity: str
    cents: int
    pounds: float


_OWNERS = ("Marketing", "Retail", "Claims", "Human Resources", "Customer Service")
_PAPERS = ("gloss", "matte", "uncoated")
PRODUCT_KINDS = (
    Kind("PST", "Postcard", "postcards", ("4 x 6 in", "5 x 7 in", "6 x 9 in", "6 x 11 in"), _PAPERS, 34, 0.01),
    Kind("LTR", "Letter", "letters", ("8.5 x 11 in", "8.5 x 14 in"), ("white", "cream", "recycled"), 28, 0.02,
         pages=(2, 4)),
    Kind("ENV", "Envelope", "envelopes", ("No. 10", "6 x 9 in", "9 x 12 in"), ("window", "plain"), 7, 0.01),
    Kind("BRO", "Brochure", "brochures", ("letter fold", "half fold", "Z fold"), _PAPERS, 62, 0.03, pages=(4, 6, 8)),
    Kind("BKL", "Booklet", "booklets", ("5.5 x 8.5 in", "6 x 9 in", "8.5 x 11 in"), _PAPERS, 184, 0.12,
         pages=(8, 12, 16, 24, 32)),
    Kind("NWS", "Newsletter", "newsletters", ("8.5 x 11 in", "11 x 17 in"), ("gloss", "matte"), 96, 0.06,
         pages=(4, 8, 12)),
    Kind("FLY", "Flyer", "flyers", ("5.5 x 8.5 in", "8.5 x 11 in"), _PAPERS, 22, 0.02),
    Kind("PTR", "Poster", "posters", ("11 x 17 in", "18 x 24 in", "24 x 36 in"), ("gloss", "satin"), 425, 0.1),
    Kind("BNR", "Vinyl Banner", "banners", ("2 x 4 ft", "3 x 6 ft", "4 x 8 ft"), ("indoor", "outdoor"), 4250, 1.8),
    Kind("BCD", "Business Cards", "stationery", ("standard", "square"), ("gloss", "matte", "soft touch"), 1990, 0.7,
         "PK250"),
    Kind("FLD", "Presentation Folder", "stationery", ("9 x 12 in",), ("gloss", "matte", "linen"), 245, 0.18),
    Kind("NPD", "Notepad", "stationery", ("4 x 6 in", "5 x 8 in"), ("lined", "blank"), 175, 0.25),
    Kind("CAL", "Wall Calendar", "calendars", ("8.5 x 11 in", "11 x 17 in"), ("gloss", "matte"), 585, 0.5),
    Kind("TBL", "Table Tent", "displays", ("4 x 6 in", "5 x 7 in"), ("gloss", "matte"), 115, 0.05),
    Kind("PEN", "Ballpoint Pen", "gifts", ("fine", "medium"), ("blue", "black", "white", "green"), 89, 0.03,
         is_gift=True),
    Kind("MUG", "Ceramic Mug", "gifts", ("11 oz", "15 oz"), ("white", "navy", "black"), 749, 0.8, is_gift=True),
    Kind("TOT", "Tote Bag", "gifts", ("small", "large"), ("natural", "navy", "black"), 525, 0.3, is_gift=True),
    Kind("USB", "USB Drive", "gifts", ("16 GB", "32 GB", "64 GB"), ("silver", "black"), 695, 0.05, is_gift=True),
    Kind("UMB", "Umbrella", "gifts", ("folding", "golf"), ("navy", "black", "red"), 1425, 1.1, is_gift=True),
    Kind("CAP", "Baseball Cap", "gifts", ("youth", "adult"), ("navy", "khaki", "black"), 980, 0.25, is_gift=True),
)  # fmt: skip


def _catalog() -> tuple[Product, ...]:
    products: list[Product] = []
    for kind in PRODUCT_KINDS:
        for step, size in enumerate(kind.sizes):
            for finish in kind.finishes:
                short = size.removesuffix(" in").replace(" ", "").upper()
                products.append(
                    Product(
                        kind,
                        f"PRD-{20417 + 23 * len(products)}",
                        f"{kind.code}-{short}-{finish[:3].upper()}",
                        f"{kind.name}, {size}, {finish}",
                        _OWNERS[len(products) % len(_OWNERS)],
                        f"BE-{101 + 7 * len(products) % 48}",
                        kind.cents * (100 + 35 * step) // 100,
                        round(kind.pounds * (1 + 0.4 * step), 3),
                    )
                )
    return tuple(products)


PRODUCTS = _catalog()
OF_CATEGORY = {
    category: tuple(product for product in PRODUCTS if product.kind.category == category)
    for category in dict.fromkeys(kind.category for kind in PRODUCT_KINDS)
}
MAIL = (*OF_CATEGORY["postcards"], *OF_CATEGORY["letters"], *OF_CATEGORY["brochures"])
READ_ON_SCREENS = tuple(
    product for category in ("letters", "brochures", "newsletters", "flyers") for product in OF_CATEGORY[category]
)

PRICE_CLASSES = {"Standard": 100, "Preferred": 95, "Contract": 90, "Internal": 85}
"""The price of each class, in percent of the usual price."""
_DISCOUNTS = {2500: 60, 1000: 70, 500: 78, 250: 86, 100: 93, 1: 100}
"""The price from a quantity on, in percent of the usual price."""
TIERS = ((1, 99), (100, 249), (250, 499), (500, 999), (1000, 2499))
"""The first and the last quantity of each price tier."""


def price(cents: int, quantity: int = 1, price_class: str = "Standard", extra_pages: int = 0) -> int:
    """Returns the price of a piece in cents. Large quantities are cheaper, and each further page costs a little."""
    percent = next(percent for least, percent in _DISCOUNTS.items() if quantity >= least)
    whole = (cents + 3 * extra_pages) * percent * PRICE_CLASSES[price_class]
    return max(1, (whole + 5_000) // 10_000)
