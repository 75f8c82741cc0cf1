"""Local files and folders are written atomically, also by several processes at the same time."""

import shutil
from pathlib import Path

import pytest

from brokerfuzz.corpus.places import LocalPlace
from brokerfuzz.errors import CorpusError


def test_concurrent_writers_of_a_file_do_not_mix_their_bytes(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path / "out")
    with place.file() as one, place.file() as other:
        one.write(b"one")
        other.write(b"other")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"one")]


def test_concurrent_writers_of_a_folder_do_not_mix_their_files(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path / "out")
    with place.folder("manifest", ()) as one, place.folder("manifest", ()) as other:
        for create, data in ((one, b"one"), (other, b"other")):
            with create("deep/file") as stream:
                stream.write(data)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out/deep/file").read_bytes() == b"one"


def test_an_unfinished_folder_of_another_process_does_not_matter(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path / "out")
    writing = place.folder("manifest", ())
    create = writing.__enter__()
    with create("file") as stream:
        stream.write(b"left")
    with place.folder("manifest", ()) as create, create("file") as stream:
        stream.write(b"whole")
    assert (tmp_path / "out/file").read_bytes() == b"whole"
    left = [path for path in tmp_path.iterdir() if path.name != "out"]
    assert [(path.name[:5], path.suffix, (path / "file").read_bytes()) for path in left] == [(".out.", ".part", b"left")]


@pytest.mark.parametrize("kind", ["a link to a folder", "a folder"])
def test_no_temporary_folder_remains_after_a_replacement(tmp_path: Path, kind: str) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "former").write_text("former")
    out = tmp_path / "out"
    out.symlink_to(kept) if kind == "a link to a folder" else shutil.copytree(kept, out)
    with LocalPlace(out).folder("manifest", {"former"}) as create, create("file") as stream:
        stream.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "out"]
    assert [path.name for path in out.iterdir()] == ["file"]
    assert (kept / "former").read_text() == "former"


def test_files_that_users_added_to_a_folder_stay(tmp_path: Path) -> None:
    place, out = LocalPlace(tmp_path / "out"), tmp_path / "out"
    with place.folder("manifest", ()) as create:
        for name in ("former", "cases/former", "cases/changed"):
            with create(name) as stream:
                stream.write(b"former")
    (out / "cases/notes.md").write_text("mine")
    (out / ".git/refs").mkdir(parents=True)
    (out / "latest").symlink_to("cases")
    with place.folder("manifest", {"former", "cases", "cases/former", "cases/changed"}) as create, create("cases/changed") as stream:
        stream.write(b"new")
    found = {path.relative_to(out).as_posix() for path in out.rglob("*")}
    assert found == {"cases", "cases/changed", "cases/notes.md", ".git", ".git/refs", "latest"}
    assert (out / "latest/changed").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_error_names_the_folder_of_user_files_that_could_not_be_moved(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "cases").mkdir(parents=True)
    (out / "cases/notes.md").write_text("mine")
    with pytest.raises(CorpusError) as raised, LocalPlace(out).folder("manifest", {"cases"}) as create, create("cases") as stream:
        stream.write(b"a file")
    assert (out / "cases").read_bytes() == b"a file"
    old = Path(str(raised.value).rpartition(": these files are in ")[2])
    assert (old / "cases/notes.md").read_text() == "mine"


def test_the_former_folder_stays_if_the_new_one_cannot_be_renamed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CorpusError, match="out cannot be written"), LocalPlace(out).folder("manifest", ()):
        next(tmp_path.glob(".out.*.part")).rmdir()
    assert [(path.name, (path / "mine").read_text()) for path in tmp_path.iterdir()] == [("out", "mine")]


def test_a_folder_in_place_of_a_file_gives_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(CorpusError, match="is not a file, but brokerfuzz expected a file: remove it, or specify another corpus"),
        LocalPlace(tmp_path).opened(),
    ):
        pass
