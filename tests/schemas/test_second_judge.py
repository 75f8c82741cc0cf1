"""Compares the oracle with a second judge, which was written by hand from the contract (`tests/second_judge.py`)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations, islice, permutations
from random import Random

import pytest
from sampled import sample
from second_judge import judge

from brokerfuzz import catalogue, messages
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plainest
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import MESSAGE_TYPES, Label, MessageType, Policies, PolicyValues, Verdict, check, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFER: MessageType = "offer-creation-request"
EVERY_TYPE = pytest.mark.parametrize("message_type", MESSAGE_TYPES)
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\]:,]')
PROPERTY = re.compile(rb'("(?:[^"\\]|\\.)*":)("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)')
NUMBERS = (
    *b"""
    0 1 2 1.0 -0 1e0 10e-1 -1 0.5 2147483647 2147483648 -2147483648 -2147483649 1e400 1e-400 9007199254740993
    0.99999999999999999999 79228162514264337593543950335 79228162514264337593543950336 7e28 1e-28 1e-29
    1e-99999999999999999999 -1e-400 0.1e1 0.0 1.5 -1e400 1.00000000000000000000001 -0.0 1E+2 0.111111111111111
    111111111111111 1e300 0e-400 9007199254740992 0.10000000000000000001 0.1000000000000000000 1.7976931348623159e308
    1.7976931348623157e308 1e29 7.9e28 1.5e-28 0.333333333333333333333333333 1e99999999999999999999
    """.split(),
    b"1" + b"0" * 40, b"1" * 40, b"9" * 40, b"3" * 700, b"9" * 10_000, b"-" + b"9" * 10_000, b"0.1" + b"0" * 700,
    b"0." + b"3" * 400, b"2147483647." + b"0" * 700 + b"1",
)  # fmt: skip
TEXTS = rb"""
 | Product List | product list | Email | \u0000 | \ud800 | \ud83d\ude00 | a b-c | a  b | 1a |  Card | 1st | First 1 | a_b | a-b
\udc80 | \ude00\ud83d | a\udfffb | \ufffd | 2026-03-01T12:00:00Z | 2026-03-01T12:00:00.001Z | 2026-03-01T12:05:00Z
2026-03-01T12:05:00.5Z | 2999-01-01t00:00:00+01:00 | 2026-03-01T14:05:00+02:00 | 2020-02-30T00:00:00Z | 1752-12-31T23:59:59Z
2016-12-31T23:59:60Z | 2016-12-31T20:29:60-03:30 | 2016-12-31T22:59:60Z | 2026-03-01 | 2020-01-01 00:00:00
0001-01-01T00:00:00+01:00 | 9999-12-31T23:59:59-01:00 | 0000-01-01T00:00:00Z | 2999-12-31T23:59Z | 29991231T235959Z
19991231T235959Z | 2999-01-01T00:00:00+0000 | 10000-01-01T00:00:00Z | +002999-01-01T00:00:00Z | 2999-12-31T23:59:60Z
1998-12-31T23:59:60 | 2026-03-02T00:00Z | 2026-03-03T00:00Z | 2999-02-30T00:00:00Z |  2999-01-01 | 2024-01-01T00:00:00Z
2024-01-01T00:00:00-00:30 | 2024-01-01T00:00:00z | 2024-01-01t00:00:00Z | 2024-01-01T00:00Z | 2024-01-01T24:00:00Z
2999-001 | 12/31/2999 | 2026-02-28T12:00Z | 2024-01-01T00:00:60Z | 2024-01-01T00:00:00,5Z | 2024-01-01T00:00:00.Z | 2024-01-01T00:00:00.123456789012345Z
 2024-01-01T00:00:00Z | 2024-01-01T00:00:00Z\n | 1704067200 | 2024-01-01T00:00:00+0200 | 0 9 * * 1-5 | 0 9 * * 5-1 | */0 * * * *
