"""Cases of every kind for the tests of formats, and functions that export them."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.case_tags import now_tag
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.corpus import load, write
from brokerfuzz.corpus.formats import CorpusInfo, format_named
from brokerfuzz.corpus.formats.case_names import now_of
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, Verdict, Violation, load_contract

NOW = datetime(2025, 6, 15, 12, tzinfo=UTC)
OFFER = MESSAGE_TYPES[0]


@cache
def cases() -> tuple[Case, ...]:
    """Returns some cases of all message types and verdicts. Among them are faults, probes, random cases, and bytes that
    are not messages.
    """
    odd = (b"", b"\xff\xfe\x00", b"\x80", b'{"number":\r\n"1"}\r\n', b"[" * 20_000, b"[" + b" " * 2_000_000)
    found = [
        *load(OFFER, verdicts=["unspecified"]),
        *islice(random_cases(OFFER, 1, now=NOW), 300),
        *(case for message_type in MESSAGE_TYPES[1:] for case in load(message_type)),
        *(Case.judged(OFFER, body, now=NOW) for body in odd),
    ]
    mixed = {case.id: case for start in range(7) for case in found[start::7]}
    return tuple(mixed.values())


def corpus_info(contract: Contract | None = None) -> CorpusInfo:
    return CorpusInfo(contract or load_contract(), MESSAGE_TYPES, "--seed 1")


def folder(name: str, chosen: Iterable[Case], contract: Contract | None = None) -> dict[str, bytes]:
    """Exports the cases to a format that is a folder. Maps the name of each file to its content."""
    form = format_named(name)
    assert form.is_folder
    found: dict[str, bytes] = {}
    for file in form.files(iter(chosen), corpus_info(contract)):
        assert file.name not in found
        found[file.name] = b"".join(file.pieces)
    return found


RULE = f"{OFFER}/orderMinimum:minimum"
TWIN = b'{"number":"1","offerType":"Email","orderMinimum":1}'
HOSTILE = "\"'`*/-->\n### {{x}} ${x} %> \u2028\0\\"
SEEN = "seen.txt"
"""The completed test suites write each received message to this file, as one line."""


def offer(body: bytes, *faults: Fault, twin: Case | None = None, tags: Sequence[str] = ()) -> Case:
    return Case.judged(OFFER, body, faults=faults, twin=twin, tags=tags, now=NOW)


def later(time: str, technique: str, *, about_the_clock: bool = True) -> Case:
    body = b'{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"%s"}' % time.encode()
    fault = Fault(f"{OFFER}/lastUpdatedDateTimeUtc:not-in-future", "/lastUpdatedDateTimeUtc", technique)
    return offer(body, fault, tags=["at:only", *([now_tag(NOW)] if about_the_clock else [])])


def hostile() -> Case:
    """Returns a case of a contract whose names contain special characters of many languages (`HOSTILE`)."""
    verdict = Verdict("unspecified", broken=(Violation(f"{OFFER}/{HOSTILE}:type", f"/{HOSTILE}", HOSTILE, HOSTILE),))
    return Case(
        OFFER, b'{"number":"hostile"}', verdict, (Fault(f"{OFFER}/{HOSTILE}:type", f"/{HOSTILE}", HOSTILE),), (HOSTILE,)
    )


@cache
def chosen() -> tuple[Case, ...]:
    """Returns a fault with its twin, and messages with bytes that tools may misinterpret or change."""
    twin = offer(TWIN, tags=["edge:complete"])
    found = [
        twin,
        offer(TWIN.replace(b":1}", b":0}"), Fault(RULE, "/orderMinimum", "one-below"), twin=twin),
        offer(
            b'{"number":"1","offerType":"Email","comments":",\\"body\\":{{x}},\\"last\\":true}",'
            b'"description":"\xe2\x80\xa8\\t### \xc3\xa9"}'
        ),
        offer(b'{"number":"1","offerType":"Email","defaultPrice":1e16,"surcharge":0.1}'),
        offer(b'{"number":"1", "offerType":"Email"}\r\n'),
        later("2025-06-16T12:00:00Z", "day-ahead"),
        later("9999-12-31T23:59:59Z", "last-year-there-is", about_the_clock=False),
        hostile(),
        Case.judged(
            MESSAGE_TYPES[1],
            b'{"data":null,"failureMessages":[],"informationalMessages":["{{now}}"],"operationWasSuccessful":true}',
            now=NOW,
        ),
        *(case for case in cases()[::80] if len(case.body) < 10_000),
    ]
    return tuple({case.id: case for case in found}.values())


@cache
def clocked() -> frozenset[str]:
    """Returns the names of the time-dependent cases."""
    return frozenset(case.id for case in chosen() if now_of(case) is not None)


def exported(folder: Path, fmt: str) -> Path:
    write(folder, chosen(), fmt=fmt, info=corpus_info())
    return folder


def fill_in(file: Path, pattern: str, code: str) -> None:
    """Completes an exported file, as a user does: replaces the text that matches `pattern` by `code`."""
    text, count = re.subn(pattern, lambda _: code, file.read_text(encoding="utf-8"), count=1, flags=re.DOTALL)
    assert count == 1
    file.write_text(text, encoding="utf-8")
