from pathlib import Path

import pytest
from contracts import changed_contract

from brokerfuzz.configuration import load, schema_text, template, write_template
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.contract_files import DATA


def test_every_ambiguity_is_listed_below_its_question() -> None:
    lines = template().split("\n")
    for ambiguity in load_contract().ambiguities:
        commented = [
            number for number, line in enumerate(lines) if line.replace('"', "").startswith(f"# {ambiguity.id} = [")
        ]
        assert [lines[number - 1] for number in commented] == [f"# {ambiguity.question}"] * bool(
            ambiguity.interpretations
        )


def test_the_first_line_refers_editors_to_the_schema_in_the_same_folder(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    write_template(path, schema_beside=True)
    first, _, rest = path.read_text().partition("\n")
    assert (tmp_path / first.removeprefix("#:schema ./")).read_text() == schema_text()
    assert rest == template()
    with pytest.raises(ConfigurationError):
        write_template(path, schema_beside=True)


def test_without_a_schema_file_the_template_names_none(tmp_path: Path) -> None:
    write_template(tmp_path / "brokerfuzz.toml")
    assert "#:schema" not in (tmp_path / "brokerfuzz.toml").read_text()


def test_the_template_lists_the_ambiguities_of_the_given_contract(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text(
        (DATA / "ambiguities.json")
        .read_text()
        .replace('"encoding.utf-16"', '"an encoding"', 1)
        .replace("Is a message in UTF-16", "Is a\\nmessage\\u0000 = in UTF-16")
    )
    contract = changed_contract(tmp_path, "product-list-response", lambda schema: None)
    assert '# Is a message  = in UTF-16 accepted?\n# "an encoding" = ["decoded", "rejected"]\n' in template(contract)
    write_template(tmp_path / "new.toml", contract=contract)
    assert load(tmp_path / "new.toml").values["policies"] == {}


def test_the_template_is_written_to_a_new_file(tmp_path: Path) -> None:
    write_template(tmp_path / "brokerfuzz.toml")
    assert (tmp_path / "brokerfuzz.toml").read_bytes() == template().encode()
    assert [path.name for path in tmp_path.iterdir()] == ["brokerfuzz.toml"]


def test_an_existing_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text("mine")
    with pytest.raises(ConfigurationError, match="already exists: add --force to replace it"):
        write_template(path)
    assert path.read_text() == "mine"
    write_template(path, force=True)
    assert path.read_text() == template()


def test_pyproject_folders_and_dangling_links_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    for name, words in {
        "pyproject.toml": "settings of other tools",
        "folder": "is not a file",
        "dangling": "is not a file",
    }.items():
        with pytest.raises(ConfigurationError, match=words):
            write_template(tmp_path / name, force=True)
    assert (tmp_path / "pyproject.toml").read_text() == "mine"


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"nowhere/brokerfuzz\.toml cannot be written: No such file or directory; specify another",
    ):
        write_template(tmp_path / "nowhere/brokerfuzz.toml")
