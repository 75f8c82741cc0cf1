import json
import random
import re
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, meta

from brokerfuzz.configuration import load, schema_text, template
from brokerfuzz.configuration.validating import validated
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.errors import ConfigurationError

Node = dict[str, Any]
SCHEMA: Node = json.loads(schema_text())
SECTIONS: dict[str, Node] = SCHEMA["properties"]
KEYS = [(section, key) for section, node in SECTIONS.items() for key in node.get("properties", {})]
SECRET = "hunter2"


def node_of(section: str, key: str) -> Node:
    node: Node = SECTIONS[section]["properties"][key]
    return node


def all_nodes(node: Node, name: str = "the file") -> Iterator[tuple[str, Node]]:
    yield name, node
    for key, inner in node.get("properties", {}).items():
        yield from all_nodes(inner, key)
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            yield from all_nodes(node[keyword], f"{name}, {keyword}")


def rejection(folder: Path, text: str, name: str = "brokerfuzz.toml") -> str:
    """Returns the error about an invalid configuration."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load(path)
    said = str(caught.value)
    assert said.isprintable()
    assert str(path) in said
    return said.replace(str(path), "FILE")


def test_the_schema_is_a_valid_json_schema() -> None:
    meta.validate(SCHEMA)


def test_every_key_has_a_description_and_rejects_unknown_properties() -> None:
    for name, node in all_nodes(SCHEMA):
        if "properties" in node:
            assert node["additionalProperties"] is False, name
        if ", " not in name:
            assert node["description"].endswith("."), name
            assert "\n" not in node["description"], name
            assert len(node["description"]) < 130, name


def test_every_key_has_valid_examples() -> None:
    for name, node in all_nodes(SCHEMA):
        if node is not SCHEMA:
            assert node["examples"], name
        for value in [*node.get("examples", []), *([node["default"]] if "default" in node else [])]:
            assert Draft202012Validator(node).is_valid(value), (name, value)


def test_the_enumerations_of_the_schema_match_the_contract() -> None:
    assert tuple(node_of("target", "message")["enum"]) == MESSAGE_TYPES
    assert tuple(node_of("cases", "verdicts")["items"]["enum"]) == LABELS


WRONG = ["{ a = 1 }", "[[1]]", "2020-01-01", "nan", "inf", "-inf"]


@pytest.mark.parametrize("value", WRONG)
def test_the_error_about_a_value_of_a_wrong_type_names_its_key(value: str, tmp_path: Path) -> None:
    wrong = []
    for section, key in [*KEYS, ("policies", "encoding"), ("target.headers", "Accept")]:
        said = rejection(tmp_path, f"[{section}]\n{key} = {value}\n")
        named = f"[{section}" in said and (key in said or (key == "headers" and "[target.headers]" in said))
        if not named or not re.search(r" is (an? |nan|inf|-inf)|a in \[target\.headers\]", said) or "use " not in said:
            wrong.append((section, key, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "words"),
    {
        "[target]\ntimeout = 0": "timeout in [target] is 0: use a number above 0, such as 2.5",
        "[target]\ntimeout = 'soon'": "timeout in [target] is 'soon': use a number above 0, such as 2.5",
        "[target]\nconcurrency = 1.5": "concurrency in [target] is 1.5: use a whole number of at least 1, such as 4",
        "[target]\nlines = 'gzip'": 'lines in [target] is \'gzip\': use "plain", "base64" or "frames"',
        "[target]\ninsecure = 'yes'": "insecure in [target] is 'yes': use true or false",
        "[target]\nmethod = 'P O'": "method in [target] is 'P O': use a string, such as \"PUT\"",
        "[target]\nexec = []": (
            'exec in [target] is an empty array: use a string or an array that is not empty, such '
            'as "python consumer.py" or ["p'
        ),
        "[target]\nurl = 'http://${'": (
            'url in [target] is an invalid string: use a string that is not empty, such as '
            '"http://127'
        ),
        "[target]\nurl = 'http://a'\nexec = 'b'": "[target] has url and exec: use only one of them",
        "[target]\nurl = 'http://a'\ncall = 'b:c'": "[target] has url and call: use only one of them",
        "[target]\nlines = 'plain'": "lines in [target] works only with exec: add exec, or remove lines",
        "[target.headers]\n'X Y' = 'z'": (
            "[target.headers] has a key that is not the name of a header (letters, "
            "digits and hyphens)"
        ),
        "[answers]\naccept = [200, '3yy']": (
            "item 2 of accept in [answers] is '3yy': use a string or a whole number "
            "from 100 to 999, such as \"2xx\""
        ),
        "[cases]\nnow = 2025-06-15T12:00:00": (
            'now in [cases] is a date or a time: use a string, such as '
            '"2025-06-15T12:00:00Z"'
        ),
        "[cases]\nverdicts = ['vaild']": (
            'item 1 of verdicts in [cases] is \'vaild\': use "valid", "invalid" or '
            '"unspecified"'
        ),
        "[cases]\nseed = true": "seed in [cases] is true: use a whole number, such as 7",
        "[policies]\nencoding = true": 'encoding in [policies] is true: use a string or a whole number or an array',
        "[[cases]]\nseed = 1": "[cases] is an array: use a table",
        "cases = 5": "[cases] is a number: use a table",
        "seed = 5": "the file has no section 'seed': move it to [cases]",
        "[cases]\nurl = 'http://a'": "[cases] has no key 'url': move it to [target]",
        "[target]\n'\\u0000\\n' = 1": "[target] has no key '\\\\u0000\\\\n': use one of url, exec, ",
        '[target]\n"\\u0000\\n" = 1': "[target] has no key '\\x00\\n': use one of url, exec, ",
        "[tragets]": "the file has no section 'tragets': did you mean 'target'?",
        "[zzz]": (
            "the file has no section 'zzz': use one of target, answers, policies, values, cases, campaign, "
            "reports"
        ),
    }.items(),
)  # fmt: skip
def test_the_error_names_the_problem_and_the_remedy(line: str, words: str, tmp_path: Path) -> None:
    assert words in rejection(tmp_path, f"{line}\n")


def misspellings(key: str) -> set[str]:
    chance = random.Random(key)
    at = chance.randrange(len(key))
    doubled, cut = key[:at] + key[at] + key[at:], key[:at] + key[at + 1 :]
    swapped = key[1] + key[0] + key[2:]
    return {doubled, cut, swapped, key.replace("-", "_"), f"{key}s"}


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_the_error_about_a_misspelt_key_suggests_the_nearest_key(section: str, key: str, tmp_path: Path) -> None:
    known = {name for _, name in KEYS} | set(SECTIONS)
    for wrong in misspellings(key) - known:
        said = rejection(tmp_path, f'[{section}]\n"{wrong}" = 1\n')
        assert f"[{section}] has no key {wrong!r}: did you mean {key!r}?" in said


@pytest.mark.parametrize("section", SECTIONS)
def test_the_error_about_a_misspelt_section_suggests_the_nearest_section(section: str, tmp_path: Path) -> None:
    for wrong in misspellings(section) - set(SECTIONS):
        assert f"the file has no section {wrong!r}: did you mean {section!r}?" in rejection(tmp_path, f"[{wrong}]\n")


def test_errors_about_pyproject_use_the_full_name_of_a_section(tmp_path: Path) -> None:
    said = rejection(tmp_path, "[tool.brokerfuzz.target]\ntimeot = 1\n", "pyproject.toml")
    assert "[tool.brokerfuzz.target] has no key 'timeot': did you mean 'timeout'?" in said
    assert "[tool.brokerfuzz] is a number: use a table" in rejection(
        tmp_path, "[tool]\nbrokerfuzz = 5\n", "pyproject.toml"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"[target]\nurl = 'http://u:{SECRET}@h/${{'",
        f"[target]\nurl = ['http://u:{SECRET}@h/']",
        f"[target]\nurl = 'http://u:{SECRET}@h/'\ncall = 'a:b'",
        f"[target]\nheaders = 'Authorization: {SECRET}'",
        f"[target]\nheaders = ['Authorization: {SECRET}']",
        f"[target.headers]\nAuthorization = '${{{SECRET}-}}'",
        f"[target.headers]\nAuthorization = ['{SECRET}']",
        f"[target.headers]\n'Authorization: {SECRET}' = ''",
        f"[target]\nAuthorization = '{SECRET}'",
        f"[target]\nexec = ['{SECRET}', 5]",
        f"target = 'http://u:{SECRET}@h/'",
        f"[target]\nurl = 'http://u:{SECRET}@h",
        f"[target.headers]\nA = '{SECRET}'\nA = '{SECRET}'",
    ],
)
def test_no_error_repeats_a_secret(text: str, tmp_path: Path) -> None:
    assert SECRET not in rejection(tmp_path, text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*SECTIONS, *(key for _, key in KEYS), "x"]), inner, max_size=3)
        ),
    ),
    st.sampled_from([*KEYS, None]),
)
def test_brokerfuzz_rejects_exactly_what_the_schema_rejects(value: Any, where: tuple[str, str] | None) -> None:
    values = {where[0]: {where[1]: value}} if where else value
    with (
        nullcontext()
        if Draft202012Validator(SCHEMA).is_valid(values)
        else pytest.raises(ConfigurationError, match=r"^FILE: [^\n]+$")
    ):
        validated(values, Path("FILE"))


def test_a_float_such_as_4_0_is_accepted_as_an_integer(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("[answers]\naccept = [200.0]\n[target]\nconcurrency = 4.0\ntimeout = 4.0\n")
    values = load(path).values
    assert [
        repr(value)
        for value in (values["answers"]["accept"], values["target"]["concurrency"], values["target"]["timeout"])
    ] == [
        "[200]",
        "4",
        "4.0",
    ]


def test_a_time_can_be_a_toml_datetime(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("[cases]\nnow = 2025-06-15T12:00:00Z\n")
    assert load(path).values == {"cases": {"now": "2025-06-15T12:00:00+00:00"}}


ENTRY = re.compile(r"^# (?=[\w\"-]+ = )", re.MULTILINE)


def test_the_template_sets_nothing_until_it_is_uncommented(tmp_path: Path) -> None:
    content = tomllib.loads(template())
    assert all(not table or table == {"headers": {}} for table in content.values())
    assert list(content) == list(SECTIONS)


@pytest.mark.parametrize("target", ["url", "exec", "call", "app"])
def test_every_line_of_the_template_can_be_uncommented(target: str, tmp_path: Path) -> None:
    others = {"url", "exec", "call", "app", "lines"} - {target, *(["lines"] if target == "exec" else [])}
    path = tmp_path / "brokerfuzz.toml"
    path.write_text(
        "\n".join(line for line in ENTRY.sub("", template()).split("\n") if line.partition(" = ")[0] not in others)
    )
    values = load(path).values
    assert {(section, key) for section in values for key in values[section] if section != "policies"} == set(KEYS) - {
        ("target", other) for other in others
    }
    for section, key in KEYS:
        if "default" in node_of(section, key):
            assert values[section][key] == node_of(section, key)["default"]
