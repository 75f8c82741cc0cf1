from pathlib import Path

import pytest
from fixture_types import Run
from hand_made_servers import answers, serving

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    "command",
    [("fire", "http://127.0.0.1:1"), ("export", "out.ndjson"), ("catalogue",), ("corpus", "verify", "out.ndjson")],
)
def test_wrong_values_end_every_command_before_it_starts(run: Run, command: tuple[str, ...]) -> None:
    Path("v.toml").write_text('\n"productID" = ["P-1"]')
    result = run(*command, "--values", "v.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith("brokerfuzz: v.toml:2: unknown site 'productID': did you mean ")
    assert result.stderr.count("\n") == 1


def test_a_property_with_known_values_cannot_be_fresh(run: Run) -> None:
    Path("v.toml").write_text('number = ["N-1", "N-2"]')
    result = run("fire", "http://127.0.0.1:1", "--values", "v.toml", "--fresh", "number")
    assert result.exit_code == 2
    assert (
        "the reference data lists the values of number, so this property cannot be fresh: remove number from"
        in result.stderr
    )
    assert result.stderr.count("\n") == 1


def test_the_configuration_contains_values_beside_other_settings(run: Run) -> None:
    known: list[bytes] = []

    def remember(body: bytes) -> int:
        known.append(body)
        return 201

    with serving(answers(remember)) as url:
        Path("brokerfuzz.toml").write_text(f'url = "{url}"\n[values]\nunitOfMeasure = ["box of ten"]\n')
        result = run("fire", "--random", "--count", "20", "--verdict", "valid", "--json")
        assert result.exit_code in (0, 2), result.stderr
    units = {part for body in known for part in body.split(b'"unitOfMeasure":')[1:] if not part.startswith(b"null")}
    assert units
    assert all(unit.startswith(b'"box of ten"') for unit in units)
    Path("brokerfuzz.toml").write_text('url = "http://127.0.0.1:1"\n[values]\nunitOfMeasure = [5]\n')
    result = run("fire")
    assert result.exit_code == 2
    assert "brokerfuzz.toml:3: 5 breaks the rule unitOfMeasure:type" in result.stderr


@pytest.mark.rotated(2)
def test_a_corpus_with_values_is_read_with_the_same_values(run: Run) -> None:
    Path("v.toml").write_text('"data[].productId" = ["P-1", "P-2"]')
    options = ("--message", "product-list-response", "--verdict", "unspecified", "--values", "v.toml")
    assert run("export", "out.ndjson", *options).exit_code == 0
    assert run("corpus", "verify", "out.ndjson", "--values", "v.toml").exit_code == 0
    assert run("check", "out.ndjson", "--quiet", "--values", "v.toml").exit_code == 0
    assert run("corpus", "merge", "merged.ndjson", "out.ndjson", "--values", "v.toml").exit_code == 0
    assert run("corpus", "minimize", "small.ndjson", "merged.ndjson", "--values", "v.toml").exit_code == 0
    wrong = run("corpus", "verify", "out.ndjson")
    assert wrong.exit_code == 1
    assert "was generated for another contract" in wrong.stdout