*/59,1 * * * * | 5/10 * * * * | 0-59/5 * 1,15-20/2 12 7 | 60 * * * * | 05 * * * * | @daily | * * * * * * | * * * * *
59 23 31 12 7 | */15 0-23/2 1,15 1-6,9 0-5 | 0 24 * * * | * * 0 * * | * * * 13 * | * * * * 8 | * * * JAN * | 5-59/10 * * * *
*/60 * * * * | *  * * * * | *,5 * * * * | http://a.bc:65536/ | https://a.bc/%zz | HTTP://a.bc | http://a.bc?q/?#f? | http://a.b
http://a-.bc | https://u@a.bc/[1] | http://0 | http://a.b0 | http://127.0.0.1/a | https://127.0.0.a1/a | https://localhost/
/a.png | ftp://a.example | https://a.example/a b | https://a.example/a%20b | https://a.example:65535/ | https://a.example:0/
https://a.example:1/ | https://-a.example/ | https:///a | https://xn--4ca.example/ | https://a.example/u@ | https://a.example/["""
STRINGS = tuple(
    b'"%b"' % text
    for text in (
        *re.split(rb" \| |\n", TEXTS), "https://ä.example/".encode(), "２０２４-01-01T00:00:00Z".encode(), "é".encode(),
        "😀".encode(), b"caf\xe9", b"\xed\xa0\x80", b"\xed\x9f\xbf", b"\xc0\xaf", b"\xf4\x90\x80\x80",
        b"\xed\xa0\x80\xc0\xaf", b"\xc0\xaf\xff", b"x" * 64, b"x" * 65, b"x" * 255, b"x" * 256, "😀".encode() * 255,
    )
)  # fmt: skip
OTHERS = (
    b"null", b"true", b"{}", b"[]", b"[null]", b'[""]', b'[{"products":null}]', b'[{"products":[]}]', b"\xff",
    b"\xef\xbb\xbf", b",", b"]", b'"\xc0\xaf"', b'"\xc0\xa2"', b'"Emai\xc1\xac"', b'"\xf5\x80\x80\x80"',
    b'"\xed\xa0\x80"', b"NaN", b"01", b"",
)  # fmt: skip


def agreed(message_type: MessageType, body: bytes, policies: Policies | None = None) -> Verdict:
    """Returns the verdict of the oracle, after comparing it with the second judge's."""
    verdict = check(message_type, body, now=NOW, policies=policies)
    assert disagreement(message_type, body, verdict, policies) is None
    return verdict


def disagreement(
    message_type: MessageType, body: bytes, verdict: Verdict, policies: Policies | None = None
) -> str | None:
    """Describes what the two judges say, if they disagree. Both must find the same label, the same places of faults in
    an invalid message, and the same ambiguities of an unspecified message.
    """
    found = judge(message_type, body, NOW, policies)
    touched = {touch.ambiguity for touch in verdict.ambiguities}
    places = {broken.at for broken in verdict.broken if not broken.under}
    if found.label != verdict.label:
        return f"{found.label}: {found.ways} {verdict.brief} {policies} {body!r}"
    if (
        found.label == "invalid"
        and not policies
        and (found.places - places if len(found.ways) == 1 else places - found.places)
    ):
        return f"other places: {found.places} {places} {body!r}"
    if found.label == "unspecified" and not policies and touched != found.asked:
        return f"other questions: {found.asked} {touched} {body!r}"
    return None


def disagreements(cases: Iterable[Case]) -> list[str]:
    found = (disagreement(case.message_type, case.body, case.verdict) for case in cases)
    return [disagreed for disagreed in found if disagreed is not None]


def unusual(message_type: MessageType, values: Sequence[bytes]) -> Iterator[bytes]:
    """Yields messages in which one property has an unusual value of its type, or occurs twice."""
    body = plainest(message_type).body
    for found in PROPERTY.finditer(body):
        name, value = found.groups()
        if (values is STRINGS) == (value[:1] == b'"'):
            first, second, third = value, b"null", values[0]
            twice = [b"%b,%b%b" % (one, name, other) for one, other in permutations((first, second, third), 2)]
            for other in (*values, *OTHERS, *twice):
                yield body[: found.start(2)] + other + body[found.end(2) :]


def random_policies(ambiguities: Iterable[str], chance: Random) -> Policies:
    """Sets policies for some of the ambiguities, with one or two interpretations each."""
    contract = load_contract()
    policies = {}
    for name in sorted(set(ambiguities)):
        answers = ("0", "30", "300", "1000") if name == "clock-tolerance" else contract.ambiguity(name).interpretations
        policies[name] = chance.sample(answers, chance.choice((1, 1, 1, 2, 3)[: len(answers) + 2]))
    return contract.check_policies({name: answers for name, answers in policies.items() if chance.random() < 0.75})


