import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fixture_types import Run
from hand_made_servers import answers, response, serving
from pricing_reader import BUG, PRICING

from brokerfuzz.schemas import check

pytestmark = pytest.mark.usefixtures("folder")
SOME = ("--message", PRICING, "--now", "2026-01-01T00:00:00Z", "--rule", "*totalExtendedPrice*")
FUNCTION = """
from brokerfuzz import check

def read(body):
    return b'"totalExtendedPrice":-' in body or check("offer-pricing-response", body).label != "invalid"
"""


@pytest.fixture
def conforming_url() -> Iterator[str]:
    with serving(answers(lambda body: 400 if check(PRICING, body).label == "invalid" else 200)) as url:
        yield url


def report(result: Result) -> Any:
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


def rules(document: Any) -> set[str]:
    return {rule["rule"] for finding in document["findings"] for rule in finding["rules"]}


# ---------------------------------------------------------------------------------------------------- targets


@pytest.mark.rotated(2)
def test_every_kind_of_target_shows_the_same_finding(
    run: Run, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "reader.py").write_text(FUNCTION)
    (folder / "command_target.py").write_text("import sys, reader\nsys.exit(not reader.read(sys.stdin.buffer.read()))")
    answered = "    print('accepted' if reader.read(body) else 'rejected: no', flush=True)"
    (folder / "lines.py").write_text(
        f"import sys, base64, reader\nfor line in sys.stdin:\n    body = base64.b64decode(line)\n{answered}"
    )
    framed = "read = sys.stdin.buffer.read\nwhile head := read(4):\n    body = read(int.from_bytes(head))"
    (folder / "frames.py").write_text(f"import sys, reader\n{framed}\n{answered}")
    programs = [
        ["--exec", f"{sys.executable} {name}.py", "--lines", encoding]
        for name, encoding in (("lines", "base64"), ("frames", "frames"))
    ]
    targets = [[url], ["--call", "reader:read"], *programs]
    found = [report(run("fire", *target, *SOME, "--json")) for target in targets]
    assert all(rules(document) == {BUG} for document in found)
    assert len({json.dumps([finding["smallest"] for finding in document["findings"]]) for document in found}) == 1
    one = report(
        run("fire", "--exec", f"{sys.executable} command_target.py", *SOME, "--technique", "one-below", "--json")
    )
    assert rules(one) <= {BUG}
    assert one["counts"]["valid"]["rejected"] == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["http://127.0.0.1:1/", "--exec", "true"], "use only one of URL, --exec, --call, --app and --demo"),
        (["--lines", "plain", "--demo"], "--lines works only with --exec"),
        (["--call", "nowhere"], "nowhere"),
        (["--call", "no_such_module:read"], "no_such_module"),
        (["--exec", "no-such-command"], "no-such-command"),
        (["--exec", " "], "contains no program"),
        (["--demo", "--rule", "*no-such-rule*"], "unknown rule '*no-such-rule*'"),
        (["--demo", "--technique", "!one-belo"], "did you mean 'one-below'"),
        (["--demo", "--fresh", "numbr"], "unknown property 'numbr': did you mean 'number'?"),
        (["--demo", "--tag", "no-such-tag"], "no case matches the filters"),
        (["--demo", "--baseline-update"], "use --baseline FILE"),
        (["--demo", "--baseline", "none.json"], "none.json does not exist: add --baseline-update"),
        (["--demo", "--report", "report.docx"], "report.docx"),
        (["--demo", "--report", "no/folder/report.html"], "no/folder"),
        (["--app", "shop:app", "/offers", "--report", "report.har"], "report.har requires an HTTP target"),
        (["--demo", "--resume", "none.ndjson"], "none.ndjson cannot be read"),
        (["--config", "none.toml"], "none.toml does not exist"),
        (["--demo", "--policy", "no-such=accepted"], "unknown ambiguity 'no-such'"),
        (["http://127.0.0.1:1/", "--ca", "none.pem"], "none.pem"),
    ],
)
def test_an_invalid_call_is_reported_in_one_line(run: Run, args: list[str], said: str) -> None:
    result = run("fire", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_reference_service_accepts_only_offers(run: Run) -> None:
    result = run("fire", "--demo", *SOME)
    assert result.exit_code == 2
    assert (
        "the reference service (--demo) accepts only offer-creation-request messages: specify another target"
        in result.stderr
    )


# ---------------------------------------------------------------------------------------------------- which cases


def test_rules_techniques_and_tags_can_be_included_and_excluded(run: Run, url: str) -> None:
    document = report(
        run("fire", url, "--message", PRICING, "--json", "--rule", f"!{BUG}", "--tag", "!pairs:*", "--shrink", "off")
    )
    assert BUG not in rules(document)
    assert BUG not in {rule["rule"] for rule in document["rules"]}
    few = report(run("fire", url, "--message", PRICING, "--json", "--technique", "one-below"))
    assert 0 < few["cases"] < 30


def test_max_findings_ends_the_campaign(run: Run, url: str) -> None:
    document = report(run("fire", url, "--message", PRICING, "--json", "--max-findings", "1"))
    assert len(document["findings"]) == 1
    assert document["stopped"] == "the limit of 1 finding was reached"
    assert document["cases"] < 1000


# ---------------------------------------------------------------------------------------------------- baseline


def test_a_baseline_is_created_applied_and_pruned(run: Run, url: str, conforming_url: str) -> None:
    args = (*SOME, "--baseline", "known.json")
    assert run("fire", url, *args, "--baseline-update").exit_code == 0
    first = Path("known.json").read_text()
    again = run("fire", url, *args)
    assert again.exit_code == 0
    assert re.match(rf"no new findings \(1 known\) in \d+ cases at {url}\n", again.stdout)
    assert run("fire", conforming_url, *args, "--baseline-prune").exit_code == 0
    assert json.loads(Path("known.json").read_text())["findings"] == []
    assert json.loads(first)["findings"]


# -------------------------------------------------------------------------------------------------- reports and replays


def test_findings_are_sent_again_from_a_report_a_journal_or_a_case_id(run: Run, url: str, conforming_url: str) -> None:
    document = report(run("fire", url, *SOME, "--json", "--report", "report.json", "--journal", "run.ndjson"))
    case = document["findings"][0]["case"]["id"]
    now = ("--now", "2026-03-01T12:00:00Z")
    for source in (["report.json"], ["run.ndjson"]):
        still = run("replay", *source, url)
        assert still.exit_code == 1, still.stderr
        assert still.stdout.startswith("still there (accepted: status 200): ")
        gone = run("replay", *source, conforming_url)
        assert gone.exit_code == 0
        assert gone.stdout.splitlines()[-1] == "1 of 1 finding is gone"
    assert run("replay", case, url, *now).exit_code == 1
    assert json.loads(run("replay", case, conforming_url, *now, "--json").stdout)["findings"][0]["outcome"] == "gone"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["0123456789abcdef", "http://127.0.0.1:1/", "--now", "2026-03-01T12:00:00Z"],
            "the catalogue does not contain this case",
        ),
        (["none.json", "http://127.0.0.1:1/"], "none.json"),
        (["none.ndjson", "http://127.0.0.1:1/"], "none.ndjson"),
        (["http://127.0.0.1:1/"], "specify at least one journal, report or case ID"),
    ],
)
def test_an_invalid_replay_is_reported_in_one_line(run: Run, args: list[str], said: str) -> None:
    result = run("replay", *args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_end_of_the_name_selects_the_report(run: Run, url: str) -> None:
    names = ["r.html", "r.xml", "r.json", "r.har", "r.md", "r.py"]
    result = run("fire", url, *SOME, *(word for name in names for word in ("--report", name)))
    assert result.exit_code == 1
    assert all(BUG.removeprefix(f"{PRICING}/") in Path(name).read_text() or name == "r.har" for name in names)
    assert f"{', '.join(names)}\n" in result.stdout


# ---------------------------------------------------------------------------------------------------- configuration


def test_a_configuration_sets_what_the_command_line_does_not(run: Run, url: str, folder: Path) -> None:
    (folder / "brokerfuzz.toml").write_text(
        f'url = "{url}"\nmessage = "{PRICING}"\nrules = ["*totalExtendedPrice*"]\nreports = ["out.json"]\n'
    )
    (folder / "below").mkdir()
    document = report(run("fire", "--json"))
    assert (document["target"], rules(document)) == (url, {BUG})
    assert (folder / "out.json").exists()
    assert report(run("fire", "--json", "--technique", "removed"))["findings"] == []


def test_a_target_on_the_command_line_does_not_get_the_headers_in_the_configuration(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []

    async def behave(body: bytes, writer: Any) -> None:
        seen.append(body)
        writer.write(response(200))

    monkeypatch.setenv("TOKEN", "hunter2-and-more")
    (folder / "brokerfuzz.toml").write_text('url = "http://broker.example/"\n[headers]\nX-Token = "${TOKEN}"\n')
    with serving(behave) as url:
        result = run("fire", url, "--message", PRICING, "--technique", "one-below", "--json", "--shrink", "off")
    assert "headers in the configuration belong to a different target and are ignored" in result.stderr
    assert "X-Token" not in json.dumps(report(result)["request"])


def test_init_writes_a_configuration_that_can_be_used(run: Run, url: str) -> None:
    assert run("init").exit_code == 0
    assert run("init").exit_code == 2
    assert "did you mean" not in run("init", "--force").stderr
    assert run("fire", url, *SOME, "--technique", "removed").exit_code == 0


def test_observed_behaviour_is_saved_as_policies_and_then_enforced(run: Run, folder: Path) -> None:
    strict, args = [False], ("--message", PRICING, "--verdict", "unspecified", "--json")

    def status_of(body: bytes) -> int:
        return 400 if strict[0] or check(PRICING, body).label == "invalid" else 200

    with serving(answers(status_of)) as url:
        first = run("fire", url, *args, "--write-config")
        assert report(first)["findings"] == []
        assert "policies written to brokerfuzz.toml" in first.stderr
        assert 'envelope-consistency = "accepted"' in (folder / "brokerfuzz.toml").read_text()
        assert report(run("fire", url, *args))["findings"] == []
        strict[0] = True
        assert report(run("fire", url, *args, "--no-preflight", "--shrink", "off"))["findings"]
