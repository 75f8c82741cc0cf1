"""brokerfuzz reports no finding about the correct services in `benchmarks/stacks`. Each service uses a different
library.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE, Popen

import chosen_campaigns
import pytest
from hand_made_programs import answers
from sampled import sample

from benchmarks.stacks.habits import STACKS, Duplicates, Stack
from brokerfuzz.campaign.results import Result
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import plainest
from brokerfuzz.cases.plan import Plan
from brokerfuzz.schemas import PolicyValues
from brokerfuzz.targets import HttpTarget, LineTarget, Target

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAST, FUTURE = datetime(2020, 1, 1, 12, tzinfo=UTC), datetime(2030, 1, 1, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
RANDOM_PER_SEED = 2_000

TIMESTAMPS = {
    "fraction": "%Y-%m-%dT%H:%M:%S.5Z",
    "nanoseconds": "%Y-%m-%dT%H:%M:%S.123456789Z",
    "offset": "%Y-%m-%dT%H:%M:%S+02:00",
    "lower case": "%Y-%m-%dt%H:%M:%Sz",
    "space": "%Y-%m-%d %H:%M:%SZ",
    "no zone": "%Y-%m-%dT%H:%M:%S",
    "no seconds": "%Y-%m-%dT%H:%MZ",
    "date only": "%Y-%m-%d",
}
UNUSUAL = {
    "1.0": ',"orderMinimum":1.0',
    "1e400": ',"surcharge":1e400',
    "lone surrogate": r',"comments":"\ud800"',
    "NUL": r',"comments":"\u0000"',
    "relative URL": ',"pdfUrl":"a/b.pdf"',
    "host without a dot": ',"pdfUrl":"http://files/a.pdf"',
    "IP address": ',"pdfUrl":"http://192.0.2.1/a.pdf"',
    "six cron fields": ',"deliveryScheduleCron":"0 0 9 * * 1"',
}
ENCODINGS = {
    "utf-16": "UTF-16",
    "utf-32": "UTF-32",
    "surrogates": "CESU-8",
    "overlong": "overlong UTF-8",
    "other": "Latin-1",
}
DUPLICATES: dict[tuple[bool, ...], Duplicates] = {
    (True, False, True): "first",
    (False, True, True): "last",
    (False, False, True): "both",
    (False, False, False): "rejected",
}
"""A service gets three messages with a duplicate property. Only the first value, only the last value, or both values
are valid. Each key says for the three messages if the service accepts them.
"""

every_stack = pytest.mark.parametrize("stack", [pytest.param(stack, id=stack.name) for stack in STACKS])


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, stack: Stack) -> None:
    """Sets the current time of the service, and the current folder. Skips the test if the stack cannot be started."""
    if shutil.which(stack.command[0]) is None or not all(path.exists() for path in stack.needs):
        pytest.skip(
            f"the stack {stack.name} needs {stack.command[0]} {' '.join(map(str, stack.needs))}: see CONTRIBUTING.md"
        )
    monkeypatch.setenv("STACK_NOW", NOW.isoformat())
    monkeypatch.chdir(ROOT)


def lines(stack: Stack) -> LineTarget:
    return LineTarget([*stack.command, "--lines"], encoding="base64", processes=1, timeout=60)


@contextmanager
def serving(stack: Stack) -> Iterator[HttpTarget]:
    with Popen([*stack.command, "0"], stdout=PIPE) as server:
        try:
            assert server.stdout is not None
            said, port = server.stdout.readline().split()
            assert said == b"listening"
            yield HttpTarget(f"http://127.0.0.1:{int(port)}/offers", timeout=60)
        finally:
            server.terminate()


def catalogue() -> Iterator[Case]:
    return (case for _, case in Plan(message_type="offer-creation-request", now=NOW).numbered())


def random_cases(seed: int) -> Iterator[Case]:
    plan = Plan(message_type="offer-creation-request", now=NOW, seed=seed, only_random=True, count=RANDOM_PER_SEED)
    return (case for _, case in plan.numbered())


def all_cases(seeds: int) -> Iterator[Case]:
    yield from catalogue()
    for seed in range(seeds):
        yield from random_cases(seed)


def fired(cases: Iterator[Case], target: Target, policies: PolicyValues | None = None) -> Result:
    """Sends the cases. Fails if the target was not tested."""
    plain = (plainest("offer-creation-request"),)
    result = chosen_campaigns.fired(cases, target, now=NOW, shrink=20.0, policies=policies, plain=plain)
    assert result.stopped is None
    assert answered(result) == {"accepted", "rejected"}
    return result


def findings(result: Result) -> list[str]:
    return [
        f"{found.kind}: {found.body!r} {[reason.rule for reason in found.reasons]} {found.answer.reason}"
        for found in result.findings
    ]


def answered(result: Result) -> set[str]:
    """Returns the kinds of answers to messages that are clearly valid or invalid."""
    return {answer for (label, answer) in result.counts if label != "unspecified"}


def observed(stack: Stack) -> Stack:
    """Sends unusual messages to the service. Returns `stack` with the habits that the answers show."""
    probes: dict[object, bytes] = {}
    for name, form in {**TIMESTAMPS, "other": "no timestamp"}.items():
        probes |= {(name, when): updated(when.strftime(form)) for when in (PAST, FUTURE)}
    for seconds in (0, 1, 30, 31, 60, 61, 300, 301):
        probes[seconds] = updated((NOW + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ"))
    for first in (0, 1):
        for last in (0, 1):
            probes["duplicate", first, last] = offer(f',"orderMinimum":{first},"orderMinimum":{last}')
    probes |= {name: offer(properties) for name, properties in UNUSUAL.items()}
    text = offer(',"comments":"é"').decode()
    probes |= {name: text.encode(name) for name in ("UTF-16", "UTF-32", "Latin-1")}
    probes |= {"byte order mark": text.encode("utf-8-sig")}
    probes |= {
        "CESU-8": text.replace("é", "\ud83d\ude00").encode(errors="surrogatepass"),
        "overlong UTF-8": text.encode().replace(b"\xc3\xa9", b"\xc0\xaf"),
    }

    kinds = [answer.kind for answer in answers(lines(stack), *probes.values())]
    accepted = {probe for probe, kind in zip(probes, kinds, strict=True) if kind == "accepted"}
    return replace(
        stack,
        tolerance=max(probe for probe in accepted if isinstance(probe, int)),
        timestamps=frozenset(
            name for name in TIMESTAMPS if (name, PAST) in accepted and (name, FUTURE) not in accepted
        ),
        keeps_other_timestamps=("other", PAST) in accepted,
        duplicates=DUPLICATES[tuple(("duplicate", *values) in accepted for values in ((1, 0), (0, 1), (1, 1)))],
        accepts=frozenset(name for name in (*UNUSUAL, "byte order mark", *ENCODINGS.values()) if name in accepted),
    )


def offer(properties: str = "") -> bytes:
    return f'{{"number":"1","offerType":"Email"{properties}}}'.encode()


def updated(timestamp: str) -> bytes:
    return offer(f',"lastUpdatedDateTimeUtc":{json.dumps(timestamp)}')


@every_stack
@pytest.mark.every(4)
def test_a_stack_has_the_habits_in_the_table(stack: Stack) -> None:
    assert observed(stack) == stack


@every_stack
@sample(0, 30)
@pytest.mark.every(8)
def test_a_correct_service_has_no_findings_by_default_or_with_its_observed_policies(stack: Stack, size: int) -> None:
    first = fired(all_cases(seeds=size), lines(stack))
    assert findings(first) == []
    policies = {one.ambiguity.id: one.possible for one in first.ambiguities if one.contradicted and one.possible}
    assert policies["clock-tolerance"] == (str(stack.tolerance),)
    assert policies["duplicate-properties"] == (stack.duplicates,)
    assert {name: policies[f"encoding.{name}"] for name in ENCODINGS} == {
        # overlong quotes do not end strings in any of these services
        name: (("replaced",) if name == "overlong" else ("decoded",)) if words in stack.accepts else ("rejected",)
        for name, words in ENCODINGS.items()
    }
    for name in ("offset", "lower case", "space", "no zone", "fraction", "date only"):
        expected = ("parsed",) if name in stack.timestamps else ("rejected",)
        assert policies.get(f"timestamp-format.{name.replace(' ', '-')}", expected) == expected, (
            "no policy if properties are treated differently"
        )
    assert findings(fired(all_cases(seeds=size), lines(stack), policies)) == []


@every_stack
@pytest.mark.long
def test_a_correct_service_has_no_findings_over_http(stack: Stack) -> None:
    with serving(stack) as target:
        assert findings(fired(catalogue(), target)) == []
