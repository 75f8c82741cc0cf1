"""Options and keys that are gone name the ones that replace them."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from brokerfuzz.commands import fire
from brokerfuzz.configuration.validating import schema, validated
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.removed import KEYS, OPTIONS

Run = Callable[..., Result]


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_that_is_gone_names_the_one_to_use(run: Run, option: str) -> None:
    result = run("fire", option, "5")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"brokerfuzz: no such option: {option}; {OPTIONS[option]} (brokerfuzz fire --help tells more)\n"
    known = {name for param in fire.command.params for name in param.opts}
    assert set(re.findall(r"--[a-z-]+", OPTIONS[option])) <= known


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_a_key_that_is_gone_names_the_one_to_use(section: str, key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        validated({section: {key: 5}}, Path("brokerfuzz.toml"))
    assert str(caught.value) == f"brokerfuzz.toml: [{section}] has no key {key!r}: {KEYS[section, key]}"
    known = schema()["properties"][section]["properties"]
    assert key not in known
    assert KEYS[section, key].removeprefix("use ").split()[0] in known
