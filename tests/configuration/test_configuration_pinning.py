import re
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.configuration import load, option_defaults, pin_policies, template
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.schemas import load_contract

AMBIGUITIES = {ambiguity.id: ambiguity for ambiguity in load_contract().ambiguities if ambiguity.interpretations}
IDS = list(AMBIGUITIES)
POLICIES = ("accepted", "rejected", "other")

BEFORE = [
    "",
    "# a comment\n",
    '[target]\nurl = "http://a"  # mine\n',
    '[target]\ncall = "a:b"\n\n',
    "[cases]\nrules = [\n  '[policies]',\n]\n",
]
TABLES = [
    "",
    "[policies]\n",
    "[policies] # ours\n# encoding = 'rejected', said Ann\n",
    (
        '[ \'policies\' ]\n# How long?\n# string-length = ["accepted", "rejected"]\n\n# Which?\n# encoding = ["decoded", '
        '"rejected"]\n'
    ),
    '[policies]\nencoding = \'accepted\' # because\n\n# item-count = ["accepted", "rejected"]\n',
    "  [policies]\n    encoding = 'accepted'\n",
]
AFTER = [
    "",
    "\n# Of the reports.\n[reports]\nfiles = ['[policies]']\n",
    "[campaign]\nmax-time = '5s' # at most",
    '[campaign]\njournal = """\n[policies]\n"""\n',
]
INLINE = [
    "policies = {}\n",
    "policies = { encoding = 'accepted' } # one\n",
    "policies.encoding = 'accepted'\npolicies.item-count = 'rejected'\n",
]
FILES = st.builds(
    "{}{}{}".format, st.sampled_from(BEFORE), st.sampled_from(TABLES), st.sampled_from(AFTER)
) | st.builds("{}{}".format, st.sampled_from(INLINE), st.sampled_from(AFTER))
OTHERS = [
    "",
    "[project]\nname = 'x'\n",
    "[tool.ruff]\nline-length = 150\n\n",
    "# [tool.brokerfuzz.policies]\n[tool.a]\n[b]\n",
]
SECTION = re.compile(r"^(\s*)\[\s*('?(?:target|cases|policies|reports|campaign)'?)\s*\]", re.MULTILINE)


def in_project(text: str, others: str, above: str) -> str:
    """Returns the settings in `text` as a part of `pyproject.toml`, between tables of other tools."""
    inline = text if text.startswith("policies") else ""
    return (
        others
        + (f"[tool.brokerfuzz]\n{inline}" if inline else "")
        + SECTION.sub(r"\1[tool.brokerfuzz.\2]", text[len(inline) :])
        + above
    )


PROJECTS = st.builds(
    in_project,
    FILES.map(lambda text: text if text.endswith("\n") else f"{text}\n"),
    st.sampled_from(OTHERS),
    st.sampled_from(["", "[tool.mypy]\n"]),
)
PINS = st.dictionaries(
    st.sampled_from([*IDS[:4], "encoding", "item-count", "string-length", "one of mine"]),
    st.sampled_from(POLICIES),
    max_size=4,
)


def policies_of(path: Path) -> Mapping[str, str]:
    content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    for name in ("tool", "brokerfuzz", "policies") if path.name == "pyproject.toml" else ("policies",):
        content = content.get(name, {})
    return content


