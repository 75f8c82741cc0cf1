import re
from collections.abc import Iterator, Mapping

import pytest
from exported_cases import OFFER, about, cases, folder, written

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats import FORMATS, format_named
from brokerfuzz.errors import CorpusError

FOLDERS = ("files", "fuzz-seeds")
ONE_FILE = ("json-schema-test-suite", "openapi", "parquet")
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


@pytest.fixture(scope="module")
def folders() -> Mapping[str, Mapping[str, bytes]]:
    return {name: folder(name, cases()) for name in FOLDERS}


def test_the_formats_have_the_names_in_the_help() -> None:
    assert {*FOLDERS, *ONE_FILE} < {*FORMATS}
    assert list(FORMATS) == ["ndjson", *sorted(FORMATS.keys() - {"ndjson"})]
    assert [name for name in FORMATS if format_named(name).name != name] == []


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_cases_give_the_same_files(folders: Mapping[str, Mapping[str, bytes]], name: str) -> None:
    assert list(folder(name, cases()).items()) == list(folders[name].items())


@pytest.mark.parametrize("name", ONE_FILE)
def test_the_same_cases_give_the_same_bytes(name: str) -> None:
    some = cases()[::5]
    assert written(name, some) == written(name, some)


@pytest.mark.parametrize("name", FOLDERS)
def test_names_are_safe_on_every_file_system(folders: Mapping[str, Mapping[str, bytes]], name: str) -> None:
    for path in folders[name].keys() - {"README.txt"}:
        for part in path.split("/"):
            assert re.fullmatch(r"[a-z0-9_-]([a-z0-9._-]{0,98}[a-z0-9_-])?|Fuzz[A-Za-z]+", part), path
            assert part.split(".")[0] not in DEVICES
    assert len({path.lower() for path in folders[name]}) == len(folders[name])


@pytest.mark.parametrize("name", FOLDERS)
def test_files_are_written_one_at_a_time_and_cases_are_read_lazily(name: str) -> None:
    asked: list[Case] = []

    def counted() -> Iterator[Case]:
        for case in cases():
            asked.append(case)
            yield case

    form = format_named(name)
    assert form.is_folder
    files = form.files(counted(), about())
    for _ in range(20):
        next(files)
    assert len(asked) < 80


@pytest.mark.parametrize("name", ["json-schema-test-suite", "fuzz-seeds"])
def test_a_corpus_without_cases_for_a_format_is_rejected(name: str) -> None:
    if name == "fuzz-seeds":
        unfit = [case for case in cases() if len(case.body) > 1_000_000]
    else:
        unfit = [case for case in cases() if case.message_type == OFFER and case.headers]
    assert unfit
    with pytest.raises(CorpusError, match="remove a filter such as --rule"):
        (written if name == "json-schema-test-suite" else folder)(name, unfit)
