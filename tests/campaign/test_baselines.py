"""The file of a baseline: its layout, what an update keeps, and files that somebody has changed."""

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, serving

SOME: Final = ("--rule", "*orderM*", "--site", "order*", "--now", "2026-03-01T12:00:00Z", "--shrink", "1s")
NAME: Final = "known.json"
LARGEST: Final = 1000

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service with a wrong acceptance, and a crash on large messages."""

    def status_of(body: bytes) -> int:
        return 201 if b'"orderMinimum":0' in body else 500 if len(body) > LARGEST + 200 else conforming(body)

    with serving(answers(status_of)) as url:
        yield url


def smallest_message(described: dict[str, Any]) -> dict[str, Any]:
    return {name: described[name] for name in ("body", "raw", "headers") if name in described}


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path(NAME).read_text())["findings"]
    return found


def test_a_baseline_is_sorted_with_few_lines_per_entry_and_contains_only_small_messages(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "--baseline", NAME, "--baseline-update", "--json")
    findings = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    written = entries()
    assert [entry["finding"] for entry in written] == sorted(findings)
    assert len(Path(NAME).read_text().splitlines()) <= 2 + 8 * len(written)
    for entry in written:
        smallest = findings[entry["finding"]]["smallest"]
        assert entry["sentence"] == findings[entry["finding"]]["sentence"]
        size = len(b64decode(smallest["raw"]) if "raw" in smallest else json.dumps(smallest["body"]))
        assert entry.get("smallest") == (smallest_message(smallest) if size <= LARGEST else None)
    assert {"smallest" in entry for entry in written} == {True, False}


def test_an_update_keeps_reasons_and_dates(run: Run, url: str) -> None:
    update = ("fire", url, *SOME, "--baseline", NAME, "--baseline-update")
    run(*update)
    entry = entries()[0]
    own = {"sentence": "Old.", "reason": "ticket 17 \u00e9", "until": "9999-12-31"}
    Path(NAME).write_text(json.dumps({"baseline": 3, "findings": [{**entry, **own}]}))
    run(*update)
    assert {**entry, **own, "sentence": entry["sentence"]} in entries()


MESSAGE: Final = '"kind": "crashed", "message": "offer-creation-request", "verdict": "valid"'
ENTRY: Final = '{"finding": "2cbdcdfc", "sentence": "A.", '


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"sentence": "A."}]', '/findings/0: "finding" is a required property'),
        (f'[{ENTRY}"until": "9999-12-31"}}, 1]', '/findings/1: 1 is not of type "object"'),
        ('[{"finding": "2cbdcdfc"}]', '/findings/0: "sentence" is a required property'),
        (f'[{ENTRY}"reason": 5}}]', '/findings/0/reason: 5 is not of type "string"'),
        (f'[{ENTRY}"until": "soon"}}]', '/findings/0/until: "soon" is not a "date"'),
        (f'[{ENTRY}{MESSAGE}, "smallest": {{}}}}]', "/findings/0/smallest: {} is not valid under any of the schemas"),
        (f'[{ENTRY}{MESSAGE}, "smallest": 1}}]', '/findings/0/smallest: 1 is not of type "object"'),
        (f'[{ENTRY}"utnil": "2026-12-31"}}]', "('utnil' was unexpected)"),
        (f'[{ENTRY}{MESSAGE}, "smallest": {{"raw": "A"}}}}]', "the message of the finding 2cbdcdfc"),
        (f'[{ENTRY}{MESSAGE}, "smallest": {{"body": {{}}, "headers": [["A", "x"]]}}}}]', "is malformed"),
        ("1", "is not a baseline"),
        ('[], "extra": 1', "is not a baseline"),
        ("[" * 10_000, "is not a baseline"),
    ],
)
def test_an_invalid_baseline_is_reported_in_one_line(run: Run, content: str, said: str) -> None:
    Path(NAME).write_text(f'{{"baseline": 3, "findings": {content}}}')
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
