"""How much a result claims: the first line of every report, exit statuses, and what is saved after an incomplete
campaign.
"""

import json
import re
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from fixture_types import Run, Spawn, Write
from hand_made_servers import Behaviour, answers, conforming, response, sends, serving

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "off")
SLOW: Final = ("--rate", "30", "--max-time", "1.5s", "--shrink", "off", "--concurrency", "1")

pytestmark = pytest.mark.usefixtures("folder")


# -------------------------------------------------------------------------------------- how much was sent


def test_the_first_line_of_every_report_says_that_a_time_limit_ended_the_campaign(run: Run) -> None:
    names = ["r.md", "r.html", "r.xml", "r.json", "r.py"]
    with serving(answers(conforming)) as url:
        done = run("fire", url, *SLOW, *(word for name in names for word in ("--report", name)))
    assert done.exit_code == 0, done.output
    said = re.compile(r"no findings in \d+ of \d,\d\d\d cases \(the time limit of 1\.5 s was reached\)")
    assert said.match(" ".join(done.stdout.split()))
    assert said.search(Path("r.md").read_text().splitlines()[0].replace("`", ""))
    assert said.search(Path("r.html").read_text().partition("<title>")[2].partition("</title>")[0])
    assert said.match(json.loads(Path("r.json").read_text())["outcome"]["headline"])
    assert any(said.search(line) for line in Path("r.py").read_text().splitlines()[:4])
    assert any(said.match(one.text or "") for one in ET.parse("r.xml").iter("system-out"))


def test_a_complete_campaign_says_how_many_cases_it_sent(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, *FEW)
    cases = re.search(r"sent +(\d+) cases", done.stdout)
    assert cases is not None
    assert done.stdout.startswith(f"no findings in {cases[1]} cases at {url}")


def test_an_interrupted_random_campaign_without_end_says_how_many_cases_it_sent(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, "--random", *SLOW)
    assert re.match(
        r"no findings in \d+ cases \(the time limit of 1\.5 s was reached\) at ", " ".join(done.stdout.split())
    )


# -------------------------------------------------------------------------------------- resumed campaigns


def requests_in(path: str) -> int:
    return len(Path(path).read_text().splitlines()) - 1


def test_a_finished_journal_is_not_reported_as_a_result_about_the_target_that_got_nothing(run: Run) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return conforming(body)

    with serving(answers(conforming)) as url:
        first = json.loads(run("fire", url, *FEW, "--journal", "run.ndjson", "--json").stdout)
    assert first["requests"] == requests_in("run.ndjson")
    with serving(answers(status_of)) as other:
        done = run("fire", other, "--resume", "run.ndjson", "--json")
    again = json.loads(done.stdout)
    assert again["outcome"]["headline"] == f"no findings in {first['cases']} cases (all answers come from the journal)"
    assert set(received) == {received[0]}  # only the plain message, which checks that the target works
    assert again["requests"] == first["requests"] + len(received)
    with serving(sends(response(404))) as wrong:
        assert run("fire", wrong, "--resume", "run.ndjson").exit_code == 2


def test_a_resumed_campaign_counts_the_requests_of_both_runs(run: Run) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return conforming(body)

    with serving(answers(status_of)) as url:
        first = run(
            "fire",
            url,
            *FEW,
            "--journal",
            "run.ndjson",
            "--count",
            "0",
            "--rate",
            "20",
            "--max-time",
            "0.3s",
            "--concurrency",
            "1",
            "--json",
        )
        assert 0 < json.loads(first.stdout)["cases"] < 10
        done = run("fire", url, "--resume", "run.ndjson", "--json")
    document = json.loads(done.stdout)
    assert document["requests"] == requests_in("run.ndjson")
    assert document["requests"] <= len(received) <= document["requests"] + 1  # the time limit may cancel a request
    assert "journal" not in document["outcome"]["headline"]


# -------------------------------------------------------------------------------------- policies


