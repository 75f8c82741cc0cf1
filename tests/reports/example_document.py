"""An example of a campaign's document, copied by hand from a real run against a service with ten bugs. `many` returns a
larger version. `hostile_example` returns a version with texts that reports must escape.
"""

from base64 import b64encode
from typing import Any, Final

from campaign_documents import NONE, OFFER, ambiguity, document, finding, got, headline, outcome, rule

from brokerfuzz.schemas import load_contract

PRODUCT: Final = {"productId": "0", "productQuantityInOffer": 0}
PLAIN: Final = {"number": "0", "offerType": "Direct Mail"}
ACCEPTED: Final = '{"data":null,"failureMessages":[],"informationalMessages":["The offer was created."],"operationWasSuccessful":true}'
REJECTED: Final = '{"data":null,"failureMessages":["the offer: expected a description, found something else"],"operationWasSuccessful":false}'
TRACE: Final = 'Traceback (most recent call last):\n  File "offers.py", line 31, in create\n    name.encode("latin-1")\nUnicodeEncodeError: \'latin-1\''
ACCEPTS: Final = "The target accepted an invalid offer creation request (status 201)"
CRASHES: Final = "The target crashed on an unspecified offer creation request (status 500)"
HOSTILE: Final = '</script></details>--></style>]]><!--<img src=x onerror="alert(1)">\'&amp;<script>alert(2)</script>\x00\x1b[31m\u202egnp.\ud800\u2028{{7*7}}'
"""A text that does harm if a report does not escape it."""


def with_product(**props: Any) -> dict[str, Any]:
    return {**PLAIN, "productClusters": [{"products": [{**PRODUCT, **props}]}]}


def broken(rule: str, at: str, found: str, demanded: str, source: str = "Errors, validation rule 5") -> dict[str, str]:
    return {"rule": f"{OFFER}/{rule}", "source": source, "at": at, "found": found, "demanded": demanded}


def raw(body: bytes, **others: Any) -> dict[str, Any]:
    return {"raw": b64encode(body).decode(), **others}


def line(body: str) -> str:
    return f"curl -sS -i -X POST -H 'content-type: application/json' --data-raw '{body}' http://127.0.0.1:8000/offers"


def _crashed(**changes: Any) -> dict[str, Any]:
    return {
        "answer": "crashed",
        "status": 500,
        "reason": "status 500",
        "response": "Internal Server Error",
        "seconds": 0.0021,
        **changes,
    }


