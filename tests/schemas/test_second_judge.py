"""Compares the oracle with a second judge, which was written by hand from the contract (`tests/second_judge.py`)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations, permutations
from random import Random

import pytest
from sampled import sample
from second_judge import judge

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plainest
from brokerfuzz.cases.plan import Plan
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import MESSAGE_TYPES, Label, MessageType, Policies, PolicyValues, Verdict, check, load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\],:]')
PROPERTY = re.compile(rb'("(?:[^"\\]|\\.)*":)("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)')
NUMBERS = (
    b"0", b"1", b"2", b"1.0", b"-0", b"1e0", b"10e-1", b"-1", b"0.5", b"2147483647", b"2147483648", b"-2147483648",
    b"-2147483649", b"1e400", b"1e-400",
    b"9007199254740993", b"0.99999999999999999999", b"79228162514264337593543950335", b"79228162514264337593543950336",
    b"7e28", b"1e-28", b"1e-29",
    b"1e-99999999999999999999", b"-1e-400", b"3" * 700, b"0.1" + b"0" * 700, b"0.1e1", b"0.0", b"1.5", b"-1e400", b"9" * 40,
    b"1.00000000000000000000001", b"-" + b"9" * 10_000, b"9" * 10_000, b"-0.0", b"1E+2", b"0." + b"1" * 15, b"1" * 15, b"1e300",
    b"0e-400", b"9007199254740992", b"0.10000000000000000001", b"0.1000000000000000000", b"1" * 40, b"1" + b"0" * 40,
    b"1.7976931348623159e308", b"1.7976931348623157e308", b"1e29", b"7.9e28", b"1.5e-28", b"2147483647." + b"0" * 700 + b"1",
    b"0." + b"3" * 27, b"0." + b"3" * 400, b"1e99999999999999999999",
)  # fmt: skip
STRINGS = (
    b'""', b'" "', b'"Product List"', b'"product list"', b'"Email"', b'"\\u0000"', b'"\\ud800"', b'"\\ud83d\\ude00"',
    b'"a b-c"', b'"a  b"', b'"1a"',
    b'"2026-03-01T12:00:00Z"', b'"2026-03-01T12:00:00.001Z"', b'"2026-03-01T12:05:00Z"', b'"2026-03-01T12:05:00.5Z"',
    b'"2999-01-01t00:00:00+01:00"',
    b'"2026-03-01T14:05:00+02:00"', b'"2020-02-30T00:00:00Z"', b'"1752-12-31T23:59:59Z"', b'"2016-12-31T23:59:60Z"',
    b'"2016-12-31T20:29:60-03:30"',
    b'"2016-12-31T22:59:60Z"', b'"2026-03-01"', b'"2020-01-01 00:00:00"', b'"0001-01-01T00:00:00+01:00"',
    b'"9999-12-31T23:59:59-01:00"', b'"0000-01-01T00:00:00Z"',
    b'"2999-12-31T23:59Z"', b'"29991231T235959Z"', b'"19991231T235959Z"', b'"2999-01-01T00:00:00+0000"',
    b'"10000-01-01T00:00:00Z"', b'"+002999-01-01T00:00:00Z"',
    b'"2999-12-31T23:59:60Z"', b'"1998-12-31T23:59:60"', b'"2026-03-02T00:00Z"', b'"2026-03-03T00:00Z"',
    b'"2999-02-30T00:00:00Z"', b'" 2999-01-01"',
    b'"0 9 * * 1-5"', b'"0 9 * * 5-1"', b'"*/0 * * * *"', b'"*/59,1 * * * *"', b'"5/10 * * * *"',
    b'"0-59/5 * 1,15-20/2 12 7"', b'"60 * * * *"', b'"05 * * * *"',
    b'"http://a.bc:65536/"', b'"https://a.bc/%zz"', b'"HTTP://a.bc"', b'"http://a.bc?q/?#f?"', b'"http://a.b"',
    b'"http://a-.bc"', b'"https://u@a.bc/[1]"',
    b'"@daily"', b'"* * * * * *"', b'"* * * * *"', b'"59 23 31 12 7"', b'"*/15 0-23/2 1,15 1-6,9 0-5"', b'"0 24 * * *"',
    b'"* * 0 * *"', b'"* * * 13 *"', b'"* * * * 8"', b'"* * * JAN *"', b'"5-59/10 * * * *"', b'"*/60 * * * *"',
    b'"*  * * * *"', b'"*,5 * * * *"',
    b'"http://0"', b'"http://a.b0"', b'"http://127.0.0.1/a"', b'"https://127.0.0.a1/a"', b'"https://localhost/"', b'"/a.png"',
    b'"ftp://a.example"', b'"https://a.example/a b"', b'"https://a.example/a%20b"', b'"https://a.example:65535/"',
    b'"https://a.example:0/"', b'"https://a.example:1/"', b'"https://-a.example/"', b'"https:///a"',
    '"https://ä.example/"'.encode(), b'"https://xn--4ca.example/"', b'"https://a.example/u@"', b'"https://a.example/["',
    b'"2024-01-01T00:00:00Z"', b'"2024-01-01T00:00:00-00:30"', b'"2024-01-01T00:00:00z"', b'"2024-01-01t00:00:00Z"',
    b'"2024-01-01T00:00Z"', b'"2024-01-01T24:00:00Z"', b'"2024-01-01T00:00:60Z"', b'"2024-01-01T00:00:00,5Z"',
    b'"2024-01-01T00:00:00.Z"', b'"2024-01-01T00:00:00.123456789012345Z"', b'" 2024-01-01T00:00:00Z"',
    b'"2024-01-01T00:00:00Z\\n"', '"２０２４-01-01T00:00:00Z"'.encode(), b'"1704067200"', b'"2024-01-01T00:00:00+0200"',
    b'" Card"', b'"1st"', b'"First 1"', b'"a_b"', b'"a-b"', b'"' + b"x" * 64 + b'"', b'"' + b"x" * 65 + b'"', '"é"'.encode(),
    b'"\\udc80"', b'"\\ude00\\ud83d"', b'"a\\udfffb"', b'"\\ufffd"', b'"caf\xe9"', b'"\xed\xa0\x80"', b'"\xed\x9f\xbf"', b'"\xc0\xaf"',
    b'"\xf4\x90\x80\x80"', b'"\xed\xa0\x80\xc0\xaf"', b'"\xc0\xaf\xff"', '"😀"'.encode(),
    b'"' + b"x" * 1024 + b'"', b'"' + b"x" * 1025 + b'"', b'"' + '😀'.encode() * 1024 + b'"',
)  # fmt: skip
OTHERS = (
    b"null", b"true", b"{}", b"[]", b"[null]", b'[""]', b'[{"products":null}]', b'[{"products":[]}]', b"\xff",
    b"\xef\xbb\xbf", b",", b"]",
    b'"\xc0\xaf"', b'"\xc0\xa2"', b'"Emai\xc1\xac"', b'"\xf5\x80\x80\x80"', b'"\xed\xa0\x80"', b"NaN", b"01", b"",
)  # fmt: skip


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
    """The second judge sees only bytes, and unusual headers always touch an ambiguity."""
    cases = list(cases)
    wrong = [
        f"{case.label} with the headers {case.headers}"
        for case in cases
        if case.headers and case.label != "unspecified"
    ]
    found = [disagreement(case.message_type, case.body, case.verdict) for case in cases if not case.headers]
    return wrong + [one for one in found if one is not None]


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
    plan = Plan(message_type=message_type, now=NOW, seed=seed, only_random=True, count=count, verdicts=tuple(verdicts))
    return (case for _, case in plan.numbered())


def failed(data: bytes) -> tuple[MessageType, bytes]:
    """Returns a failed pricing response in which the property `data` occurs twice: first with null, then with
    `data`.
    """
    rest = b'"failureMessages":["a"],"informationalMessages":[],"operationWasSuccessful":false'
    return "offer-pricing-response", b'{"data":null,%b,"data":%b}' % (rest, data)


@pytest.mark.parametrize(
    ("message", "touched"),
    [
        (failed(b"{}"), {"duplicate-properties"}),
        (
            failed(b'{"customerId":"c","offers":[],"totalExtendedPrice":0}'),
            {"duplicate-properties", "envelope-consistency"},
        ),
        (
            (
                "offer-creation-request",
                b'{"number":"A","offerType":"FAX","orderMinimum":1.0,"offerType":"VDM","orderMinimum":1}',
            ),
            {"duplicate-properties"},
        ),
        (
            (
                "offer-creation-request",
                b'{"number":"A","offerType":"VDM","orderMinimum":1.0,"offerType":"FAX","orderMinimum":1}',
            ),
            {"duplicate-properties", "integer-form"},
        ),
    ],
    ids=["a relation, broken", "a relation", "a value, broken", "a value"],
)
def test_an_ambiguity_does_not_count_in_interpretations_that_break_a_rule(
    message: tuple[MessageType, bytes], touched: set[str]
) -> None:
    verdict = check(*message, now=NOW)
    assert (verdict.label, {touch.ambiguity for touch in verdict.ambiguities}) == ("unspecified", touched)
    assert judge(*message, NOW).asked == touched


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_second_judge_agrees_with_every_label_of_the_catalogue(message_type: MessageType) -> None:
    assert disagreements(case for _, case in Plan(message_type=message_type, now=NOW).numbered()) == []


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(300, 100_000)
def test_a_second_judge_agrees_with_every_label_of_random_cases(message_type: MessageType, size: int) -> None:
    assert disagreements(random_cases(message_type, size, seed=0)) == []


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(100, 100_000)
def test_a_second_judge_agrees_about_unusual_values(message_type: MessageType, size: int) -> None:
    chance = Random(3)
    strings, numbers = (list(unusual(message_type, values)) for values in (STRINGS, NUMBERS))
    for body in (*sampled(strings, size, chance), *sampled(numbers, size, chance)):
        assert disagreement(message_type, body, check(message_type, body, now=NOW)) is None
    for body in sampled(numbers, size, chance):
        for answer in ("exact", "rounded"):
            policies = load_contract().check_policies({"double-range": answer})
            assert (
                disagreement(message_type, body, check(message_type, body, now=NOW, policies=policies), policies)
                is None
            )


def sampled(bodies: list[bytes], size: int, chance: Random) -> list[bytes]:
    return chance.sample(bodies, min(size, len(bodies)))


TOLERANCES: Sequence[PolicyValues] = [
    {}, {"clock-tolerance": 0}, {"clock-tolerance": 30}, {"clock-tolerance": [15, 45]}, {"timestamp-format": "parsed"},
    {"timestamp-format": "rejected"}, {"timestamp-format": "parsed", "clock-tolerance": 0},
]  # fmt: skip


@pytest.mark.parametrize("policies", TOLERANCES, ids=str)
def test_a_second_judge_agrees_about_the_clock(policies: PolicyValues) -> None:
    settled = load_contract().check_policies(policies)
    for seconds in (-86400, -301, -300, -1, 0, 1, 15, 16, 30, 31, 45, 46, 300, 301, 86400 * 365):
        for end in ("Z", ".001Z", "+00:00", "z", ""):
            when = (NOW + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S") + end
            body = b'{"number":"A","offerType":"Email","lastUpdatedDateTimeUtc":"%b"}' % when.encode()
            verdict = check("offer-creation-request", body, now=NOW, policies=settled)
            assert disagreement("offer-creation-request", body, verdict, settled) is None


@pytest.mark.parametrize(
    "numbers", [("", "b"), ("b", ""), ("b", "b"), ("", ""), ("", "1", ""), ("b", "", "b")], ids=str
)
def test_a_second_judge_agrees_about_repeated_properties(numbers: Sequence[str]) -> None:
    body = b"{%b}" % b",".join([*(b'"number":"%b"' % number.encode() for number in numbers), b'"offerType":"Email"'])
    answers = load_contract().ambiguity("duplicate-properties").interpretations
    for some in chain.from_iterable(combinations(answers, size) for size in range(1, len(answers) + 1)):
        policies = load_contract().check_policies({"duplicate-properties": some})
        verdict = check("offer-creation-request", body, now=NOW, policies=policies)
        assert disagreement("offer-creation-request", body, verdict, policies) is None


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(300, 20_000)
def test_a_second_judge_agrees_under_any_policies(message_type: MessageType, size: int) -> None:
    chance, labels = Random(1), Counter[str]()
    for case in random_cases(message_type, size, seed=1):
        if case.verdict.ambiguities and not case.headers:
            policies = random_policies((touch.ambiguity for touch in case.verdict.ambiguities), chance)
            verdict = check(message_type, case.body, now=NOW, policies=policies)
            labels[verdict.label] += 1
            assert disagreement(message_type, case.body, verdict, policies) is None
    assert set(labels) == {"valid", "invalid", "unspecified"}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(300, 20_000)
def test_a_second_judge_agrees_about_edited_messages(message_type: MessageType, size: int) -> None:
    chance, labels = Random(2), Counter[str]()
    for case in random_cases(message_type, size, seed=2, verdicts=("valid", "unspecified")):
        body = edited(case.body, chance)
        verdict = check(message_type, body, now=NOW)
        labels[verdict.label] += 1
        assert disagreement(message_type, body, verdict) is None
    assert set(labels) == {"valid", "invalid", "unspecified"}