def check_pinning(name: str, text: str, pins: Mapping[str, str], end: str, mark: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes((mark + text.replace("\n", end)).encode())
        old = policies_of(path)
        written = pin_policies(path, pins)
        assert written == [ambiguity for ambiguity in pins if ambiguity not in old]
        assert policies_of(path) == {**pins, **old}
        after = path.read_bytes().decode()
        assert after.startswith(mark)
        after = after.removeprefix(mark)
        if not text.lstrip("#").startswith("policies = {") and "\npolicies = {" not in text:
            check_lines(
                text.replace("\n", end).split(end),
                after.split(end),
                {ambiguity: pins[ambiguity] for ambiguity in written},
            )
        if end == "\r\n":
            assert "\n" not in after.replace("\r\n", "")
        assert pin_policies(path, pins) == []
        assert path.read_bytes().decode() == mark + after


def check_lines(old: list[str], new: list[str], written: Mapping[str, str]) -> None:
    """Checks that `new` contains the lines of `old` in the same order, except comments that policies replace. All other
    lines of `new` must be policies or their header.
    """
    replaced = re.compile(rf'# "?({"|".join(map(re.escape, written))})"? = \[.*\]') if written else re.compile("(?!)")
    rest = iter(new)
    extra = []
    for line in (line for line in old if not replaced.fullmatch(line)):
        for other in rest:
            if other == line:
                break
            extra.append(other)
        else:
            assert line == "", f"{line!r} is gone"
    extra += rest
    keys = "|".join(re.escape(ambiguity) for ambiguity in written)
    assert all(
        re.fullmatch(rf'(|\[(tool\.brokerfuzz\.)?policies\]|(policies\.)?"?({keys})"? = "\w+"|# .* = \[.*\])', line)
        for line in extra
    ), extra


@given(FILES, PINS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_adding_policies_to_a_file_changes_nothing_else(
    text: str, pins: Mapping[str, str], end: str, mark: str
) -> None:
    check_pinning("brokerfuzz.toml", text, pins, end, mark)


@given(PROJECTS, PINS, st.sampled_from(["\n", "\r\n"]))
def test_adding_policies_to_a_pyproject_changes_nothing_else(text: str, pins: Mapping[str, str], end: str) -> None:
    check_pinning("pyproject.toml", text, pins, end, "")


@given(st.dictionaries(st.sampled_from(IDS), st.sampled_from(POLICIES)))
def test_in_the_template_a_policy_replaces_its_comment(pins: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "brokerfuzz.toml")
        assert pin_policies(path, pins) == list(pins)
        assert path.exists() == bool(pins)
        expected = template()
        for ambiguity, policy in pins.items():
            expected = re.sub(rf'# ("?{re.escape(ambiguity)}"?) = \[.*\]\n', rf'\1 = "{policy}"\n', expected)
        if pins:
            assert path.read_text() == expected
            assert option_defaults(load(path))["policies"] == [
                f"{ambiguity}={pins[ambiguity]}" for ambiguity in IDS if ambiguity in pins
            ]


def test_a_policy_is_inserted_after_the_others_and_before_the_comment_of_the_next_section(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("[policies]\nencoding = 'accepted'\n\n# Of the cases.\n[cases]\nseed = 1\n")
    pin_policies(path, {"item-count": "rejected"})
    assert (
        path.read_text()
        == "[policies]\nencoding = 'accepted'\nitem-count = \"rejected\"\n\n# Of the cases.\n[cases]\nseed = 1\n"
    )


@pytest.mark.parametrize(
    "text",
    ["[tool]\nbrokerfuzz = { target = { timeout = 1 } }\n", "tool = { brokerfuzz = {} }\n", "tool = 5\n", "[[tool]]\n"],
)
def test_a_file_in_an_unsupported_form_is_reported_and_not_changed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(
        ConfigurationError,
        match=r'this file: add encoding = "rejected" to the table tool\.brokerfuzz\.policies yourself',
    ):
        pin_policies(path, {"encoding": "rejected"})
    assert path.read_text() == text


def test_a_missing_pyproject_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist: specify an existing file"):
        pin_policies(tmp_path / "pyproject.toml", {"encoding": "rejected"})


def test_an_invalid_policy_is_rejected_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    with pytest.raises(ConfigurationError, match=r"encoding in \[policies\] is 0\.5"):
        pin_policies(path, {"encoding": 0.5})  # type: ignore[dict-item]
    path.write_text("[policies]\nencoding = true\n")
    with pytest.raises(ConfigurationError, match=r"encoding in \[policies\] is true"):
        pin_policies(path, {"item-count": "rejected"})
    assert path.read_text() == "[policies]\nencoding = true\n"


def test_a_file_keeps_its_permissions_and_a_symbolic_link_remains(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "brokerfuzz.toml"
    real.write_text("[policies]\n")
    real.chmod(0o600)
    link.symlink_to("real.toml")
    pin_policies(link, {"encoding": "rejected"})
    assert link.is_symlink()
    assert real.read_text() == '[policies]\nencoding = "rejected"\n'
    assert real.stat().st_mode & 0o777 == 0o600
