import re
from pathlib import Path

import pytest
from fixture_types import Run

from brokerfuzz.cli import commands
from brokerfuzz.configuration.validating import schema, validated
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.removed import KEYS, OPTIONS, SECTIONS


@pytest.mark.parametrize("option", OPTIONS)
def test_the_error_about_a_removed_option_names_its_replacement(run: Run, option: str) -> None:
    result = run("fire", option, "5")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"brokerfuzz: no such option: {option}; {OPTIONS[option]} (see brokerfuzz fire --help)\n"
    known = {name for command in commands.commands.values() for param in command.params for name in param.opts}
    assert set(re.findall(r"--[a-z-]+", OPTIONS[option])) <= known


@pytest.mark.parametrize("section", SECTIONS)
def test_the_error_about_a_removed_section_names_its_replacement(run: Run, tmp_path: Path, section: str) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text(f"[{section}]\ncron-syntax = 'accept'\n", encoding="utf-8")
    result = run("fire", "--config", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"brokerfuzz: {path}: the file has no section {section!r}: {SECTIONS[section]}\n"
    assert section not in schema()["properties"]
    assert SECTIONS[section].removeprefix("use ").strip("[]") in schema()["properties"]


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_the_error_about_a_removed_key_names_its_replacement(section: str, key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        validated({section: {key: 5}}, Path("brokerfuzz.toml"))
    assert str(caught.value) == f"brokerfuzz.toml: [{section}] has no key {key!r}: {KEYS[section, key]}"
    known = schema()["properties"][section]["properties"]
    assert key not in known
    assert KEYS[section, key].removeprefix("use ").split()[0] in known
