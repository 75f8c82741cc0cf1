"""What `fire` does with its options: which cases it sends, what it prints and what it writes."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import Result
from fixture_types import Run
from hand_made_servers import answers, recording, response, serving, serving_requests
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.cases.case import message_id
from brokerfuzz.schemas import check

pytestmark = pytest.mark.usefixtures("folder")
FEW: Final = ("--message", PRICING, "--rule", BUG)


def report(result: Result) -> Any:
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


def rules(document: Any) -> set[str]:
    return {rule["rule"] for finding in document["findings"] for rule in finding["rules"]}


# ---------------------------------------------------------------------------------------------------- cases and answers


def test_the_configuration_contains_values_beside_other_settings(run: Run) -> None:
    with recording(lambda _: 201) as (url, received):
        values = '[values]\n"data.customerId" = ["CUS-7"]\n'
        Path("brokerfuzz.toml").write_text(f'url = "{url}"\nmessage = "{PRICING}"\n{values}')
        assert run("fire", "--tag", "random", "--random", "20", "--verdict", "valid", "--json").exit_code in (0, 2)
    assert {part.partition(b",")[0] for body in received for part in body.split(b'"customerId":')[1:]} == {b'"CUS-7"'}
    Path("brokerfuzz.toml").write_text('url = "http://127.0.0.1:1"\n[values]\nunitOfMeasure = [5]\n')
    assert "brokerfuzz.toml, 'unitOfMeasure': 5 breaks the rule unitOfMeasure:type" in run("fire").stderr


def test_observed_behaviour_can_be_copied_into_policies_and_is_then_enforced(run: Run) -> None:
    strict, args = [False], ("--message", PRICING, "--tag", "probe:envelope-consistency*", "--json")

    def status_of(body: bytes) -> int:
        return 200 if check(PRICING, body).label in (["valid"] if strict[0] else ["valid", "unspecified"]) else 400

    with serving(answers(status_of)) as url:
        first = report(run("fire", url, *args))
        assert first["findings"] == []
        lines = [f'"{one["ambiguity"]}" = "{one["behaviour"]}"' for one in first["ambiguities"]]
        decided = [line for line in lines if not line.endswith(('"mixed"', '"unclear"'))]
        assert '"envelope-consistency" = "accepted"' in decided
        Path("brokerfuzz.toml").write_text("\n".join(["[policies]", *decided]))
        assert report(run("fire", url, *args))["findings"] == []
        strict[0] = True
        assert report(run("fire", url, *args, "--shrink", "off"))["findings"]


# ---------------------------------------------------------------------------------------------------- output


def test_quiet_prints_only_the_outcome(run: Run, url: str) -> None:
    done = run("fire", url, *FEW, "--report", "r.json", "--journal", "run.ndjson", "-q")
    assert (done.exit_code, done.stderr) == (1, "")
    assert " ".join(done.stdout.split()) == f"{json.loads(Path('r.json').read_text())['outcome']['headline']} at {url}"
    assert "findings" in json.loads(run("fire", url, *FEW, "-q", "--json").stdout)
    replayed = run("replay", "r.json", url, "--quiet")
    assert (replayed.exit_code, replayed.stderr, replayed.stdout) == (1, "", "0 of 1 finding is gone, 1 still there\n")


def test_a_campaign_that_ends_early_prints_the_command_that_continues_it(
    run: Run, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTHORIZATION", "hunter2hunter2")
    own = ("--header", "X-Note: it's $5", "--max-time", "0.001s", "--shrink", "off")
    secret = ("-H", "Authorization: Bearer hunter2hunter2")
    first = ("--random", "0", "--journal", "run 1.ndjson", "--report", "findings.md")
    done = run("fire", f"{url}?a=1&b=2", *FEW, *first, *own, *secret)
    assert "the time limit of 0.001 s was reached" in done.stdout
    assert "hunter2" not in done.output
    for _ in range(2):
        (command,) = re.findall(r"^ +continue +brokerfuzz (fire .*)$", done.stdout, re.MULTILINE)
        printed = subprocess.run(["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True)
        words = printed.stdout.splitlines()
        assert words[:4] == ["fire", f"{url}?a=1&b=2", "--resume", "run 1.ndjson"]
        assert {*own, *secret[1:]} < {*words}
        assert "findings.md" not in words  # it would be overwritten
        done = run(*words)
        assert "the time limit of 0.001 s was reached" in done.stdout, done.output


def test_a_campaign_without_a_journal_says_that_it_cannot_be_continued(run: Run, url: str) -> None:
    done = run("fire", url, *FEW, "--random", "0", "--max-time", "0.001s")
    assert "impossible without a journal: add --journal FILE next time" in done.stdout


def test_every_request_names_its_message_and_its_campaign_and_explain_finds_the_message_of_a_finding(run: Run) -> None:
    log: list[tuple[str, str, bytes]] = []

    def logs(head: bytes, body: bytes) -> bytes:
        headers = dict(re.findall(r"(?m)^(x-brokerfuzz-\w+): (\w+)", head.decode().lower()))
        log.append((headers["x-brokerfuzz-case"], headers["x-brokerfuzz-campaign"], body))
        return response(lenient(body))

    some = (*FEW, "--shrink", "10s", "--journal", "run.ndjson", "--report", "report.json")
    with serving_requests(logs) as url:
        assert run("fire", url, *some).exit_code == 1
        assert run("fire", url, "--resume", "run.ndjson").exit_code == 1
    document = json.loads(Path("report.json").read_text())
    assert {campaign for _, campaign, _ in log} == {document["campaign"]}
    assert [case for case, _, _ in log] == [message_id(PRICING, body) for _, _, body in log]
    (finding,) = document["findings"]
    case, smallest = finding["case"]["id"], finding["smallest"]["id"]
    assert {case, smallest} <= {sent for sent, _, _ in log}
    assert case != smallest
    assert finding["name"] in run("explain", smallest, "report.json").stdout


# ---------------------------------------------------------------------------------------------------- demonstrations

SEEDED: Final = "accepts-zero-order-minimum"
ONE_BELOW: Final = ("--demo", "--rule", "*orderMinimum:minimum", "--technique", "one-below")


def test_a_demonstration_has_no_findings_and_takes_precedence_over_a_configured_target(run: Run) -> None:
    Path("brokerfuzz.toml").write_text('url = "http://127.0.0.1:1/"\n')
    done = run("fire", *ONE_BELOW)
    assert done.exit_code == 0
    assert "demonstration service http://127.0.0.1:" in " ".join(done.stdout.split())


def test_findings_of_a_demonstration_are_sent_again_to_a_demonstration(run: Run) -> None:
    reports = ("r.html", "r.xml", "r.json", "r.har", "r.md")
    words = (word for name in reports for word in ("--report", name))
    done = run("fire", *ONE_BELOW, "--bug", SEEDED, "--journal", "run.ndjson", *words)
    assert done.exit_code == 1
    assert "demonstration" in done.stdout.splitlines()[0]
    assert [name for name in reports if "demonstration" not in Path(name).read_text()] == []
    assert run("replay", "r.json", "--demo", "--bug", SEEDED).exit_code == 1
    assert run("replay", "r.json", "--demo").exit_code == 0
    assert run("fire", "--resume", "run.ndjson", "--demo", "--bug", SEEDED).exit_code == 1
