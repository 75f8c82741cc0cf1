"""The file that a configuration begins with: where it is written, and for which contract."""

from pathlib import Path

import pytest
from contracts import changed_contract

from brokerfuzz.configuration import load, schema_text, template, write_template
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.contract import DATA


def test_every_ambiguity_is_listed_below_its_question() -> None:
    lines = template().split("\n")
    for ambiguity in load_contract().ambiguities:
        assert lines[lines.index(f'# {ambiguity.id} = "unspecified"') - 1] == f"# {ambiguity.question}"


def test_editors_find_the_schema_by_the_first_line_where_it_is_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    write_template(path, schema_beside=True)
    first, _, rest = path.read_text().partition("\n")
    assert (tmp_path / first.removeprefix("#:schema ./")).read_text() == schema_text()
    assert rest == template()
    with pytest.raises(ConfigurationError):
        write_template(path, schema_beside=True)


def test_no_schema_is_named_where_none_is(tmp_path: Path) -> None:
    write_template(tmp_path / "brokerfuzz.toml")
    assert "#:schema" not in (tmp_path / "brokerfuzz.toml").read_text()


def test_the_ambiguities_are_those_of_the_contract_that_is_given(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text(
        (DATA / "ambiguities.json")
        .read_text()
        .replace('"encoding"', '"an encoding"', 1)
        .replace("Is any encoding read", "Is any\\nencoding\\u0000 = read")
    )
    contract = changed_contract(tmp_path, "product-list-response", lambda schema: None)
    assert '# Is any encoding  = read but proper UTF-8?\n# "an encoding" = "unspecified"\n' in template(contract)
    write_template(tmp_path / "new.toml", contract=contract)
    assert load(tmp_path / "new.toml").values["policies"] == {}


def test_it_is_written_where_nothing_is(tmp_path: Path) -> None:
    write_template(tmp_path / "brokerfuzz.toml")
    assert (tmp_path / "brokerfuzz.toml").read_bytes() == template().encode()
    assert [path.name for path in tmp_path.iterdir()] == ["brokerfuzz.toml"]


def test_a_file_that_is_there_stays_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("mine")
    with pytest.raises(ConfigurationError, match="is there already: add --force to replace it"):
        write_template(path)
    assert path.read_text() == "mine"
    write_template(path, force=True)
    assert path.read_text() == template()


def test_what_is_not_ours_to_replace_stays(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    for name, words in {"pyproject.toml": "for other tools too", "folder": "is no file", "dangling": "is no file"}.items():
        with pytest.raises(ConfigurationError, match=words):
            write_template(tmp_path / name, force=True)
    assert (tmp_path / "pyproject.toml").read_text() == "mine"


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere/brokerfuzz\.toml cannot be written: No such file or directory; name another"):
        write_template(tmp_path / "nowhere/brokerfuzz.toml")
