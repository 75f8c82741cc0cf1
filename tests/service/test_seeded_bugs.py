import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.service.answers import Offer, ServiceAnswer
from brokerfuzz.service.bugs import BUGS, bug
from brokerfuzz.service.flaws import Kind
from brokerfuzz.service.judging import answering

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
OFFER_CREATION = "offer-creation-request"

Properties = dict[str, Any]


def product(**props: Any) -> Properties:
    return {
        "productId": "PRD-1",
        "productQuantityInOffer": 2,
        "associatedFileName": "A.PDF",
        "pageCount": 4,
        "surcharge": 0.5,
    } | props


def cluster(*products: Any, **props: Any) -> Properties:
    return {"id": "C-1", "products": [*products] or [product()]} | props


def tier(**props: Any) -> Properties:
    return {
        "price": 1.25,
        "minimumQuantity": 1,
        "maximumQuantity": 99,
        "pageCounts": [{"minimumPages": 1, "price": 2.5}],
    } | props


def price_class(**props: Any) -> Properties:
    return {"name": "Retail", "price": 1.5, "priceTiers": [tier()]} | props


def offer(**props: Any) -> Properties:
    """Returns an ordinary offer with nearly all properties."""
    return {
        "number": "OFF-1",
        "offerType": "Direct Mail",
        "omsOfferId": "OMS-1",
        "description": "A postcard",
        "comments": "None so far",
        "accessGroups": ["Staff"],
        "categoryIds": ["CAT-1", "CAT-2"],
        "availableStartDate": "2024-01-01T00:00:00Z",
        "availableEndDate": "2030-01-01T00:00:00Z",
        "lastUpdatedDateTimeUtc": "2024-05-01T12:00:00Z",
        "defaultPrice": 12.5,
        "fixedOrderQuantities": [10, 20],
        "orderMinimum": 1,
        "orderMaximum": 500,
        "isActive": True,
        "weightInPounds": 1.5,
        "additionalPropsRequiredOnOrder": [{"name": "Colour", "type": "string", "hint": "Red or blue"}],
        "omniChannel": {"offers": [{"offerId": "OMS-2", "deliveryChannel": "Email"}]},
        "priceClasses": [price_class()],
        "productClusters": [cluster()],
    } | props


def bare(**props: Any) -> Properties:
    return {"number": "OFF-1", "offerType": "Direct Mail"} | props


def listing(*clusters: Any, **props: Any) -> Properties:
    """Returns a Product List with these clusters."""
    return offer(offerType="Product List", productClusters=[*clusters] or [cluster()], **props)


def without(props: Properties, name: str) -> Properties:
    return {key: value for key, value in props.items() if key != name}


def tiers(**props: Any) -> Properties:
    return offer(priceClasses=[price_class(priceTiers=[tier(**props)])])


def products(**props: Any) -> Properties:
    return offer(productClusters=[cluster(product(**props))])


def text(old: str, new: str) -> bytes:
    """Returns the JSON of the plain offer with one part replaced."""
    body = json.dumps(offer())
    assert body.count(old) == 1
    return body.replace(old, new).encode()


PLAIN = (offer(), listing(), offer(offerType="Email"))
TWO_CLUSTERS = listing(cluster(), cluster(product(productId="PRD-2"), id="C-2"))

