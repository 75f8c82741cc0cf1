""".NET is not installed for these tests. So these tests check only the syntax of the C# files."""

from pathlib import Path

import pytest
from ready_suites import exported


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("tests") / "contract", "xunit")


@pytest.mark.parametrize("name", ["Broker.cs", "BrokerContractTests.cs"])
def test_a_csharp_parser_finds_no_syntax_error(folder: Path, name: str) -> None:
    c_sharp = pytest.importorskip("tree_sitter_c_sharp", reason="tree-sitter-c-sharp is not installed")
    from tree_sitter import Language, Parser

    parser = Parser(Language(c_sharp.language()))
    source = (folder / name).read_bytes()
    assert not parser.parse(source).root_node.has_error
    assert parser.parse(source.replace(b"{", b"", 1)).root_node.has_error


def test_the_tests_use_the_members_of_the_template(folder: Path) -> None:
    tests, template = ((folder / name).read_text() for name in ("BrokerContractTests.cs", "Broker.cs"))
    assert "Broker.AcceptsAsync(one.MessageType, one.Body, one.Headers)" in tests
    assert (
        "Task<bool> AcceptsAsync(string messageType, byte[] body, IReadOnlyList<KeyValuePair<string, string?>> "
        "headers)" in template
    )