def findings() -> list[dict[str, Any]]:
    """Findings of all kinds."""
    below = "/productClusters/0/products/0"
    return [
        finding(
            fingerprint="2cbdcdfce1a01efd",
            sentence=f"{ACCEPTS}; broken rule: {OFFER}/productClusters[].products[]"
            f".pageCount:minimum at {below}/pageCount (expected at least 1, found 0); found by one-below.",
            got=got(response=ACCEPTED, seconds=0.000533),
            rules=[broken("productClusters[].products[].pageCount:minimum", f"{below}/pageCount", "0", "at least 1")],
            tags=[
                "at:eleventh",
                "at:first",
                "at:last",
                "at:only",
                "in:backwards",
                "in:complete",
                "under:offerType=Product-List",
            ],
            count=112,
            reproduce=line(
                '{"number":"0","offerType":"Direct Mail","productClusters":[{"products":[{"productId":"0","pageCount":0}]}]}'
            ),
            smallest={"body": with_product(pageCount=0)},
            twin={"body": with_product(pageCount=10002)},
        ),
        finding(
            fingerprint="51c2b7e07a1ddc02",
            kind="valid-rejected",
            verdict="valid",
            expected="accepted",
            sentence="The target rejected a valid offer creation request (status 400); cause: /description is absent.",
            got=got(answer="rejected", status=400, reason="status 400", response=REJECTED, seconds=0.0031),
            rules=[],
            places=["/description"],
            families=[],
            techniques=[],
            tags=[
                "edge:only-required",
                "edge:values-28",
                "edge:values-57",
                *(f"pairs:0-{number}" for number in range(40)),
            ],
            count=246,
            reproduce=line('{"number":"OFF-10000","offerType":"Direct Mail"}'),
            smallest={"body": PLAIN},
            twin={"body": {**PLAIN, "description": "Autumn flyers"}},
        ),
        finding(
            fingerprint="7f35a2c1b0aa9e11",
            known=True,
            sentence=f"{ACCEPTS}; broken rule: {OFFER}/offerType:enum at /offerType (expected one of "
            "'Direct Mail', 'Download', 'Drop Ship', 'Email', 'Omnichannel', 'Product List', 'VDM', found \"DROP SHIP\"); "
            "found by upper-case, lower-case and 3 more.",
            rules=[
                broken(
                    "offerType:enum",
                    "/offerType",
                    '"DROP SHIP"',
                    "one of 'Direct Mail', 'Download', 'Drop Ship'",
                    "Table 1, offerType",
                )
            ],
            places=["/offerType", "/description"],
            families=["enumeration"],
            techniques=["upper-case", "lower-case", "first-letter-alone-capital", "swapped-case", "constant-case"],
            count=9,
            smallest={"body": {"number": "0", "offerType": "DROP SHIP", "description": ""}},
            twin={"body": {"number": "0", "offerType": "Drop Ship", "description": ""}},
        ),
        finding(
            fingerprint="aa10bb20cc30dd40",
            kind="crashed",
            verdict="valid",
            expected="accepted",
            sentence='The target crashed on a valid offer creation request (status 500); cause: /number is "\N{TEST TUBE}".',
            got=_crashed(response=TRACE),
            rules=[],
            places=["/number"],
            families=[],
            techniques=[],
            tags=["edge:values-32", "edge:values-74"],
            count=2,
            sent=3,
            shown=1,
            smallest={"body": {**PLAIN, "number": "\N{TEST TUBE}"}},
            twin={"body": PLAIN},
        ),
        finding(
            fingerprint="0f0e0d0c0b0a0908",
            sentence=f"{ACCEPTS}; broken rule: {OFFER}/:json at the root "
            "(not JSON: NaN is not a JSON value); found by nan-value, infinite-value, positive-infinite-value.",
            rules=[broken(":json", "", "not JSON: NaN is not a JSON value", "JSON (RFC 8259)", "Section 2, Format")],
            families=["syntax"],
            techniques=["nan-value", "infinite-value", "positive-infinite-value"],
            whole=False,
            smallest=raw(b'{"number":"0","offerType":"Direct Mail","defaultPrice":NaN}'),
            twin={"body": {**PLAIN, "defaultPrice": 0}},
        ),
        finding(
            fingerprint="31415926535897ab",
            sentence=f"{ACCEPTS}; broken rule: {OFFER}/productClusters[].products[]"
            f":additionalProperties at {below}/page_count (unknown property `page_count`).",
            rules=[
                broken(
                    "productClusters[].products[]:additionalProperties",
                    f"{below}/page_count",
                    "unknown property `page_count`",
                    "a property that the contract lists",
                    "Table 3, products",
                )
            ],
            families=["unknown-property"],
            techniques=[
                "blank-key",
                "words-apart-key",
                "leading-blank-key",
                "plural-key",
                "snake-case-key",
                *(f"other-key-{n}" for n in range(48)),
            ],
            count=101,
            smallest={"body": with_product(page_count=None)},
            twin={"body": with_product()},
        ),
        finding(
            fingerprint="5ca1ab1e5ca1ab1e",
            kind="crashed",
            sentence=f"The target crashed on an invalid offer creation request (status 500); broken rule: {OFFER}/productClusters[]"
            ".products:type@offerType=Product-List at /productClusters/0/products (expected an array, found null); found by null-instead.",
            got=_crashed(),
            rules=[
                broken(
                    "productClusters[].products:type@offerType=Product-List",
                    "/productClusters/0/products",
                    "null",
                    "an array",
                    "Condition 1",
                )
            ],
            families=["null"],
            techniques=["null-instead"],
            count=13,
            smallest={"body": {"number": "0", "offerType": "Product List", "productClusters": [{"products": None}]}},
            twin={"body": {"number": "0", "offerType": "Product List", "productClusters": [{"products": []}]}},
        ),
        finding(
            fingerprint="deadbeefdeadbeef",
            kind="crashed",
            verdict="unspecified",
            expected="accepted or rejected",
            sentence=f"{CRASHES}; ambiguity: string-length; found by probe:string-length, as:1025-emoji.",
            got=_crashed(seconds=1.2),
            rules=[],
            ambiguities=["string-length"],
            families=[],
            techniques=[],
            tags=["probe:string-length", "as:1025-emoji"],
            count=2,
            smallest={"body": {**PLAIN, "comments": "\N{GRINNING FACE}" * 1025}},
            twin=None,
        ),
        finding(
            fingerprint="00ff00ff00ff00ff",
            kind="timeout",
            verdict="valid",
            expected="accepted",
            sentence="The target did not answer a valid offer creation request (no answer within 5 s); cause: /priceClasses/0/priceTiers is present.",
            got={"answer": "timeout", "status": None, "reason": "no answer within 5 s", "response": "", "seconds": 5.0},
            rules=[],
            places=["/priceClasses/0/priceTiers/0/quantityFrom", "/priceClasses/0/priceTiers/0/quantityTo"],
            families=[],
            techniques=[],
            tags=["pairs:1-4"],
            count=4,
            smallest={
                "body": {
                    **PLAIN,
                    "priceClasses": [{"priceTiers": [{"quantityFrom": None, "quantityTo": None, "price": 0}]}],
                }
            },
            twin={
                "body": {
                    **PLAIN,
                    "priceClasses": [{"priceTiers": [{"quantityFrom": 1, "quantityTo": None, "price": 0}]}],
                }
            },
        ),
        finding(
            fingerprint="c0ffee00c0ffee00",
            kind="malformed-answer",
            verdict="valid",
            expected="accepted",
            sentence="The answer to a valid offer creation request is not a valid envelope: the body is not JSON.",
            got=got(status=200, reason="status 200", response="<!doctype html>\n<title>Welcome</title>\n<p>It works!"),
            rules=[],
            families=[],
            techniques=[],
            tags=["edge:spelled-strings-0"],
            count=1,
            smallest={
                "body": PLAIN,
                "headers": [["content-type", "application/json; charset=utf-8"], ["accept", None]],
            },
            twin=None,
        ),
        finding(
            fingerprint="feedfacefeedface",
            kind="crashed",
            verdict="unspecified",
            expected="accepted or rejected",
            sentence=f"{CRASHES}; ambiguity: text-encoding; found by probe:text-encoding, as:utf-16.",
            got=_crashed(response="\\xff\\xfe{\\x00"),
            rules=[],
            ambiguities=["text-encoding"],
            families=[],
            techniques=[],
            tags=["probe:text-encoding"],
            count=1,
            smallest=raw('{"number":"0"}'.encode("utf-16")),
            twin=None,
        ),
    ]