WITNESSES: dict[str, Any] = {
    # missing checks
    "accepts-empty-number": offer(number=""),
    "accepts-missing-number": without(offer(), "number"),
    "accepts-null-number": offer(number=None),
    "accepts-any-offer-type": offer(offerType="Fax"),
    "accepts-missing-offer-type": without(offer(), "offerType"),
    "accepts-null-offer-type": offer(offerType=None),
    "accepts-empty-offer-type": offer(offerType=""),
    "accepts-zero-order-minimum": offer(orderMinimum=0),
    "accepts-any-order-maximum": offer(orderMaximum=-7),
    "accepts-zero-page-count": products(pageCount=0),
    "accepts-negative-page-count": products(pageCount=-1),
    "accepts-empty-product-id": products(productId=""),
    "accepts-missing-product-id": offer(productClusters=[cluster(without(product(), "productId"))]),
    "accepts-missing-product-quantity": offer(productClusters=[cluster(without(product(), "productQuantityInOffer"))]),
    "accepts-null-product-quantity": products(productQuantityInOffer=None),
    "accepts-empty-products": offer(productClusters=[cluster(products=[])]),
    "accepts-empty-clusters": listing() | {"productClusters": []},
    "accepts-missing-clusters": without(listing(), "productClusters"),
    "accepts-missing-tier-price": offer(priceClasses=[price_class(priceTiers=[{"minimumQuantity": 1}])]),
    "accepts-null-tier-price": tiers(price=None),
    "accepts-null-class-name": offer(priceClasses=[price_class(name=None)]),
    "accepts-missing-property-name": offer(additionalPropsRequiredOnOrder=[{"type": "string"}]),
    "accepts-null-property-type": offer(additionalPropsRequiredOnOrder=[{"name": "Colour", "type": None}]),
    "accepts-null-strings-in-arrays": offer(categoryIds=["CAT-1", None]),
    "accepts-wide-integers": offer(orderMaximum=2147483648),
    "accepts-wide-fixed-quantities": offer(fixedOrderQuantities=[1 << 40]),
    "accepts-numbers-in-string-arrays": offer(categoryIds=[7]),
    "ignores-unknown-properties": tiers(colour="red"),
    "ignores-unknown-properties-at-root": offer(colour="red"),
    "ignores-unknown-properties-in-products": products(colour="red"),
    "ignores-unknown-properties-in-omni-channel": offer(omniChannel={"colour": "red"}),
    "ignores-unknown-properties-in-page-counts": tiers(pageCounts=[{"colour": "red"}]),
    "ignores-unknown-null-properties": products(colour=None),
    "ignores-unknown-underscore-properties": products(_colour="red"),
    "checks-first-items-only": offer(categoryIds=["CAT-1", 7]),
    "checks-ten-items-only": offer(categoryIds=[*(f"CAT-{n}" for n in range(10)), 7]),
    "checks-first-product-only": offer(productClusters=[cluster(product(), product(productId=""))]),
    "ignores-clock": offer(lastUpdatedDateTimeUtc="2026-01-01T00:00:00Z"),
    "accepts-trailing-text": json.dumps(offer()).encode() + b" and so on",
    "accepts-nan": text("12.5", "NaN"),
    "accepts-control-characters": text("A postcard", "A\tpostcard"),
    "accepts-trailing-commas": text('"CAT-2"]', '"CAT-2",]'),
    "accepts-comments": text("12.5", "12.5 /* // a price */"),
    "accepts-leading-zeros": text("12.5", "0012.5"),
    # too strict
    "rejects-empty-description": offer(description=""),
    "rejects-blank-comments": offer(comments="  "),
    "rejects-blank-number": offer(number=" "),
    "rejects-lower-case-number": offer(number="off-1"),
    "rejects-negative-price": offer(defaultPrice=-1),
    "rejects-zero-price": tiers(price=0),
    "rejects-negative-surcharge": products(surcharge=-0.5),
    "rejects-fractions-of-cents": offer(defaultPrice=0.125),
    "rejects-zero-quantity": products(productQuantityInOffer=0),
    "rejects-negative-tier-quantity": tiers(minimumQuantity=-5),
    "rejects-large-order-maximum": offer(orderMaximum=32768),
    "rejects-zero-weight": offer(weightInPounds=0),
    "rejects-astral-strings": products(associatedFileName="\U0001f600"),
    "rejects-non-ascii-strings": offer(description="Größe"),
    "rejects-long-strings": offer(description="a" * 256),
    "rejects-line-breaks": offer(description="A\npostcard"),
    "rejects-markup": offer(secureEmailBody="<b>Hello</b>"),
    "rejects-apostrophes": offer(description="O'Brien's"),
    "rejects-null-description": offer(description=None),
    "rejects-null-omni-channel": offer(omniChannel=None),
    "rejects-null-price-tiers": offer(priceClasses=[price_class(priceTiers=None)]),
    "rejects-null-page-counts": tiers(pageCounts=None),
    "rejects-null-page-count": products(pageCount=None),
    "rejects-null-flags": offer(isActive=None),
    "rejects-absent-description": bare(),
    "rejects-absent-class-price": offer(priceClasses=[{"name": "Retail"}]),
    "rejects-absent-property-type": offer(additionalPropsRequiredOnOrder=[{"name": "Colour"}]),
    "rejects-empty-arrays": offer(categoryIds=[]),
    "rejects-more-than-ten-items": offer(categoryIds=[f"CAT-{n}" for n in range(11)]),
    "rejects-second-clusters": TWO_CLUSTERS,
    "rejects-late-offer-type": without(offer(), "offerType") | {"offerType": "Direct Mail"},
    "rejects-late-product-id": offer(productClusters=[cluster({"productQuantityInOffer": 2, "productId": "PRD-1"})]),
    "rejects-past-start": offer(availableStartDate="1999-12-31T00:00:00Z"),
    "rejects-hyphenless-ids": products(productId="PRD1"),
    "rejects-escaped-strings": text("A postcard", "A\\u0020postcard"),
    "rejects-line-breaks-in-json": json.dumps(offer(), indent=1).encode(),
    "rejects-exponents": text("12.5", "1.25e1"),
    # coercions
    "coerces-string-to-integer": offer(orderMinimum=" 7 "),
    "coerces-string-to-number": offer(defaultPrice="1.5e1"),
    "coerces-string-to-boolean": offer(isActive="True"),
    "coerces-words-to-boolean": offer(isActive="yes"),
    "coerces-number-to-boolean": offer(isActive=1),
    "coerces-boolean-to-number": offer(defaultPrice=True),
    "coerces-number-to-string": offer(number=17),
    "coerces-boolean-to-string": offer(description=False),
    "coerces-empty-string-to-null": offer(orderMinimum=""),
    "truncates-fractions": offer(orderMinimum=1.9),
    "wraps-wide-integers": offer(orderMinimum=(1 << 32) + 1),
    "wraps-single-items": offer(categoryIds="CAT-1"),
    "unwraps-single-items": offer(number=["OFF-1"]),
    "unwraps-single-objects": [offer()],
    "trims-offer-type": offer(offerType=" Direct Mail"),
    "ignores-case-of-offer-type": offer(offerType="direct mail"),
    "ignores-hyphens-in-offer-type": offer(offerType="Direct-Mail"),
    "drops-signs": products(pageCount=-4),
    # failures
    "crashes-on-null-products": offer(productClusters=[cluster(products=None)]),
    "crashes-on-empty-access-groups": offer(accessGroups=[]),
    "crashes-on-astral-strings": offer(number="\U0001f600"),
    "crashes-on-huge-numbers": offer(defaultPrice=-1e308),
    "crashes-on-deep-nesting": b'{"a":' + b"[" * 99 + b"]" * 99 + b"}",
    "crashes-on-missing-clusters": without(listing(), "productClusters"),
    "crashes-on-missing-number": without(offer(), "number"),
    "crashes-on-other-roots": [],
    "crashes-on-no-json": b"{",
    "crashes-on-numeric-dates": offer(lastUpdatedDateTimeUtc=1700000000),
    "crashes-on-empty-page-counts": tiers(pageCounts=[]),
    "crashes-on-empty-clusters": offer(productClusters=[{}]),
    "aborts-on-percent-signs": offer(description="100 %sure"),
    "aborts-on-null-omni-channel-offers": offer(omniChannel={"offers": None}),
    "aborts-on-early-dates": offer(availableStartDate="1969-12-31T23:59:59Z"),
    "hangs-on-largest-quantity": products(productQuantityInOffer=2147483647),
    "hangs-on-blanks": offer(description="A" + " " * 16 + "B"),
    "hangs-on-null-tier-bounds": tiers(maximumQuantity=None),
    "claims-success-of-rejected": offer(number=""),
    "claims-failure-of-accepted": bare(),
    # conditions
    "product-list-rule-off": without(listing(), "productClusters"),
    "product-list-rule-off-when-type-comes-late": {"number": "1", "productClusters": [], "offerType": "Product List"},
    "product-list-rule-off-beside-omni-channel": listing() | {"productClusters": []},
    "product-list-rule-off-when-inactive": listing(isActive=False) | {"productClusters": []},
    "product-list-rule-off-for-null-clusters": listing() | {"productClusters": None},
    "product-list-rule-off-for-null-products": listing(cluster(products=None)),
    "product-list-rule-off-for-absent-products": listing({"id": "C-1"}),
    "product-list-rule-for-first-cluster": listing(cluster(), cluster(id="C-2", products=None)),
    "product-list-rule-for-omnichannel": bare(offerType="Omnichannel"),
    "product-list-rule-for-direct-mail-with-clusters": offer(productClusters=[{"id": "C-1"}]),
    "page-count-checked-in-product-lists-only": products(pageCount=0),
    "product-id-checked-in-product-lists-only": products(productId=""),
    "order-minimum-unchecked-beside-fixed-quantities": offer(orderMinimum=0),
    "clock-rule-by-day": offer(lastUpdatedDateTimeUtc="2025-06-15T23:00:00Z"),
    "clock-rule-off-without-start": bare(lastUpdatedDateTimeUtc="2026-01-01T00:00:00Z"),
    "zero-price-treated-as-missing": tiers(price=0),
}
CONTROLS: dict[str, Any] = {
    "accepts-zero-page-count": products(pageCount=-1),
    "accepts-zero-order-minimum": offer(orderMinimum=-1),
    "accepts-null-number": offer(number=1),
    "accepts-wide-integers": offer(orderMaximum=0),
    "accepts-nan": b"{",
    "accepts-trailing-text": b"x{}",
    "ignores-unknown-properties-at-root": products(colour="red"),
    "ignores-unknown-null-properties": offer(colour="red"),
    "checks-first-items-only": offer(categoryIds=[7]),
    "checks-ten-items-only": offer(categoryIds=[*(f"CAT-{n}" for n in range(9)), 7]),
    "coerces-string-to-integer": offer(orderMinimum="seven"),
    "coerces-string-to-number": offer(orderMinimum="7"),
    "wraps-wide-integers": offer(orderMinimum=1 << 32),
    "clock-rule-by-day": offer(lastUpdatedDateTimeUtc="2025-06-16T01:00:00Z"),
    "product-list-rule-off-when-type-comes-late": listing() | {"productClusters": []},
    "product-list-rule-for-first-cluster": listing(cluster(products=None)),
    "page-count-checked-in-product-lists-only": listing(cluster(product(pageCount=0))),
    "unwraps-single-items": offer(number=["OFF-1", "OFF-2"]),
}
"""Maps bugs to offers that the service answers equally with and without the bug. Similar offers in `WITNESSES` show the
bug.
"""


def encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def seen(answer: ServiceAnswer) -> tuple[Any, ...]:
    """Returns the part of an answer that tests compare. The texts of messages may differ."""
    return answer.manner, answer.status, answer.envelope and answer.envelope["operationWasSuccessful"]


def answered(body: Any, *bugs: str) -> tuple[Any, ...]:
    return seen(answering(bugs=bugs, now=NOW)(encoded(body)))


def test_each_bug_has_a_witness() -> None:
    assert WITNESSES.keys() == BUGS.keys()


def test_each_bug_shows_on_its_witness() -> None:
    witnesses = {name: encoded(WITNESSES[name]) for name in BUGS}
    assert [
        name for name, body in witnesses.items() if check(OFFER_CREATION, body, now=NOW).label == "unspecified"
    ] == [], "ambiguous"
    assert [name for name, body in witnesses.items() if answered(body, name) == answered(body)] == []


def test_no_bug_shows_on_plain_offers() -> None:
    for plain in PLAIN:
        assert answered(plain) == ("reply", 201, True)
        differing = {name: answer for name in BUGS if (answer := answered(plain, name)) != ("reply", 201, True)}
        assert differing == {"claims-failure-of-accepted": ("reply", 201, False)}


def test_no_bug_shows_on_similar_offers() -> None:
    assert [name for name, body in CONTROLS.items() if answered(body, name) != answered(body)] == []


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_bug_has_the_effect_of_its_kind(kind: Kind) -> None:
    for name in (name for name, seeded in BUGS.items() if seeded.kind == kind):
        sound, buggy = (
            answering(now=NOW)(encoded(WITNESSES[name])),
            answering(bugs=[name], now=NOW)(encoded(WITNESSES[name])),
        )
        match kind:
            case "missing-check" | "coercion":
                assert not sound.accepts
                assert buggy.accepts
            case "too-strict":
                assert sound.accepts
                assert buggy.status == 400
            case "crash":
                assert buggy.manner in ("crash", "abort")
            case "hang":
                assert buggy.manner == "hang"
            case "condition":
                assert sound.accepts is not buggy.accepts
            case "wrong-answer":
                assert sound.accepts is buggy.accepts


