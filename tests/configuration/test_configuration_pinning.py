"""Stances written into a file that is there: all else keeps its bytes."""

import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.configuration import load, option_defaults, pin_stances, template
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.contract import STANCES

IDS = [silence.id for silence in load_contract().silences]

BEFORE = ["", "# a comment\n", '[target]\nurl = "http://a"  # mine\n', '[target]\ncall = "a:b"\n\n', "[cases]\nrules = [\n  '[stances]',\n]\n"]
TABLES = [
    "",
    "[stances]\n",
    "[stances] # ours\n# encoding = 'reject', said Ann\n",
    '[ \'stances\' ]\n# How long?\n# string-length = "unspecified"\n\n# Which?\n# encoding = "unspecified"\n',
    "[stances]\nencoding = 'accept' # because\n\n# item-count = \"unspecified\"\n",
    "  [stances]\n    encoding = 'accept'\n",
]
AFTER = [
    "",
    "\n# Of the reports.\n[reports]\nfiles = ['[stances]']\n",
    "[campaign]\nmax-time = '5s' # at most",
    '[campaign]\njournal = """\n[stances]\n"""\n',
]
INLINE = ["stances = {}\n", "stances = { encoding = 'accept' } # one\n", "stances.encoding = 'accept'\nstances.item-count = 'reject'\n"]
FILES = st.builds("{}{}{}".format, st.sampled_from(BEFORE), st.sampled_from(TABLES), st.sampled_from(AFTER)) | st.builds(
    "{}{}".format, st.sampled_from(INLINE), st.sampled_from(AFTER)
)
OTHERS = ["", "[project]\nname = 'x'\n", "[tool.ruff]\nline-length = 150\n\n", "# [tool.brokerfuzz.stances]\n[tool.a]\n[b]\n"]
SECTION = re.compile(r"^(\s*)\[\s*('?(?:target|cases|stances|reports|campaign)'?)\s*\]", re.MULTILINE)


def in_project(text: str, others: str, above: str) -> str:
    """The same in `pyproject.toml`, with other tools' tables around it."""
    inline = text if text.startswith("stances") else ""
    return others + (f"[tool.brokerfuzz]\n{inline}" if inline else "") + SECTION.sub(r"\1[tool.brokerfuzz.\2]", text[len(inline) :]) + above


PROJECTS = st.builds(
    in_project, FILES.map(lambda text: text if text.endswith("\n") else f"{text}\n"), st.sampled_from(OTHERS), st.sampled_from(["", "[tool.mypy]\n"])
)
PINS = st.dictionaries(st.sampled_from([*IDS[:4], "encoding", "item-count", "string-length", "one of mine"]), st.sampled_from(STANCES), max_size=4)


def stances_of(path: Path) -> Mapping[str, str]:
    content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    for name in ("tool", "brokerfuzz", "stances") if path.name == "pyproject.toml" else ("stances",):
        content = content.get(name, {})
    return content


def check_pinning(name: str, text: str, pins: Mapping[str, str], end: str, mark: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes((mark + text.replace("\n", end)).encode())
        old = stances_of(path)
        written = pin_stances(path, pins)
        assert written == [silence for silence in pins if silence not in old]
        assert stances_of(path) == {**pins, **old}
        after = path.read_bytes().decode()
        assert after.startswith(mark)
        after = after.removeprefix(mark)
        if not text.lstrip("#").startswith("stances = {") and "\nstances = {" not in text:
            check_lines(text.replace("\n", end).split(end), after.split(end), {silence: pins[silence] for silence in written})
        if end == "\r\n":
            assert "\n" not in after.replace("\r\n", "")
        assert pin_stances(path, pins) == []
        assert path.read_bytes().decode() == mark + after


def check_lines(old: list[str], new: list[str], written: Mapping[str, str]) -> None:
    """Every line is there in its order, but for those that the template has commented out; what is new is stances and their header."""
    given_way = {f'# {silence} = "unspecified"' for silence in written}
    rest = iter(new)
    extra = []
    for line in (line for line in old if line not in given_way):
        for other in rest:
            if other == line:
                break
            extra.append(other)
        else:
            assert line == "", f"{line!r} is gone"
    extra += rest
    keys = "|".join(re.escape(silence) for silence in written)
    assert all(re.fullmatch(rf'(|\[(tool\.brokerfuzz\.)?stances\]|(stances\.)?"?({keys})"? = "\w+"|# .* = "unspecified")', line) for line in extra), (
        extra
    )


@given(FILES, PINS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_stances_join_a_file_and_nothing_else_changes(text: str, pins: Mapping[str, str], end: str, mark: str) -> None:
    check_pinning("brokerfuzz.toml", text, pins, end, mark)


@given(PROJECTS, PINS, st.sampled_from(["\n", "\r\n"]))
def test_stances_join_a_pyproject_and_nothing_else_changes(text: str, pins: Mapping[str, str], end: str) -> None:
    check_pinning("pyproject.toml", text, pins, end, "")


@given(st.dictionaries(st.sampled_from(IDS), st.sampled_from(STANCES)))
def test_in_the_template_a_stance_takes_its_own_place(pins: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "brokerfuzz.toml")
        assert pin_stances(path, pins) == list(pins)
        assert path.exists() == bool(pins)
        expected = template()
        for silence, stance in pins.items():
            expected = expected.replace(f'# {silence} = "unspecified"\n', f'{silence} = "{stance}"\n')
        if pins:
            assert path.read_text() == expected
            assert option_defaults(load(path))["stances"] == [f"{silence}={pins[silence]}" for silence in IDS if silence in pins]


def test_a_stance_stands_with_the_others_and_not_below_the_comment_of_what_follows(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("[stances]\nencoding = 'accept'\n\n# Of the cases.\n[cases]\nseed = 1\n")
    pin_stances(path, {"item-count": "reject"})
    assert path.read_text() == "[stances]\nencoding = 'accept'\nitem-count = \"reject\"\n\n# Of the cases.\n[cases]\nseed = 1\n"


@pytest.mark.parametrize("text", ["[tool]\nbrokerfuzz = { target = { timeout = 1 } }\n", "tool = { brokerfuzz = {} }\n", "tool = 5\n", "[[tool]]\n"])
def test_a_form_that_cannot_be_added_to_is_said_and_stays(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match='cannot be added to: add encoding = "reject" yourself'):
        pin_stances(path, {"encoding": "reject"})
    assert path.read_text() == text


def test_a_pyproject_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not there: name one that is"):
        pin_stances(tmp_path / "pyproject.toml", {"encoding": "reject"})


def test_what_is_no_stance_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    with pytest.raises(ConfigurationError, match="encoding in \\[stances\\] is 'maybe'"):
        pin_stances(path, {"encoding": "maybe"})
    path.write_text("[stances]\nencoding = 5\n")
    with pytest.raises(ConfigurationError, match="encoding in \\[stances\\] is 5"):
        pin_stances(path, {"item-count": "reject"})
    assert path.read_text() == "[stances]\nencoding = 5\n"


def test_a_file_keeps_its_rights_and_a_link_leads_where_it_led(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "brokerfuzz.toml"
    real.write_text("[stances]\n")
    real.chmod(0o600)
    link.symlink_to("real.toml")
    pin_stances(link, {"encoding": "reject"})
    assert link.is_symlink()
    assert real.read_text() == '[stances]\nencoding = "reject"\n'
    assert real.stat().st_mode & 0o777 == 0o600