def _rules() -> list[dict[str, Any]]:
    """All rules of the contract. The rules in `findings()` have findings, and the other rules have none."""
    wrong = {one["rule"]: (found["count"], found["kind"]) for found in findings() for one in found["rules"]}
    rows = []
    for one in load_contract().rules[OFFER]:
        count, kind = wrong.get(one.id, (0, "invalid-accepted"))
        counts = {
            **NONE,
            "unproven": 0,
            "why": None,
            "rejected": 5 + 3 * len(one.site) % 40,
            "accepted" if kind == "invalid-accepted" else "crashed": count,
        }
        rows.append({"rule": one.id, "site": one.site, "keyword": one.keyword, **counts})
    return rows


def _ambiguities() -> list[dict[str, Any]]:
    probe = {"id": "00000000000000cc", "body": {**PLAIN, "deliveryScheduleCron": "0 0 L * *"}}
    other = {"id": "00000000000000dd", **raw('{"number":"0"}'.encode("utf-16"))}
    counts = {
        "timestamp-format.offset": ("rejected", {"rejected": 115}, {"rejected": probe}),
        "cron-syntax": ("accepted", {"accepted": 34}, {"accepted": probe}),
        "string-length": (
            "mixed",
            {"accepted": 20, "rejected": 11, "crashed": 2},
            {"accepted": probe, "rejected": other, "crashed": other},
        ),
        "text-encoding": ("unclear", {"crashed": 1, "timeout": 1}, {"crashed": other, "timeout": other}),
        "duplicate-properties": ("mixed", {"accepted": 12, "rejected": 4}, {"accepted": probe, "rejected": other}),
    }
    questions = {one.id: one.question for one in load_contract().ambiguities}
    return [
        {
            **ambiguity(name, **numbers),
            "question": questions.get(name, "What is done with it?"),
            "behaviour": behaviour,
            "examples": examples,
        }
        for name, (behaviour, numbers, examples) in counts.items()
    ]


def _timing() -> dict[str, Any]:
    edges = [
        0.0005,
        0.0006,
        0.0008,
        0.001,
        0.0012,
        0.0016,
        0.002,
        0.0024,
        0.0032,
        0.004,
        0.0048,
        0.0064,
        0.008,
        0.0096,
        0.0128,
        0.016,
        0.0192,
        0.0256,
    ]
    counts = [6, 7, 4, 11, 20, 104, 169, 197, 628, 787, 768, 891, 815, 324, 156, 48, 19, 3]
    bars = [{"below": below, "count": count} for below, count in zip(edges, counts, strict=True)]
    spans = [
        {"from": 0.25 * n, "seconds": 0.25, "requests": 470 + n * 37 % 200, "failed": n * n * 7 % 31} for n in range(12)
    ]
    return {
        "latency": {"least": 0.000428, "p50": 0.006836, "p90": 0.011719, "p99": 0.015625, "most": 5.000211},
        "histogram": [*bars, {"below": 4.0, "count": 0}, {"below": 5.12, "count": 4}],
        "throughput": spans,
    }