def edited(body: bytes, chance: Random) -> bytes:
    """Changes or repeats a few properties of a message. A few of the changes replace another token instead."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        properties = list(PROPERTY.finditer(body))
        if not properties or chance.random() < 0.02:
            begin, end = chance.choice([match.span() for match in TOKEN.finditer(body)] or [(0, 0)])
            body = body[:begin] + chance.choice((*NUMBERS, *STRINGS, *OTHERS)) + body[end:]
            continue
        name, value = (chosen := chance.choice(properties)).groups()
        like = (
            (STRINGS if value[:1] == b'"' else NUMBERS if value[:1] in b"-0123456789" else OTHERS)
            if chance.random() < 0.9
            else (NUMBERS + OTHERS)
        )
        new = name + chance.choice((*like, *(other[2] for other in properties)) if chance.random() < 0.8 else like)
        if chance.random() < 0.2:
            new = b",".join(chance.sample([new, chosen[0]], 2))
        body = body[: chosen.start()] + new + body[chosen.end() :]
    return body


def random_cases(
    message_type: MessageType, count: int, seed: int, verdicts: Sequence[Label] = LABELS
) -> Iterator[Case]:
    return islice(messages(message_type, seed, verdicts=verdicts, now=NOW), count)


@EVERY_TYPE
@sample(4, 1)
def test_a_second_judge_agrees_with_every_label_of_the_catalogue(message_type: MessageType, size: int) -> None:
    assert disagreements(islice(catalogue(message_type, now=NOW), 0, None, size)) == []


@EVERY_TYPE
@sample(200, 20_000)
def test_a_second_judge_agrees_about_random_cases_and_edited_messages_under_any_policies(
    message_type: MessageType, size: int
) -> None:
    chance, changed, settled = Random(1), Counter[str](), Counter[str]()
    cases = list(random_cases(message_type, size, seed=1))
    assert disagreements(cases) == []
    for case in (case for case in cases if case.label != "invalid"):
        changed[agreed(message_type, edited(case.body, chance)).label] += 1
        if case.verdict.ambiguities:
            policies = random_policies((touch.ambiguity for touch in case.verdict.ambiguities), chance)
            settled[agreed(message_type, case.body, policies).label] += 1
    assert set(changed) == set(settled) == {"valid", "invalid", "unspecified"}


@EVERY_TYPE
@sample(50, 100_000)
def test_a_second_judge_agrees_about_unusual_values(message_type: MessageType, size: int) -> None:
    chance = Random(3)
    strings, numbers = (list(unusual(message_type, values)) for values in (STRINGS, NUMBERS))
    for body in sampled(strings, size, chance):
        agreed(message_type, body)
    for body in sampled(numbers, size, chance):
        agreed(message_type, body)
        for answer in ("exact", "rounded"):
            agreed(message_type, body, load_contract().check_policies({"double-range": answer}))


def sampled(bodies: list[bytes], size: int, chance: Random) -> list[bytes]:
    return chance.sample(bodies, min(size, len(bodies)))


TOLERANCES: Sequence[PolicyValues] = [
    {}, {"clock-tolerance": 0}, {"clock-tolerance": 30}, {"clock-tolerance": [15, 45]}, {"timestamp-format": "parsed"},
    {"timestamp-format": "rejected"}, {"timestamp-format": "parsed", "clock-tolerance": 0},
    {"timestamp-format.other": "parsed"}, {"timestamp-format.other": "rejected", "availability-order": "accepted"},
]  # fmt: skip


PAIRS_OF_TIMES = (
    b'"2016-12-31T23:59:60Z"', b'"2016-12-31T12:00:00Z"', b'"2024/02/01"', b'"2024-01-01T00:00:00Z"', b'"2024-02-01T00:00Z"',
    b'"2024-01-01T00:00Z"',
)  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("policies", TOLERANCES, ids=str)
def test_a_second_judge_agrees_about_the_clock(policies: PolicyValues) -> None:
    settled = load_contract().check_policies(policies)
    for seconds in (-86400, -301, -300, -1, 0, 1, 15, 16, 30, 31, 45, 46, 300, 301, 86400 * 365):
        for end in ("Z", ".001Z", "+00:00", "z", ""):
            when = f"{NOW + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}{end}"
            agreed(OFFER, b'{"number":"A","offerType":"Email","lastUpdatedDateTimeUtc":"%b"}' % when.encode(), settled)
    for text in STRINGS:
        agreed(OFFER, b'{"number":"A","offerType":"Email","lastUpdatedDateTimeUtc":%b}' % text, settled)
    for times in permutations(PAIRS_OF_TIMES, 2):
        agreed(
            OFFER, b'{"number":"A","offerType":"Email","availableStartDate":%b,"availableEndDate":%b}' % times, settled
        )


PRICING: MessageType = "offer-pricing-response"
FAILED = b'{"data":null,"failureMessages":["a"],"informationalMessages":[],"operationWasSuccessful":false,"data":%b}'
REPEATED: list[tuple[MessageType, bytes, set[str]]] = [
    (OFFER, b'{"number":"","number":"b","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"b","number":"","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"b","number":"b","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"","number":"","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"","number":"1","number":"","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"b","number":"","number":"b","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"1","number":"2","number":"","number":"3","offerType":"Email"}', {"duplicate-properties"}),
    (OFFER, b'{"number":"A","offerType":"FAX","orderMinimum":1.0,"offerType":"VDM","orderMinimum":1}', {"duplicate-properties"}),
    (OFFER, b'{"number":"A","offerType":"VDM","orderMinimum":1.0,"offerType":"FAX","orderMinimum":1}', {"duplicate-properties", "integer-form"}),
    (PRICING, FAILED % b"{}", {"duplicate-properties"}),
    (PRICING, FAILED % b'{"customerId":"c","offers":[],"totalExtendedPrice":0}', {"duplicate-properties", "envelope-consistency"}),
]  # fmt: skip
"""Messages with a repeated property, and the ambiguities that they touch: those of an interpretation that breaks a rule do
not count.
"""


@sample(100, 10_000)
def test_a_second_judge_agrees_about_numbers_that_are_equal(size: int) -> None:
    body = b'{"number":"A","offerType":"Email","priceClasses":[{"name":"n","priceTiers":[{"price":%b},{"price":%b}]}]}'
    bodies = [body % pair for pair in combinations((*NUMBERS, b"1e40", b"7" + b"0" * 28), 2)]
    for pair in (body % (b"1", b"1.0"), *sampled(bodies, size, Random(5))):
        agreed(OFFER, pair)


AT_THE_EDGE = {
    b'"lastUpdatedDateTimeUtc":"2026-03-01T12:00:0%bZ"': (b"1", b"0"),
    b'"orderMinimum":9,"orderMaximum":%b': (b"8", b"9"),
    b'"priceClasses":[{"priceTiers":[{"price":1,"minimumQuantity":9,"maximumQuantity":%b}]}]': (b"8", b"9"),
    b'"priceClasses":[{"priceTiers":[{"price":1,"pageCounts":[{"price":1,"minimumPages":9,"maximumPages":%b}]}]}]': (b"8", b"9"),
    b'"fixedOrderQuantities":[%b,9],"orderMinimum":3,"orderMaximum":9': (b"2", b"3"),
    b'"fixedOrderQuantities":[3,%b],"orderMinimum":3,"orderMaximum":9': (b"10", b"9"),
    b'"availableStartDate":"2024-01-01T00:00:00Z","availableEndDate":"2024-01-01T00:00:0%bZ"': (b"0", b"1"),
    b'"accessGroups":["a","b",%b]': (b'"a"', b'"A"'),
    b'"priceClasses":[{"price":1},{"price":1.%b}]': (b"0", b"5"),
    b'"productClusters":[{"id":null},{"id":null%b}]': (b"", b',"products":null'),
    b'"productClusters":[{"products":[%b]}]': (
        b'{"productId":"p","productQuantityInOffer":1},{"productId":"p","productQuantityInOffer":1,"pageCount":1}',
        b'{"productId":"p","productQuantityInOffer":1},{"productId":"q","productQuantityInOffer":1}',
    ),
}  # fmt: skip
"""Maps properties to two values in place of `%b`: one that raises a question, and the nearest one that does not."""


def test_a_second_judge_agrees_at_the_edge_of_questions_about_several_values() -> None:
    for properties, values in AT_THE_EDGE.items():
        bodies = [b'{"number":"A","offerType":"Email",%b}' % (properties % value) for value in values]
        assert [agreed(OFFER, body).label for body in bodies] == ["unspecified", "valid"], properties


@pytest.mark.parametrize("name", [rb"\ude00\ud83d", rb"\ud800", rb"a\udfffb~/"])
def test_the_place_of_an_unknown_property_can_be_written_as_utf_8(name: bytes) -> None:
    agreed(OFFER, b'{"number":"A","offerType":"Email","%b":1}' % name)


@pytest.mark.parametrize(
    "pair", [rb'"\ud800","\ud801"', rb'"\ude00\ud83d","\ude00\ud83d"', b'"\\ude00\\ud83d","\xc0\xff"']
)
def test_a_second_judge_agrees_about_items_that_differ_in_a_lone_surrogate(pair: bytes) -> None:
    agreed(OFFER, b'{"number":"A","offerType":"Email","accessGroups":[%b]}' % pair)


@pytest.mark.parametrize(
    "answers", ["", "last", "first", "both", "rejected", "last,first", "first,both", "first,last,both"]
)
def test_a_second_judge_agrees_about_repeated_properties(answers: str) -> None:
    for message_type, body, touched in REPEATED:
        if answers:
            agreed(message_type, body, load_contract().check_policies({"duplicate-properties": answers.split(",")}))
        else:
            verdict = agreed(message_type, body)
            assert {touch.ambiguity for touch in verdict.ambiguities} == touched


OVERLONG = (
    b'{"number":"\xc0\xa2","offerType":"Email"}', b'{"number":"\xc0\xaf","offerType":"Email"}',
    b'{"numb\xc1\xa5r":"1","offerType":"Email"}', b'{"number":"1","offerType":"Emai\xe0\x81\xac"}',
    b'{"number":"1","offerType":"\xc1\x81"}',
)  # fmt: skip


@pytest.mark.parametrize("answer", ["decoded", "replaced", "rejected"])
def test_a_second_judge_agrees_about_overlong_characters(answer: str) -> None:
    for body in OVERLONG:
        agreed(OFFER, body)
        agreed(OFFER, body, load_contract().check_policies({"encoding.overlong": answer}))


PRICED = (
    b'{"data":{"customerId":"a","offers":[{"offerId":"x","unitPrice":%b,"quantity":%d,"extendedPrice":%b}],'
    b'"totalExtendedPrice":%b},"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}'
)
SUMS = (
    (b"1e-07", 1, b"1e-07", b"1e-07"), (b"1e-07", 1, b"1e-07", b"0.0"), (b"0.1", 3, b"0.3", b"0.3"),
    (b"0.1", 3, b"0.30000000000000004", b"0.30000000000000004"), (b"0.1", 3, b"0.3", b"0.30000000000000004"),
    (b"0.3334", 3, b"1", b"1"), (b"2.5", 1, b"2.504", b"2.504"), (b"2.5", 1, b"2.5", b"2.504"),
    (b"2.5", 1, b"2.496", b"2.496"), (b"2.5", 1, b"1.5", b"1.5"), (b"1.25", 3, b"2.5", b"2.5"), (b"1", 2, b"2.5", b"2.5"),
    (b"1e308", 2147483647, b"2.5", b"2.5"), (b"1", 1, b"9" * 400, b"1"), (b"0", 2, b"0", b"0"),
)  # fmt: skip
"""The price of a unit, the quantity, the extended price, and the total."""
POLICIES_ABOUT_SUMS: Sequence[PolicyValues] = [
    {}, {"price-arithmetic": "accepted"}, {"price-arithmetic": "rejected"}, {"price-rounding": "accepted"},
    {"price-rounding": "rejected"}, {"price-arithmetic": "rejected", "price-rounding": "accepted"},
    {"price-arithmetic": ["accepted", "rejected"], "price-rounding": "rejected"},
]  # fmt: skip


@pytest.mark.parametrize("policies", POLICIES_ABOUT_SUMS, ids=str)
def test_a_second_judge_agrees_about_sums(policies: PolicyValues) -> None:
    settled = load_contract().check_policies(policies)
    assert [agreed(PRICING, PRICED % numbers, settled).label for numbers in SUMS].count("valid") >= 3


def test_a_second_judge_agrees_about_the_sum_of_a_large_and_a_tiny_price() -> None:
    offers = b'{"offerId":"x","unitPrice":0,"quantity":1,"extendedPrice":1e-99999},{"offerId":"y","unitPrice":0,"quantity":1,"extendedPrice":1e15}'
    data = b'{"customerId":"a","offers":[%b],"totalExtendedPrice":1e15}' % offers
    agreed(PRICING, b'{"data":%b,"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}' % data)