def test_every_bug_can_handle_any_bytes() -> None:
    bodies = (
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"[" * 100_000,
        b'{"number":1e999,"offerType":[[]]}',
        b"9" * 5000,
        b'{"\\ud800":1}',
    )
    manners = {answer(body).manner for name in BUGS for answer in [answering(bugs=[name], now=NOW)] for body in bodies}
    assert manners >= {"reply", "crash"}


def test_every_bug_has_a_valid_declaration() -> None:
    for seeded in BUGS.values():
        assert seeded.name == seeded.name.lower().replace(" ", "-")
        assert seeded.text[0].isupper()
        assert seeded.text.endswith(".")
        assert seeded.text.count(". ") == 0
        assert seeded.kind in get_args(Kind)
        assert seeded.rule is None or seeded.rule in load_contract().rules_by_id


def test_bugs_are_sorted_by_name() -> None:
    assert list(BUGS) == sorted(BUGS)
    assert len(BUGS) >= 45


def test_the_error_for_an_unknown_bug_suggests_a_similar_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ignores-clock'"):
        bug("ignore-clock")
    with pytest.raises(UnknownNameError):
        answering(bugs=["no-such-bug"])


def test_bugs_can_be_seeded_together() -> None:
    both = answering(bugs=["coerces-string-to-integer", "accepts-zero-order-minimum"], now=NOW)
    assert both(encoded(offer(orderMinimum="0"))).status == 400, "the second one asks for a number"
    assert answering(bugs=["accepts-zero-order-minimum", "coerces-string-to-integer"], now=NOW)(
        encoded(offer(orderMinimum="0"))
    ).accepts
    assert both(encoded(offer(orderMinimum=0))).accepts


def test_a_value_is_found_and_replaced_by_its_pointer() -> None:
    subject = Offer(encoded({"a/b": [{"~": 1}, {"~": 2}]}))
    assert subject.at("/a~1b/1/~0") == [2]
    assert subject.at("/a~1b/9") == subject.at("/a~1b/x") == []
    assert subject.replacing({"/a~1b/0/~0": 3}).value == {"a/b": [{"~": 3}, {"~": 2}]}
    assert subject.value == {"a/b": [{"~": 1}, {"~": 2}]}


def test_listing_bugs_loads_neither_server_nor_validator() -> None:
    heavy = ("uvicorn", "httptools", "jsonschema_rs", "orjson", "hypothesis")
    script = (
        f"import sys, brokerfuzz.service.bugs, brokerfuzz.service.running; print([m for m in {heavy} if m in "
        "sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"
