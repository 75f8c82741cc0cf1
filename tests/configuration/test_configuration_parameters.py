import json
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.commands import fire
from brokerfuzz.configuration import Configuration, load, option_defaults, option_of, schema_text
from brokerfuzz.configuration.parameters import WHOLE_SECTIONS
from brokerfuzz.configuration.substituting import substituted
from brokerfuzz.errors import ConfigurationError

SECTIONS: dict[str, Any] = json.loads(schema_text())["properties"]
KEYS = {
    (section, key): node for section, found in SECTIONS.items() for key, node in found.get("properties", {}).items()
}


def configured(folder: Path, text: str) -> Configuration:
    path = folder / "brokerfuzz.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_every_key_of_the_schema_is_an_option_of_its_own() -> None:
    assert {section for section in SECTIONS if "properties" not in SECTIONS[section]} == set(WHOLE_SECTIONS)
    names = [option_of(*place) for place in (*KEYS, *zip(WHOLE_SECTIONS))]
    assert len(set(names)) == len(names)
    assert set(names) <= {param.name for param in fire.command.params}


def test_the_defaults_in_the_schema_match_the_command() -> None:
    options = {param.name: param.default for param in fire.command.params}
    for place, node in KEYS.items():
        default = options.get(option_of(*place))
        if "default" in node and isinstance(default, bool | int | float | str):
            assert default == node["default"], place


def test_a_missing_key_sets_no_default(tmp_path: Path) -> None:
    assert option_defaults(configured(tmp_path, "[target]\n[policies]\n")) == {"policies": []}
    assert option_defaults(configured(tmp_path, "")) == {}


def test_false_and_zero_set_defaults(tmp_path: Path) -> None:
    said = "[answers]\nenvelope = false\n[cases]\ncount = 0\n[reports]\nfiles = []\n"
    assert option_defaults(configured(tmp_path, said)) == {"envelope": False, "count": 0, "reports": []}


def test_files_are_relative_to_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    absolute = tmp_path / "b.json"
    said = f"""
        target.ca = "ca.pem"
        cases.contract = "../contract"
        campaign = {{ journal = "j", baseline = {str(absolute)!r} }}
        reports.files = ["r.json", "out/r.html"]
    """
    configured(tmp_path / "a", said)
    monkeypatch.chdir(tmp_path)
    assert option_defaults(load(Path("a/brokerfuzz.toml"))) == {
        "ca": str(tmp_path / "a/ca.pem"),
        "contract": str(tmp_path / "a/../contract"),
        "journal": str(tmp_path / "a/j"),
        "baseline": str(absolute),
        "reports": [str(tmp_path / "a/r.json"), str(tmp_path / "a/out/r.html")],
    }


def test_lists_are_converted_to_the_form_of_options(tmp_path: Path) -> None:
    said = (
        "[answers]\naccept = ['2xx', 304]\nreject = [422]\n[policies]\nencoding = 'rejected'\nclock-tolerance = "
        "[0, 30]\n"
    )
    expected = {"accept": "2xx,304", "reject": "422", "policies": ["encoding=rejected", "clock-tolerance=0,30"]}
    assert option_defaults(configured(tmp_path, said)) == expected


@pytest.mark.parametrize("words", [["python", "a b.py", "'"], ["x"]])
def test_a_command_becomes_a_command_line(words: list[str], tmp_path: Path) -> None:
    for value in (words, shlex.join(words)):
        assert (
            shlex.split(option_defaults(configured(tmp_path, f"[target]\nexec = {json.dumps(value)}\n"))["exec_"])
            == words
        )


SECRETS = """
[target]
url = "http://${BF_HOST:-localhost}/offers"
[target.headers]
Authorization = "Bearer ${BF_TOKEN}"
X-Price = "$$5"
"""


def command() -> tuple[click.Command, dict[str, Any]]:
    """Returns a command with parameters like those of `fire`, and a dictionary that receives the parameters of a
    call.
    """
    seen: dict[str, Any] = {}

    @click.command
    @click.argument("url", required=False)
    @click.option("-H", "--header", "headers", multiple=True, show_default=True)
    @click.option("--verdict", "verdicts", multiple=True)
    @click.option("--envelope/--no-envelope", default=True)
    @click.option("--timeout", type=float, default=10.0)
    def run(**given: Any) -> None:
        seen.update(given)

    return run, seen


def test_click_accepts_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BF_TOKEN", "hunter2")
    run, seen = command()
    defaults = option_defaults(
        configured(tmp_path, f"{SECRETS}\n[answers]\nenvelope = false\n[cases]\nverdicts = ['valid', 'invalid']\n")
    )
    CliRunner().invoke(run, ["--timeout", "5"], default_map=defaults, catch_exceptions=False)
    headers = ("Authorization:Bearer ${BF_TOKEN}", "X-Price:$$5")
    assert seen == {
        "url": "http://localhost/offers",
        "headers": headers,
        "verdicts": ("valid", "invalid"),
        "envelope": False,
        "timeout": 5.0,
    }


def test_the_command_line_overrides_the_configuration_and_then_needs_no_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BF_TOKEN", raising=False)
    run, seen = command()
    defaults = option_defaults(configured(tmp_path, SECRETS))
    CliRunner().invoke(run, ["http://other", "-H", "A:b"], default_map=defaults, catch_exceptions=False)
    assert (seen["url"], seen["headers"]) == ("http://other", ("A:b",))


def test_neither_help_nor_a_printed_default_contains_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BF_TOKEN", "hunter2")
    defaults = option_defaults(configured(tmp_path, SECRETS.replace("localhost", "me:hunter2@localhost")))
    assert "hunter2" not in repr(defaults)
    assert "hunter2" not in CliRunner().invoke(command()[0], ["--help"], default_map=defaults).output


def test_in_pyproject_the_error_about_a_missing_variable_uses_the_full_name_of_the_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BF_HOST", raising=False)
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.brokerfuzz.target]\nurl = '${BF_HOST}'\n")
    with pytest.raises(
        ConfigurationError, match=r"url in \[tool\.brokerfuzz\.target\] needs the environment variable BF_HOST"
    ):
        option_defaults(load(path))["url"]()


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "${BF_SET}": "s", "a${BF_SET}b${BF_SET}": "asbs", "${BF_EMPTY}": "", "${BF_SET:-d}": "s", "${BF_EMPTY:-d}": "d",
        "${BF_UNSET:-d}": "d",
        "${BF_UNSET:-}": "", "$$": "$", "$${BF_UNSET}": "${BF_UNSET}", "$$$$": "$$", "$$${BF_SET}": "$s",
        "$BF_UNSET": "$BF_UNSET", "5$": "5$",
        "${BF_NESTED}": "${BF_UNSET}", "${BF_UNSET:-$$}": "$$", "": "",
    }.items(),
)  # fmt: skip
def test_references_are_replaced_only_once(text: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BF_UNSET", raising=False)
    for name, value in {"BF_SET": "s", "BF_EMPTY": "", "BF_NESTED": "${BF_UNSET}"}.items():
        monkeypatch.setenv(name, value)
    assert substituted(text, "it") == expected


@given(st.text(st.sampled_from("$a{}")))
def test_two_dollar_signs_become_one(text: str) -> None:
    assert substituted(text.replace("$", "$$"), "it") == text
