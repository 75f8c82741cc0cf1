"""Properties of all formats that are run or served: the same bytes for the same cases, and safe file names."""

import re

import pytest
from exported_cases import about, folder
from ready_suites import chosen

from brokerfuzz.corpus.formats import Folder, format_named

FOLDERS = ("http", "junit5", "pytest", "vitest", "wiremock", "xunit")


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


@pytest.mark.parametrize("name", ["junit5", "pytest", "vitest", "xunit"])
def test_source_code_does_not_depend_on_the_cases(name: str) -> None:
    form = format_named(name)
    assert isinstance(form, Folder)
    sources = [
        {file.name: list(file.pieces) for file in form.files(cases, about()) if "cases." not in file.name} for cases in (chosen(), chosen()[:1])
    ]
    assert sources[0] == sources[1]
    assert len(sources[0]) == 2