FAILING_LATER: Final = ("calls = []", "def classify(answer):", "    calls.append(1)", "    assert len(calls) < 40")


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("answer", "words", "said"),
    [
        (
            sends(response(201)),
            ("--hooks", "hooks.py"),
            "no policy was saved, because the campaign is partial (hooks.py, line",
        ),
        (sends(response(400)), (), "no policy was saved, because the campaign is untested (the target accepted none"),
    ],
)
def test_an_incomplete_campaign_saves_no_policy_and_says_why(
    run: Run, write: Write, answer: Behaviour, words: tuple[str, ...], said: str
) -> None:
    write("hooks.py", *FAILING_LATER)
    with serving(answer) as url:
        done = run(
            "fire", url, "--verdict", "valid", "--verdict", "unspecified", "--write-config", "--shrink", "off", *words
        )
    assert done.exit_code != 0
    assert said in " ".join(done.stderr.split())
    assert not Path("brokerfuzz.toml").exists()


def test_a_complete_campaign_saves_policies(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, "--tag", "probe:integer-form", "--write-config", "--shrink", "off")
    assert "policies written to brokerfuzz.toml" in done.stderr
    assert Path("brokerfuzz.toml").exists()


# -------------------------------------------------------------------------------------- code that ends the process


EXITING_APPLICATION: Final = """
import os, sys

def app(environ, start_response):
    body = environ["wsgi.input"].read()
    if b'"orderMinimum":0' in body:
        os._exit(0)
    if b'"orderMinimum":-' in body:
        sys.exit(0)
    start_response("201 Created", [])
    return [b""]
"""
EXITING_HOOK: Final = """
import os

def classify(answer):
    os._exit(0)
"""


def test_an_application_that_ends_the_process_with_status_0_is_a_finding(spawn: Spawn, write: Write) -> None:
    write("shop.py", EXITING_APPLICATION)
    done = spawn("fire", "--app", "shop:app", "/offers", *FEW)
    assert done.returncode == 1, done.stderr
    text = " ".join(done.stdout.decode().split())
    assert "os._exit(0) was called" in text
    assert "SystemExit: 0" in text


@pytest.mark.parametrize("code", ["import os; os._exit(0)", "import sys; sys.exit(0)"])
def test_an_application_that_ends_the_process_when_it_is_imported_is_an_error(
    spawn: Spawn, write: Write, code: str
) -> None:
    write("shop.py", code)
    done = spawn("fire", "--app", "shop:app", "/offers", *FEW)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("brokerfuzz: shop cannot be imported (")


@pytest.mark.every(2)
@pytest.mark.parametrize("code", [EXITING_HOOK, f"import os; os._exit(0)\n{EXITING_HOOK}"])
def test_a_hook_that_ends_the_process_with_status_0_is_an_error(spawn: Spawn, write: Write, code: str) -> None:
    write("hooks.py", code)
    with serving(answers(conforming)) as url:
        done = spawn("fire", url, *FEW, "--hooks", "hooks.py")
        again = spawn("fire", url, *FEW, "--journal", "run.ndjson")
        assert again.returncode == 0
        replayed = spawn("replay", "run.ndjson", url, "--hooks", "hooks.py")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "os._exit(0) was called" in done.stderr.decode()
    assert replayed.returncode in ({0} if not replayed.stderr else {2})


@pytest.mark.skipif(sys.platform == "win32", reason="functions need POSIX")
def test_a_function_that_ends_its_process_with_status_0_is_a_finding(spawn: Spawn, write: Write) -> None:
    write(
        "reader.py",
        "import os",
        "def judge(body):",
        "    if b'\"orderMinimum\":0' in body:",
        "        os._exit(0)",
        "    return True",
    )
    done = spawn("fire", "--call", "reader:judge", *FEW)
    assert done.returncode == 1, done.stderr
    assert "crashed" in done.stdout.decode()
