"""What all formats have in common: safe names, and files that depend only on the cases."""

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import unquote_to_bytes

import pytest
from exported_cases import cases, chosen, clocked, corpus_info, folder

from brokerfuzz.corpus.formats import format_named
from brokerfuzz.errors import CorpusError

SUITES = ("go", "junit5", "minitest", "phpunit", "rust", "vitest", "xunit")
FOLDERS = ("files", "fuzz-seeds", "postman", "pytest", "wiremock", *SUITES)
LISTS = ("BrokerContractTest.java", "rules.rs")
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def fresh(name: str) -> Mapping[str, bytes]:
    return folder(name, cases() if name in ("files", "fuzz-seeds") else chosen())


@cache
def files_of(name: str) -> Mapping[str, bytes]:
    return fresh(name)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_cases_give_the_same_files_with_safe_names(name: str) -> None:
    files = files_of(name)
    assert list(fresh(name).items()) == list(files.items())
    for path, content in files.items():
        for part in path.split("/"):
            assert re.fullmatch(r"[A-Za-z0-9_-]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?", part), path
            assert part.lower().split(".")[0] not in DEVICES
        assert b"\r" not in content or name in ("files", "fuzz-seeds") or path.startswith("__files/")
    assert len({path.lower() for path in files}) == len(files)


def test_a_corpus_without_cases_for_a_format_is_rejected() -> None:
    large = [case for case in cases() if len(case.body) > 1_000_000]
    with pytest.raises(CorpusError, match="remove a filter such as --rule"):
        folder("fuzz-seeds", large)


@pytest.mark.parametrize("name", ["pytest", *SUITES])
def test_source_code_does_not_depend_on_the_cases_except_for_words_in_the_list_of_tests(name: str) -> None:
    few, many = folder(name, chosen()[:1]), files_of(name)
    for path in many:
        if path.endswith(LISTS):
            assert set(re.sub(rb"\w+", b"", many[path])) == set(re.sub(rb"\w+", b"", few[path]))
        elif not path.endswith("README.md") and "cases." not in path:
            assert many[path] == few[path]


@pytest.mark.parametrize("name", SUITES)
def test_the_readme_says_how_to_run_complete_and_regenerate_the_tests(name: str) -> None:
    readme = files_of(name)["README.md"].decode()
    owned = [file.name for file in format_named(name).files(iter(chosen()), corpus_info()) if file.is_template]
    assert len(readme.splitlines()) <= 16
    assert all(f"`{path}`" in readme for path in owned)
    assert "--seed 1" in readme


def test_the_table_of_a_suite_contains_the_exact_bytes_and_the_twin_of_each_case() -> None:
    head, *lines = files_of("go")["cases.tsv"].decode("ascii").removesuffix("\n").split("\n")
    rows = {row["id"]: row for row in (dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines)}
    assert len(rows) == len(lines) == len(chosen()) - len(clocked())
    for case in (case for case in chosen() if case.id in rows):
        row = rows[case.id]
        assert unquote_to_bytes(row["body"]) == case.body
        assert (row["verdict"], row["twin"]) == (case.label, case.twin_id or "")
        assert "+" not in row["body"], "some decoders read it as a space"


@pytest.mark.parametrize("name", ["Broker.cs", "BrokerContractTests.cs"])
def test_a_csharp_parser_finds_no_syntax_error(name: str) -> None:
    """.NET is not installed for these tests."""
    c_sharp = pytest.importorskip("tree_sitter_c_sharp", reason="tree-sitter-c-sharp is not installed")
    from tree_sitter import Language, Parser

    parser, source = Parser(Language(c_sharp.language())), files_of("xunit")[name]
    assert not parser.parse(source).root_node.has_error
    assert parser.parse(source.replace(b"{", b"", 1)).root_node.has_error
    assert b"AcceptsAsync(" in source
