"""The file of a baseline: its layout, what an update keeps, and files that somebody has changed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, serving

SOME: Final = ("--rule", "*orderM*", "--site", "order*", "--now", "2026-03-01T12:00:00Z", "--shrink", "1s")
NAME: Final = "known.json"

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service with a wrong acceptance, and a crash on large messages."""

    def status_of(body: bytes) -> int:
        return 201 if b'"orderMinimum":0' in body else 500 if len(body) > 1200 else conforming(body)

    with serving(answers(status_of)) as url:
        yield url


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path(NAME).read_text())["findings"]
    return found


def test_a_baseline_is_sorted_and_contains_the_sentence_and_the_first_case_of_each_finding(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "--baseline", NAME, "--baseline-update", "--json")
    findings = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    written = entries()
    assert [entry["finding"] for entry in written] == sorted(findings)
    assert len(Path(NAME).read_text().splitlines()) <= 2 + 4 * len(written)
    for entry in written:
        finding = findings[entry["finding"]]
        assert (entry["sentence"], entry["case"]) == (finding["sentence"], finding["case"]["id"])


def test_an_update_keeps_reasons_and_dates(run: Run, url: str) -> None:
    update = ("fire", url, *SOME, "--baseline", NAME, "--baseline-update")
    run(*update)
    entry = entries()[0]
    own = {"sentence": "Old.", "reason": "ticket 17 \u00e9", "until": "9999-12-31"}
    Path(NAME).write_text(json.dumps({"baseline": 4, "findings": [{**entry, **own}]}))
    run(*update)
    assert {**entry, **own, "sentence": entry["sentence"]} in entries()


ENTRY: Final = '{"finding": "2cbdcdfc", "sentence": "A.", '


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"sentence": "A."}]', '/findings/0: "finding" is a required property'),
        (f'[{ENTRY}"until": "9999-12-31"}}, 1]', '/findings/1: 1 is not of type "object"'),
        ('[{"finding": "2cbdcdfc"}]', '/findings/0: "sentence" is a required property'),
        (f'[{ENTRY}"reason": 5}}]', '/findings/0/reason: 5 is not of type "string"'),
        (f'[{ENTRY}"until": "soon"}}]', '/findings/0/until: "soon" is not a "date"'),
        (f'[{ENTRY}"case": "2cbdcdfc"}}]', '/findings/0/case: "2cbdcdfc" does not match'),
        (f'[{ENTRY}"utnil": "2026-12-31"}}]', "('utnil' was unexpected)"),
        ("1", "is not a baseline"),
        ('[], "extra": 1', "is not a baseline"),
        ("[" * 10_000, "is not a baseline"),
    ],
)
def test_an_invalid_baseline_is_reported_in_one_line(run: Run, content: str, said: str) -> None:
    Path(NAME).write_text(f'{{"baseline": 4, "findings": {content}}}')
    assert_rejected(run, said)


def test_a_file_that_is_no_baseline_or_missing_is_reported_with_the_remedy(run: Run) -> None:
    assert_rejected(run, "does not exist: specify a baseline, or add --baseline-update")
    for content in ("", "[]", "{}", '{"baseline": 7, "findings": []}'):
        Path(NAME).write_text(content)
        assert_rejected(run, "is not a baseline", "--baseline-update")


def assert_rejected(run: Run, *words: str) -> None:
    done = run("fire", "http://127.0.0.1:1/", *SOME, "--baseline", NAME)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert all(some in done.stderr for some in words), done.stderr
