import json
import re
from pathlib import Path

import pytest
from fixture_types import Run, Write
from hand_made_servers import response, serving_requests

from brokerfuzz.config import SETTINGS
from brokerfuzz.target_options import substituted

OURS, OTHERS, WRONG = "[tool.brokerfuzz]\nwrong = 1\n", "[tool.ruff]\n", "wrong = 1\n"
SECRET = "hunter2"
CALLABLE = "builtins:bool"


def error(run: Run, text: str, name: str = "brokerfuzz.toml") -> str:
    """Returns the error about an invalid configuration."""
    Path(name).write_text(text, encoding="utf-8")
    result = run("fire", "--config", name)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.rstrip().isprintable()
    return result.stderr


# ------------------------------------------------------------------------------------------------------ finding the file

FOUND: dict[str, tuple[dict[str, str], str, str | None]] = {
    "none": ({"pyproject.toml": OTHERS}, "a/b", None),
    "the nearest": ({"brokerfuzz.toml": WRONG, "a/b/pyproject.toml": OURS}, "a/b/c", "a/b/pyproject.toml"),
    "that of a parent": ({"brokerfuzz.toml": WRONG, "a/b/pyproject.toml": OURS}, "a", "brokerfuzz.toml"),
    "brokerfuzz.toml before pyproject.toml": (
        {"pyproject.toml": OURS, "brokerfuzz.toml": WRONG},
        ".",
        "brokerfuzz.toml",
    ),
    "none above the repository": ({"brokerfuzz.toml": WRONG, "inner/.git/HEAD": ""}, "inner/deeper", None),
}


@pytest.mark.parametrize("which", FOUND)
def test_the_configuration_is_searched_up_to_the_top_of_the_repository(
    run: Run, folder: Path, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, here, expected = FOUND[which]
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / here).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder / here)
    said = run("fire").stderr
    assert ("no target given" if expected is None else f"{folder / expected}: unknown setting 'wrong'") in said


