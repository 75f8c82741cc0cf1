import json
from collections import Counter
from pathlib import Path

import pytest
from contracts import own_contract, with_properties
from fixture_types import Run

from brokerfuzz.corpus import load, read, write
from brokerfuzz.corpus.bundled_corpus import DATA

PRICING, OFFERS = DATA / "offer-pricing-response.ndjson", DATA / "offer-creation-request.ndjson"


@pytest.fixture(scope="module")
def mixed(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cases of two message types, with all verdicts, twins and double faults."""
    path = tmp_path_factory.mktemp("mixed") / "mixed.ndjson"
    types = ["--message", "product-list-response", "--message", "offer-pricing-response"]
    assert run("export", path, "--random", "120", *types).exit_code == 0
    return path


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


# ------------------------------------------------------------------------------------------------------------- show


def test_show_counts_what_is_in_a_corpus_and_lists_the_chosen_cases(run: Run, mixed: Path) -> None:
    cases, said = list(read(mixed)), json.loads(run("corpus", "show", mixed, "--json").stdout)
    assert said["cases"] == len(cases)
    for name, part in said["messages"].items():
        ours = [case for case in cases if case.message_type == name]
        labels = {label: sum(case.label == label for case in ours) for label in ("valid", "invalid", "unspecified")}
        assert part["verdicts"] == labels
        assert part["rules"] == Counter(fault.rule for case in ours for fault in case.faults)
        assert part["bytes"] == sum(len(case.body) for case in ours)
    choice = ["--rule", "*:required", "--verdict", "invalid", "--message", "offer-pricing-response"]
    listed = json.loads(run("corpus", "show", mixed, "--cases", *choice, "--json").stdout)["cases"]
    wanted = [
        case.id
        for case in cases
        if case.faults
        and all(fault.rule.startswith("offer-pricing") and fault.rule.endswith(":required") for fault in case.faults)
    ]
    assert [row["id"] for row in listed] == wanted != []


def test_show_displays_one_case_with_its_reason_message_and_twin(run: Run) -> None:
    case = load("offer-pricing-response", rules=["*quantity:minimum"], techniques=["one-below"], verdicts=["invalid"])[
        0
    ]
    text = run("corpus", "show", PRICING, case.id).stdout
    assert f"breaks {case.faults[0].rule} at {case.faults[0].at} with technique one-below" in text
    assert "expected at least 1" in text
    assert any(line.startswith("+ ") and '"quantity": 0' in line for line in text.splitlines())
    said = json.loads(run("corpus", "show", PRICING, case.id, "--json").stdout)
    assert (said["case"]["id"], said["twin"]["id"]) == (case.id, case.twin_id)


# ------------------------------------------------------------------------------------------------------------- diff


def test_diff_counts_added_removed_and_relabelled_cases_whatever_their_order_and_compression(
    run: Run, tmp_path: Path
) -> None:
    cases = list(read(PRICING))
    other, less, changed = (tmp_path / name for name in ("other.ndjson.zst", "less.ndjson", "changed.ndjson"))
    write(other, reversed(cases))
    result = run("corpus", "diff", PRICING, other)
    assert result.stdout == f"{len(cases):,} cases before, {len(cases):,} after: no differences\n"
    assert result.exit_code == 0
    gone = [case for case in cases if case.faults and case.faults[0].rule.endswith("offers[].quantity:minimum")]
    write(less, (case for case in cases if case not in gone))
    for pair, kind in (((PRICING, less), "removed"), ((less, PRICING), "added")):
        result = run("corpus", "diff", *pair, "--json")
        said = json.loads(result.stdout)
        assert (result.exit_code, said["cases"][kind]) == (1, len(gone))
        techniques = Counter(case.faults[0].technique for case in gone)
        assert {row["technique"]: row[kind] for row in said["about"]} == techniques
    changed.write_bytes(PRICING.read_bytes().replace(b'"verdict":"valid"', b'"verdict":"unspecified"', 5))
    assert "5 cases changed from valid to unspecified" in run("corpus", "diff", PRICING, changed).stdout


def test_diff_names_the_property_whose_bound_changed(run: Run, tmp_path: Path) -> None:
    for name, least in (("old", 1), ("new", 3)):
        quantity = {"type": "integer", "minimum": least}
        own_contract(tmp_path / name, with_properties(comments={"type": "string"}, quantity=quantity))
        assert run("export", tmp_path / f"{name}.ndjson", "--contract", tmp_path / name).exit_code == 0
    done = run("corpus", "diff", tmp_path / "old.ndjson", tmp_path / "new.ndjson")
    header, first, *others = done.stdout.splitlines()
    assert header.split()[-1] == "rewritten"
    assert first.startswith("order/quantity ")
    assert "rewritten cases test the same as before with another message" in others


# ----------------------------------------------------------------------------------------------------------- verify


def test_verify_lists_every_problem_with_its_line(run: Run, tmp_path: Path) -> None:
    lines = lines_of(PRICING)
    lines[3] = lines[3].replace(b'"verdict":"valid"', b'"verdict":"invalid"')
    lines[10] = b"not a record\n"
    lines[20] = lines[20].replace(b'"id":"', b'"id":"0000000000000000"[:0]')
    lines[30] = lines[29]
    faulty = next(number for number in range(40, len(lines)) if b'"technique":' in lines[number])
    lines[faulty] = lines[faulty].replace(b'"technique":', b'"technique":5,"other":')
    (tmp_path / "wrong.ndjson").write_bytes(b"".join(lines))
    result = run("corpus", "verify", tmp_path / "wrong.ndjson", PRICING, "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [wrong["line"] for wrong in said["wrong"]] == [4, 11, 21, faulty + 1]
    assert said["cases"] == 2 * len(lines)
    text = run("corpus", "verify", tmp_path / "wrong.ndjson").stdout
    assert text.count("wrong.ndjson, line ") == 4, "a repeated case is no problem: random cases may repeat others"


def test_verify_finds_changed_and_missing_files_of_a_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(folder, load("product-list-response", rules=["data[].status"]), fmt="files")
    assert run("corpus", "verify", folder).exit_code == 0
    first, second, *_ = sorted((folder / "product-list-response" / "invalid").iterdir())
    first.write_text("{}")
    second.unlink()
    result = run("corpus", "verify", folder, "--json")
    assert result.exit_code == 1
    whys = [wrong["why"] for wrong in json.loads(result.stdout)["wrong"]]
    assert any("does not match its verdict" in why for why in whys)
    assert any(second.name in why and "is not a file inside the folder" in why for why in whys)


def test_the_content_of_a_corpus_cannot_control_the_terminal(run: Run, tmp_path: Path) -> None:
    record = json.loads(lines_of(PRICING)[0]) | {"tags": ["\x1b]0;title\x07"], "verdict": "unspecified"}
    (tmp_path / "a\x1b.ndjson").write_text(json.dumps(record))
    for command in (["verify"], ["show"], ["diff", str(PRICING)]):
        result = run("corpus", *command, tmp_path / "a\x1b.ndjson")
        assert "\x1b" not in result.stdout + result.stderr
