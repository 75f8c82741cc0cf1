import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from exported_cases import cases as all_cases
from exported_cases import folder

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import read, write


def cases() -> tuple[Case, ...]:
    """Returns a tenth of the cases, with their twins."""
    twins = {case.twin_id for case in all_cases()[::10]}
    return tuple(case for number, case in enumerate(all_cases()) if number % 10 == 0 or case.id in twins)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("files") / "corpus"
    write(out, cases(), fmt="files")
    return out


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    return folder("files", cases())


def facts(case: Case) -> tuple[object, ...]:
    return case.id, case.message_type, case.body, case.verdict, case.faults, case.tags, case.twin_id, case.headers


def test_the_folder_is_read_back_as_the_same_corpus(corpus: Path) -> None:
    assert [facts(case) for case in read(corpus)] == [facts(case) for case in cases()]


def test_names_contain_the_verdict_and_the_topic(files: Mapping[str, bytes]) -> None:
    named = dict(zip((case.id for case in cases()), files, strict=False))
    for case in cases():
        path = named[case.id]
        assert path.startswith(f"{case.message_type}/{case.label}/")
        assert path.endswith(f"{case.id}.json")
        assert all(fault.technique in path for fault in case.faults[:1])
        assert all(tag.removeprefix("as:") in path for tag in case.tags if tag.startswith("as:") and len(tag) < 20)


def test_an_additional_case_changes_no_other_name() -> None:
    chosen = [case for case in cases() if not case.headers]
    assert folder("files", chosen[1:]).keys() < folder("files", chosen).keys()


def test_git_keeps_every_byte_even_if_it_converts_line_endings(corpus: Path, tmp_path: Path) -> None:
    if not shutil.which("git"):
        pytest.skip("git is not installed")

    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=n@broker.example", *args],
            check=True,
            capture_output=True,
        )

    git("init", "--quiet")
    git("config", "core.autocrlf", "true")
    shutil.copytree(corpus, tmp_path / "corpus")
    git("add", "corpus")
    git("commit", "--quiet", "--message", "A corpus")
    shutil.rmtree(tmp_path / "corpus")
    git("checkout", "--quiet", "corpus")
    assert [facts(case) for case in read(tmp_path / "corpus")] == [facts(case) for case in cases()]
    for path in corpus.rglob("*.*"):
        assert (tmp_path / "corpus" / path.relative_to(corpus)).read_bytes() == path.read_bytes()
