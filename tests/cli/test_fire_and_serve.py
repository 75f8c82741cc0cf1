import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from fixture_types import Run, Spawn, Start

SECONDS = 60
BUG = "accepts-zero-order-minimum"
RULE = "offer-creation-request/orderMinimum:minimum"


@contextmanager
def served(start: Start, *args: str) -> Iterator[str]:
    """Runs `brokerfuzz serve` as a separate process, and yields the URL."""
    with start("serve", "--port", "0", *args) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().decode().strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(SECONDS) == 0
            assert process.stderr is not None
            assert process.stderr.read() == b""


@pytest.mark.parametrize(
    "some", [("--site", "order*"), pytest.param((), marks=pytest.mark.long)], ids=["some sites", "all sites"]
)
def test_fire_finds_a_bug_that_serve_seeds(start: Start, run: Run, some: tuple[str, ...]) -> None:
    with served(start, "--bug", BUG) as url:
        done = run("fire", f"{url}/offers", *some, "--json")
    assert (done.exit_code, done.stderr) == (1, "")
    report = json.loads(done.stdout)
    assert report["target"] == f"{url}/offers"
    assert {rule["rule"] for finding in report["findings"] for rule in finding["rules"]} == {RULE}


@pytest.mark.parametrize(
    ("some", "cases"),
    [(("--tag", "in:bare"), 100), pytest.param((), 2000, marks=pytest.mark.long)],
    ids=["a part", "the whole catalogue"],
)
def test_a_conforming_service_has_no_findings(start: Start, run: Run, some: tuple[str, ...], cases: int) -> None:
    with served(start) as url:
        done = run("fire", f"{url}/offers", *some, "--count", "50", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["findings"] == []
    assert report["cases"] > cases


def test_a_demonstration_without_bugs_has_no_findings(spawn: Spawn) -> None:
    done = spawn("fire", "--demo", "--random", "--count", "30")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"demonstration service http://127.0.0.1:" in b" ".join(done.stdout.split())
    assert b"\x1b" not in done.stdout


def test_options_define_what_an_answer_means(start: Start, run: Run) -> None:
    args = ("--random", "--count", "20", "--verdict", "valid", "--json")
    with served(start) as url:
        strict = run("fire", f"{url}/offers", *args, "--accept", "200", "--reject", "201")
        away = run("fire", f"{url}/elsewhere", *args)
        other = run("fire", f"{url}/offers", *args, "-H", "X-Test: 1", "--rate", "1000", "--timeout", "5")
    assert (strict.exit_code, away.exit_code) == (2, 2)
    assert "nothing exists at this path" in away.stderr
    assert other.exit_code == 0


def test_a_policy_makes_an_ambiguity_a_finding(run: Run) -> None:
    done = run("fire", "--demo", "--verdict", "unspecified", "--policy", "nul-characters=rejected", "--json")
    assert done.exit_code == 1
    assert "ambiguity/nul-characters" in done.stdout


def test_max_time_ends_a_campaign(run: Run) -> None:
    done = run("fire", "--demo", "--count", "5000", "--max-time", "500ms", "--json")
    assert done.exit_code == 0
    assert "time" in json.loads(done.stdout)["stopped"]


def test_serve_prints_its_address_as_json(start: Start) -> None:
    with served(start, "--json", "--bug", BUG) as line:
        said = json.loads(line)
        with urlopen(f"{said['url']}/products", timeout=SECONDS) as response:
            assert response.status == 200
    assert said["bugs"] == [BUG]
    assert said["url"].startswith("http://127.0.0.1:")


def test_serve_lists_the_bugs(run: Run) -> None:
    bugs = json.loads(run("serve", "--list-bugs", "--json").stdout)["bugs"]
    assert len({bug["kind"] for bug in bugs}) == len(bugs) == 16
    assert len(run("serve", "--list-bugs").stdout.splitlines()) == len(bugs)


@pytest.mark.parametrize("command", [["fire", "--demo"], ["serve"]])
def test_the_error_about_an_unknown_bug_suggests_the_nearest(run: Run, command: list[str]) -> None:
    result = run(*command, "--bug", "accept-zero-order-minimum")
    assert result.exit_code == 2
    assert f"did you mean '{BUG}'" in result.stderr
