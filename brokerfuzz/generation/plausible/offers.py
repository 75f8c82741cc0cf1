"""Plausible offers. Each type of offer has the properties that it needs: an email has a subject, a letter has a product
and a mail schedule, and only things that are sent have a weight.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from brokerfuzz.generation.plausible.draws import Draws, money
from brokerfuzz.generation.plausible.products import (
    MAIL,
    OF_CATEGORY,
    PRICE_CLASSES,
    READ_ON_SCREENS,
    TIERS,
    Product,
    price,
)
from brokerfuzz.schemas.instants import spell

_TYPES = (
    *("Direct Mail",) * 6, *("Product List",) * 5, *("Drop Ship",) * 3, *("Email",) * 2, *("Download",) * 2,
    *("Omnichannel",) * 2, *("VDM",) * 2,
)  # fmt: skip
_ALWAYS = (
    "Customer Appreciation", "Welcome", "Referral Rewards", "Grand Opening", "Annual Review", "Loyalty Program",
    "Product Launch", "Policy Renewal", "Anniversary", "Community Event", "Service Upgrade", "Open House",
)  # fmt: skip
_SEASONS = (
    (*_ALWAYS, "New Year Planning", "Winter Savings", "Holiday Thank You", "Tax Season"),
    (*_ALWAYS, "Spring Savings", "Spring Home Checkup", "Graduation", "Earth Day"),
    (*_ALWAYS, "Summer Safety", "Summer Travel", "Back to School", "Storm Season"),
    (*_ALWAYS, "Fall Home Checkup", "Open Enrollment", "Year-End Review", "Fall Savings"),
)
_AUDIENCES = (
    "New Customers", "Small Businesses", "Homeowners", "Renters", "Young Families", "Retirees", "Students",
    "Branch Offices", "Agents", "the Midwest", "the Northeast", "the West Coast", "the Southeast", "Texas",
)  # fmt: skip
_GROUPS = ("Agents", "Branch Offices", "Call Center", "Corporate Staff", "Marketing", "Regional Partners")
_SHIP_METHODS = ("Ground", "2nd Day Air", "Next Day Air", "Courier", "Freight")
_COMMENTS = (
    "Artwork approved by Marketing", "Print run confirmed with the vendor", "Proof is due one week before the start",
    "Replaces the version of last year", "The address list is due five working days before mailing",
    "Reorder when 200 pieces are left", "Use the new logo", "Price is confirmed until the end date",
)  # fmt: skip
_SCHEDULES = ("0 6 * * 1-5", "30 5 * * 1", "0 7 1 * *", "0 12 * * 3", "15 7 1,15 * *")
_BODIES = (
    "Please find your documents attached. If you have questions, reply to this message or call your agent.",
    "Thank you for being our customer. Your personal documents are attached to this message.",
    "Your documents are ready. Open the attachment to read them, and keep a copy for your records.",
)
_QUESTIONS = (
    {"name": "costCenter", "label": "Cost center", "hint": "Six digits, as on your invoice"},
    {"name": "branchCode", "label": "Branch code", "hint": "The code of the branch that pays"},
    {"name": "recipientName", "label": "Name on the card", "hint": "First name and last name"},
    {"name": "eventDate", "type": "date", "label": "Date of the event", "hint": "Year, month and day"},
    {"name": "agentPhone", "label": "Telephone number of the agent", "hint": "With the area code"},
    {"name": "copies", "type": "number", "label": "Copies for the office", "value": "25"},
)
_FIXED_QUANTITIES = ([25, 50, 100], [50, 100, 250], [100, 250, 500, 1000], [250, 500, 1000, 2500], [500, 1000, 5000])
_IN_OFFER = (1, 1, 1, 1, 1, 1, 2, 2, 5, 10, 25, 50)
_CLUSTERS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 6, 9)
_PRODUCTS_IN_CLUSTER = (*(1, 1, 1, 2, 2, 2, 3, 3, 4) * 2, 6, 15)
_CHANNELS = ("Direct Mail", "Email", "Download")


@dataclass(frozen=True)
class _Facts:
    """What the parts of an offer have in common. `products` has one product for each cluster, and `quantities` says how
    many of it belong to the offer.
    """

    number: str
    offer_type: str
    theme: str
    thing: str
    start: datetime
    products: list[Product]
    quantities: list[int]

    @property
    def is_sent(self) -> bool:
        return self.offer_type not in ("Email", "Download")

    @property
    def cents(self) -> int:
        return sum(product.cents * count for product, count in zip(self.products, self.quantities, strict=True))

    @property
    def pounds(self) -> float:
        each = zip(self.products, self.quantities, strict=True)
        return round(sum(product.pounds * count for product, count in each), 2)

    def file(self, name: str) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{self.theme} {name}".lower()).strip("-")


def offer(draws: Draws) -> dict[str, Any]:
    offer_type = draws.choose(_TYPES)
    start = draws.day(-75, 14)
    theme = draws.choose(_SEASONS[start.month % 12 // 3])
    products = _products(draws, offer_type)
    quantities = [draws.choose(_IN_OFFER) if offer_type == "Product List" else 1 for _ in products]
    is_kit = offer_type == "Product List" and len(products) > 1
    thing = draws.choose(("Kit", "Bundle", "Package")) if is_kit else products[0].kind.name
    title = f"{theme} {thing}" + (f" for {draws.choose(_AUDIENCES)}" if draws.happens(70) else "")
    facts = _Facts(draws.unique("OFF"), offer_type, theme, thing, start, products, quantities)
    return {
        "number": facts.number,
        "offerType": offer_type,
        "omsOfferId": draws.unique("OMS"),
        "description": title,
        **_availability(draws, facts),
        **_catalog_entry(draws, facts),
        **_prices(draws, facts),
        **_pictures(facts),
        **_of_type(draws, facts),
        **(_shipping(draws, facts) if facts.is_sent else {"doSuppressShippingAndHandling": True}),
    }


def _products(draws: Draws, offer_type: str) -> list[Product]:
    if offer_type == "Product List":
        categories = draws.several(tuple(OF_CATEGORY), draws.choose(_CLUSTERS))
        return [draws.choose(OF_CATEGORY[category]) for category in categories]
    if offer_type in ("Direct Mail", "VDM", "Omnichannel"):
        piece = draws.choose(MAIL)
        needs_envelope = piece.kind.category == "letters"
        return (
            [piece, draws.choose(OF_CATEGORY["envelopes"])]
            if needs_envelope and offer_type == "Direct Mail"
            else [piece]
        )
    return [draws.choose(OF_CATEGORY["gifts"] if offer_type == "Drop Ship" else READ_ON_SCREENS)]


def _availability(draws: Draws, facts: _Facts) -> dict[str, Any]:
    end = facts.start + timedelta(draws.choose((30, 45, 60, 90, 120, 180, 365)), seconds=-1)
    updated = draws.past_working_hour(120)
    props: dict[str, Any] = {"isActive": facts.start <= draws.now <= end}
    props["availableStartDate"] = spell(facts.start)
    if draws.happens(80):
        props["availableEndDate"] = spell(end)
    else:
        props["isActive"] = facts.start <= draws.now
    if draws.happens(75):
        props["lastUpdatedDateTimeUtc"] = spell(updated)
    return props


def _catalog_entry(draws: Draws, facts: _Facts) -> dict[str, Any]:
    categories = dict.fromkeys(product.kind.category for product in facts.products)
    props: dict[str, Any] = {"categoryIds": list(categories)}
    if draws.happens(65):
        props["accessGroups"] = draws.several(_GROUPS, draws.choose((1, 1, 2, 2, 3)))
    if draws.happens(30):
        props["comments"] = draws.choose(_COMMENTS)
    if draws.happens(40):
        props["isAvailableViaCoopFunds"] = draws.happens(30)
    if draws.happens(60):
        props["requiresApproval"] = draws.happens(35)
    return props


def _prices(draws: Draws, facts: _Facts) -> dict[str, Any]:
    props: dict[str, Any] = {"defaultPrice": money(facts.cents), "isTaxable": draws.happens(80)}
    if draws.happens(35):
        classes = draws.several(tuple(PRICE_CLASSES), draws.choose((1, 2, 2, 3)))
        props["priceClasses"] = [_price_class(draws, facts, name) for name in classes]
    return props


def _price_class(draws: Draws, facts: _Facts, name: str) -> dict[str, Any]:
    if draws.happens(40):
        return {"name": name, "price": money(price(facts.cents, 1, name))}
    tiers: list[dict[str, Any]] = []
    pages = facts.products[0].kind.pages if len(facts.products) == 1 else ()
    for least, most in TIERS[: draws.choose((2, 3, 3, 4, 5))]:
        tier: dict[str, Any] = {
            "price": money(price(facts.cents, least, name)),
            "minimumQuantity": least,
            "maximumQuantity": most,
        }
        if len(pages) > 1:
            tier["pageCounts"] = [
                {
                    "minimumPages": low,
                    "maximumPages": high,
                    "price": money(price(facts.cents, least, name, high - pages[0])),
                }
                for low, high in zip((2, *(page + 1 for page in pages)), pages, strict=False)
            ]
        tiers.append(tier)
    return {"name": name, "priceTiers": tiers}


def _pictures(facts: _Facts) -> dict[str, Any]:
    folder = f"https://cdn.example.com/offers/{facts.number.lower()}"
    picture = facts.file(facts.thing)
    return {"thumbnailUrl": f"{folder}/{picture}-small.png", "fullImageUrl": f"{folder}/{picture}.png"}


def _of_type(draws: Draws, facts: _Facts) -> dict[str, Any]:
    if facts.offer_type == "Email":
        subject = draws.choose(("{}: your documents are ready", "{}: news from your agent", "{}: see what is new"))
        return {
            "secureEmailSubject": subject.format(facts.theme),
            "secureEmailBody": draws.choose(_BODIES),
            "deliveryScheduleCron": draws.choose(_SCHEDULES),
        }
    if facts.offer_type == "Download":
        name = facts.file(facts.thing)
        return {"pdfUrl": f"https://cdn.example.com/offers/{facts.number.lower()}/{name}.pdf"}
    if facts.offer_type == "Omnichannel":
        first = draws.between(1_000_000, 8_000_000)
        channels = draws.several(_CHANNELS, draws.choose((2, 2, 3)))
        offers = [
            {"offerId": f"OMS-{10 * first + 37 * place}", "deliveryChannel": channel}
            for place, channel in enumerate(channels)
        ]
        return {"omniChannel": {"offers": offers}}
    props = {"productClusters": _clusters(draws, facts)}
    return {**props, **_template(draws), **_schedule(draws)} if facts.offer_type == "VDM" else props


def _template(draws: Draws) -> dict[str, Any]:
    questions = draws.several(_QUESTIONS, draws.choose((1, 2, 2, 3)))
    return {
        "xmVendorTemplateId": f"XMT-{draws.between(10_000, 99_999)}",
        "xmVendorUStoreId": str(draws.between(1_000, 9_999)),
        "additionalPropsRequiredOnOrder": [dict(question) for question in questions],
    }


def _schedule(draws: Draws) -> dict[str, Any]:
    return {"deliveryScheduleCron": draws.choose(_SCHEDULES)} if draws.happens(50) else {}


def _clusters(draws: Draws, facts: _Facts) -> list[dict[str, Any]]:
    clusters = []
    for chosen, quantity in zip(facts.products, facts.quantities, strict=True):
        alternatives = [product for product in OF_CATEGORY[chosen.kind.category] if product is not chosen]
        more = draws.choose(_PRODUCTS_IN_CLUSTER) - 1 if facts.offer_type == "Product List" else 0
        products = [chosen, *draws.several(alternatives, more)]
        items = [_in_cluster(draws, facts, product, quantity) for product in products]
        clusters.append({"id": chosen.kind.category, "products": items})
    return clusters


def _in_cluster(draws: Draws, facts: _Facts, product: Product, quantity: int) -> dict[str, Any]:
    props: dict[str, Any] = {"productId": product.id, "productQuantityInOffer": quantity}
    if product.kind.category != "envelopes":
        props["associatedFileName"] = f"{facts.file(product.description)}.pdf"
    if product.kind.pages:
        props["pageCount"] = draws.choose(product.kind.pages)
    if draws.happens(20):
        props["surcharge"] = money(draws.choose((5, 10, 15, 25, 50, 75)))
    return props


def _shipping(draws: Draws, facts: _Facts) -> dict[str, Any]:
    props: dict[str, Any] = {
        "unitOfMeasure": facts.products[0].kind.unit if len(facts.products) == 1 else "KIT",
        "weightInPounds": facts.pounds,
        "isInventoried": facts.offer_type == "Drop Ship" or draws.happens(30),
    }
    if draws.happens(45):
        props["fixedOrderQuantities"] = list(draws.choose(_FIXED_QUANTITIES))
    else:
        least = draws.choose((5, 10, 25, 50, 100))
        props["orderMinimum"] = least
        props["orderMaximum"] = least * draws.choose((10, 20, 50, 100))
    if facts.offer_type == "Drop Ship" or draws.happens(40):
        props["onlyShipMethodsAvailable"] = draws.several(_SHIP_METHODS, draws.choose((1, 2, 2, 3)))
    if draws.happens(20):
        props["surcharge"] = money(draws.choose((250, 395, 500, 750, 995)))
    return props