def test_without_a_repository_only_the_current_folder_is_searched(
    run: Run, folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("brokerfuzz.toml", WRONG)
    assert "unknown setting" in run("fire").stderr
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    assert "no target given" in run("fire").stderr


# --------------------------------------------------------------------------------------------------------------- errors

ERRORS = {
    "timeout = 0": "timeout is 0: use a finite number above 0, such as 2.5",
    "insecure = 'yes'": "insecure is 'yes': use true or false",
    "accept = [200, '3yy']": "accept is '3yy': use status codes such as 201, or classes such as 2xx",
    "now = 'yesterday'": "now is 'yesterday': use an RFC 3339 timestamp, such as 2025-06-15T12:00:00Z",
    "verdicts = ['vaild']": "verdicts is 'vaild': use valid, invalid or unspecified",
    "call = 'builtins:bool'\n[policies]\nno-such = 'accept'": "unknown ambiguity 'no-such'",
    "zzz = 1": "unknown setting 'zzz': `brokerfuzz init` writes a file that explains every setting",
    "url = 'http://a'\nexec = 'b'": "more than one target given",
    "seed = 5 5": "is not TOML (expected newline",
    f"seed = {'[' * 50_000}": "arrays that are nested too deeply",
}


@pytest.mark.parametrize("text", ERRORS, ids=lambda text: text[:30])
def test_the_error_names_the_problem_and_the_remedy(run: Run, folder: Path, text: str) -> None:
    target = "" if "url" in text or "call" in text else f"call = '{CALLABLE}'\n"
    assert ERRORS[text] in error(run, f"{target}{text}\n")


def test_every_misspelt_setting_gets_a_suggestion(run: Run, folder: Path) -> None:
    for name in SETTINGS:
        for wrong in {name[:-2] + name[-1], name.replace("-", "_"), f"{name}s"} - SETTINGS.keys():
            assert f"unknown setting {wrong!r}: did you mean " in error(run, f'"{wrong}" = 1\n')


@pytest.mark.parametrize(
    "text",
    [
        f"url = ['http://u:{SECRET}@h/']",
        f"url = 'http://u:{SECRET}@h/'\ncall = 'a:b'",
        f"headers = 'Authorization: {SECRET}'",
        f"[headers]\nAuthorization = ['{SECRET}']",
        f"auth = ['me:{SECRET}']",
        f"exec = ['{SECRET}', 5]",
    ],
)
def test_no_error_repeats_a_secret(run: Run, folder: Path, text: str) -> None:
    assert SECRET not in error(run, text)


# ------------------------------------------------------------------------------------------------------------- settings


def test_credentials_and_hooks_are_not_used_for_another_target(run: Run, write: Write) -> None:
    heads: list[bytes] = []

    def accepts(head: bytes, _: bytes) -> bytes:
        heads.append(head.lower())
        return response(201)

    write("hooks.py", "raise ValueError")
    target = ('url = "http://offers.example/"', 'hooks = "hooks.py"', 'cleanup = "DELETE /offers/{id}"')
    write("brokerfuzz.toml", *target, "[headers]", 'Authorization = "Bearer of-offers"')
    with serving_requests(accepts) as url:
        done = run("fire", url, "--rule", "*orderMinimum:minimum", "--shrink", "off")
    assert "headers, hooks and cleanup in the configuration belong to a different target" in done.stderr
    assert heads
    assert not [head for head in heads if b"authorization" in head or not head.startswith(b"post")]


def test_settings_are_the_options_of_fire_and_files_are_relative_to_the_configuration(run: Run, write: Write) -> None:
    Path("there").mkdir()
    write(
        "there/my.toml",
        "exec = ['sh', '-c', 'exit 0']",
        "verdicts = ['valid']",
        "rules = ['*orderMinimum:minimum']",
        "techniques = ['one-below']",
        "shrink = 0",
        "now = 2025-06-15T12:00:00Z",
        "reports = ['r.json']",
        "journal = 'run.ndjson'",
        "baseline = 'baseline.json'",
        "[policies]",
        "clock-tolerance = [0, 30]",
    )
    write("there/baseline.json", '{"baseline": 4, "findings": []}')
    done = run("fire", "--config", "there/my.toml", "--verdict", "invalid")
    assert {"r.json", "run.ndjson"} <= {path.name for path in Path("there").iterdir()}, done.output
    assert "1 finding" in done.stdout


def test_a_policy_of_the_command_line_replaces_those_of_the_configuration(run: Run, write: Write) -> None:
    write("brokerfuzz.toml", f"call = '{CALLABLE}'", "[policies]", "'timestamp-format.space' = 'parsed'")
    words = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--journal", "run.ndjson")
    run("fire", *words, "--shrink", "off", "--policy", "timestamp-format=rejected")
    head = json.loads(Path("run.ndjson").read_text().splitlines()[0])
    assert head["policies"]["timestamp-format.space"] == ["rejected"]


# ------------------------------------------------------------------------------------------------- environment variables


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "a${BF_SET}b${BF_SET}": "asbs", "${BF_EMPTY:-d}": "d", "${BF_UNSET:-}": "", "$${BF_UNSET}": "${BF_UNSET}",
        "$$${BF_SET}": "$s", "$BF_UNSET": "$BF_UNSET", "${BF_NESTED}": "${BF_UNSET}", "${BF_UNSET:-$$}": "$$",
    }.items(),
)  # fmt: skip
def test_references_are_replaced_only_once(text: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BF_UNSET", raising=False)
    for name, value in {"BF_SET": "s", "BF_EMPTY": "", "BF_NESTED": "${BF_UNSET}"}.items():
        monkeypatch.setenv(name, value)
    assert substituted(text, "it") == expected


def test_only_a_target_in_use_needs_its_variables(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BF_HOST", raising=False)
    write("brokerfuzz.toml", 'url = "http://${BF_HOST}/"')
    assert "the URL needs the environment variable BF_HOST" in run("fire").stderr
    assert "BF_HOST" not in run("fire", "--call", "nowhere:at_all", "--rule", "*orderMinimum:minimum").stderr


# --------------------------------------------------------------------------------------------------------- the template


def test_every_setting_of_the_template_can_be_uncommented(run: Run, write: Write) -> None:
    assert run("init").exit_code == 0
    text = Path("brokerfuzz.toml").read_text()
    assert "no target given" in run("fire").stderr
    names = set(re.findall(r"^# ([\w-]+) = ", text.partition("\n[")[0], re.MULTILINE))
    tables = set(re.findall(r"^\[(\w+)\]", text, re.MULTILINE))
    assert names | tables == SETTINGS.keys()
    write("brokerfuzz.toml", re.sub(r"^# (?=[\w\"*.-]+ = )", "", text, flags=re.MULTILINE))
    assert "more than one target given" in run("fire").stderr


def test_init_replaces_only_its_own_file_and_only_with_force(run: Run, folder: Path) -> None:
    Path("mine.toml").write_text("mine")
    Path("pyproject.toml").write_text("mine")
    Path("folder").mkdir()
    Path("dangling").symlink_to("nowhere")
    for name, words in {
        "pyproject.toml": "settings of other tools",
        "folder": "is not a file",
        "dangling": "is not a file",
        "nowhere/brokerfuzz.toml": "cannot be written (No such file or directory",
    }.items():
        assert words in run("init", name, "--force").stderr
    assert "already exists: add --force to replace it" in run("init", "mine.toml").stderr
    assert Path("mine.toml").read_text() == "mine"
    Path("mine.toml").chmod(0o600)
    assert run("init", "mine.toml", "--force").exit_code == 0
    assert oct(Path("mine.toml").stat().st_mode & 0o777) == "0o600"
