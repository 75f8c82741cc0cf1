"""`xunit`: C# without a slip of grammar, and data that System.Text.Json gives the bytes of. (There is no .NET where this was written.)"""

from pathlib import Path

import pytest
from ready_suites import exported


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("tests") / "contract", "xunit")


@pytest.mark.parametrize("name", ["Broker.cs", "BrokerContractTests.cs"])
def test_a_parser_of_csharp_finds_nothing_wrong(folder: Path, name: str) -> None:
    c_sharp = pytest.importorskip("tree_sitter_c_sharp", reason="tree-sitter-c-sharp is not installed")
    from tree_sitter import Language, Parser

    parser = Parser(Language(c_sharp.language()))
    source = (folder / name).read_bytes()
    assert not parser.parse(source).root_node.has_error
    assert parser.parse(source.replace(b"{", b"", 1)).root_node.has_error


def test_what_the_tests_call_is_what_is_to_be_filled_in(folder: Path) -> None:
    tests, filled_in = ((folder / name).read_text() for name in ("BrokerContractTests.cs", "Broker.cs"))
    assert "Broker.AcceptsAsync(one.MessageType, one.Body, one.Headers)" in tests
    assert "Task<bool> AcceptsAsync(string messageType, byte[] body, IReadOnlyList<KeyValuePair<string, string?>> headers)" in filled_in
    assert "when (problem is not NotFilledInException)" in tests
    assert "throw new NotFilledInException(" in filled_in
    assert "Broker.Clock" in tests
    assert "string? Clock" in filled_in


def test_the_cases_are_those_of_the_other_languages(folder: Path, tmp_path: Path) -> None:
    assert (folder / "cases.ndjson").read_bytes() == (exported(tmp_path / "contract", "pytest") / "cases.ndjson").read_bytes()
