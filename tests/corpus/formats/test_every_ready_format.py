import re
from urllib.parse import unquote_to_bytes

import pytest
from exported_cases import about, folder
from ready_suites import chosen, clocked

from brokerfuzz.corpus.formats import format_named

SUITES = ("go", "junit5", "minitest", "phpunit", "rust", "vitest", "xunit")
FOLDERS = ("postman", "pytest", "wiremock", *SUITES)
LISTS = ("BrokerContractTest.java", "rules.rs")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_cases_give_the_same_files(name: str) -> None:
    files = folder(name, chosen())
    assert list(folder(name, chosen()).items()) == list(files.items())
    assert not any(b"\r" in content for path, content in files.items() if not path.startswith(("__files/", "bodies/")))


@pytest.mark.parametrize("name", FOLDERS)
def test_names_are_safe_on_every_file_system(name: str) -> None:
    files = folder(name, chosen())
    for path in files:
        for part in path.split("/"):
            assert re.fullmatch(r"[A-Za-z0-9_-]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?", part), path
    assert len({path.lower() for path in files}) == len(files)


@pytest.mark.parametrize("name", ["pytest", *SUITES])
def test_source_code_does_not_depend_on_the_cases(name: str) -> None:
    sources = [
        {
            path: content
            for path, content in folder(name, cases).items()
            if not path.endswith(("README.md", *LISTS)) and "cases." not in path
        }
        for cases in (chosen(), chosen()[:1])
    ]
    assert sources[0] == sources[1]


@pytest.mark.parametrize("name", ["junit5", "rust"])
def test_cases_add_only_words_to_the_list_of_tests(name: str) -> None:
    few, many = (
        next(content for path, content in folder(name, cases).items() if path.endswith(LISTS))
        for cases in (chosen()[:1], chosen())
    )
    assert set(re.sub(rb"\w+", b"", many)) == set(re.sub(rb"\w+", b"", few))


@pytest.mark.parametrize("name", SUITES)
def test_the_readme_says_how_to_run_complete_and_regenerate_the_tests(name: str) -> None:
    files = folder(name, chosen())
    readme = files["README.md"].decode()
    form = format_named(name)
    assert form.is_folder
    owned = [file.name for file in form.files(iter(chosen()), about()) if file.is_template]
    assert len(readme.splitlines()) <= 16
    assert all(f"`{path}`" in readme for path in owned)
    assert "--seed 1" in readme


@pytest.mark.parametrize("name", SUITES)
def test_the_table_contains_the_exact_bytes_and_headers_of_each_case(name: str) -> None:
    (data,) = (content for path, content in folder(name, chosen()).items() if path.endswith("cases.tsv"))
    head, *lines = data.decode("ascii").removesuffix("\n").split("\n")
    rows = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]
    by_id = {case.id: case for case in chosen()}
    assert len(rows) == len(chosen()) - len(clocked())
    for row in rows:
        case = by_id[row["id"]]
        assert unquote_to_bytes(row["body"]) == case.body
        assert (row["verdict"], row["twin"]) == (case.label, case.twin_id or "")
        assert "+" not in row["body"]