def example(**changes: Any) -> dict[str, Any]:
    """A campaign with eleven findings, of which one is known."""
    said = {
        "started": "2026-11-21T11:48:17Z",
        "seconds": 3.253,
        "cases": 5143,
        "requests": 5768,
        "left_out": 12,
        "counts": {
            "valid": {"accepted": 484, "rejected": 246, "crashed": 86, "timeout": 4},
            "invalid": {"accepted": 223, "rejected": 3603, "crashed": 19, "timeout": 0},
            "unspecified": {"accepted": 264, "rejected": 212, "crashed": 2, "timeout": 0},
        },
        "findings": findings(),
        "ambiguities": _ambiguities(),
        "rules": _rules(),
        "unproven": {
            "count": 570,
            "rules": [f"{OFFER}/number:minLength"],
            "examples": [
                {
                    "why": "the twin (the valid counterpart) was not accepted (status 400)",
                    "rule": f"{OFFER}/number:required",
                    "technique": "removed",
                    "case": "7f19c5dc0d873ffe",
                    "twin": {"id": "df5c8ca057279c8c", "body": PLAIN},
                    "got": got(answer="rejected", status=400, reason="status 400", response=REJECTED),
                    "count": 566,
                }
            ],
            "retested": 12,
        },
        "elsewhere": [
            {
                "rule": f"{OFFER}/orderMinimum:minimum",
                "at": "/orderMinimum",
                "named": ["orderMaximum"],
                "said": "orderMaximum must be at least 1",
                "case": "7f19c5dc0d873fff",
                "count": 3,
            }
        ],
        "timing": _timing(),
    }
    return document(**{**said, **changes})


def many(number: int) -> dict[str, Any]:
    """A campaign with `number` different findings."""
    kinds = findings()
    rows = [
        {**kinds[index % len(kinds)], "fingerprint": f"{index * 0x9E3779B97F4A7C15 % 2**64:016x}"}
        for index in range(number)
    ]
    return example(findings=rows)


def hostile_example(size: int = 0) -> dict[str, Any]:
    """The example with `HOSTILE` in all texts of the target, the contract and the messages. One response has about
    `size` additional characters.
    """
    evil = {HOSTILE: [HOSTILE, {"__proto__": HOSTILE}]}
    unprintable = {**got(), "reason": HOSTILE, "response": HOSTILE + "<script>" * (size // 8)}
    one = finding(
        fingerprint="bad0bad0bad0bad0",
        sentence=HOSTILE,
        expected=HOSTILE,
        got=unprintable,
        rules=[broken(f"{HOSTILE}:minimum", HOSTILE, HOSTILE, HOSTILE, HOSTILE)],
        ambiguities=[HOSTILE],
        places=[HOSTILE],
        families=[HOSTILE],
        techniques=[HOSTILE],
        tags=[HOSTILE],
        reproduce=HOSTILE,
        smallest={"body": evil, "headers": [[HOSTILE, HOSTILE]]},
        twin=raw(HOSTILE.encode(errors="surrogatepass")),
    )
    base = example()
    doubt = {
        **base["unproven"]["examples"][0],
        "rule": HOSTILE,
        "technique": HOSTILE,
        "why": HOSTILE,
        "got": unprintable,
    }
    return {
        **base,
        "target": HOSTILE,
        "outcome": outcome("partial", HOSTILE, 1, HOSTILE, [HOSTILE]),
        "stopped": HOSTILE,
        "headlines": [headline(one, text=HOSTILE), *base["headlines"]],
        "findings": [one, *base["findings"]],
        "ambiguities": [
            {
                **ambiguity(HOSTILE, accepted=1),
                "question": HOSTILE,
                "examples": {"accepted": {"id": "00000000000000bb", "body": evil}},
            }
        ],
        "rules": [
            {**rule(), "rule": f"{OFFER}/{HOSTILE}:minimum", "site": HOSTILE, "keyword": HOSTILE, "accepted": 3},
            *base["rules"],
        ],
        "unproven": {
            "count": 1,
            "rules": [HOSTILE],
            "examples": [doubt],
            "retested": 3,
        },
        "elsewhere": [{**base["elsewhere"][0], "rule": HOSTILE, "at": HOSTILE, "named": [HOSTILE], "said": HOSTILE}],
    }
