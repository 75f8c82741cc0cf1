"""Files and folders that appear whole, or not at all, whoever else writes there."""

import shutil
from pathlib import Path

import pytest

from brokerfuzz.corpus.places import LocalPlace
from brokerfuzz.errors import CorpusError


def test_several_write_the_same_file_and_each_leaves_its_own(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path / "out")
    with place.file() as one, place.file() as other:
        one.write(b"one")
        other.write(b"other")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"one")]


def test_so_it_is_with_folders(tmp_path: Path) -> None:
    place = LocalPlace(tmp_path / "out")
    with place.folder("manifest", ()) as one, place.folder("manifest", ()) as other:
        for create, data in ((one, b"one"), (other, b"other")):
            with create("deep/file") as stream:
                stream.write(data)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out/deep/file").read_bytes() == b"one"


def test_what_others_left_half_written_is_no_hindrance(tmp_path: Path) -> None:
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
def test_of_what_is_replaced_nothing_is_left_beside_it(tmp_path: Path, kind: str) -> None:
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


def test_what_others_have_put_into_a_folder_stays(tmp_path: Path) -> None:
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


def test_where_what_others_have_put_into_a_folder_cannot_stay_is_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "cases").mkdir(parents=True)
    (out / "cases/notes.md").write_text("mine")
    with pytest.raises(CorpusError) as told, LocalPlace(out).folder("manifest", {"cases"}) as create, create("cases") as stream:
        stream.write(b"a file")
    assert (out / "cases").read_bytes() == b"a file"
    old = Path(str(told.value).rpartition(": see ")[2])
    assert (old / "cases/notes.md").read_text() == "mine"


def test_a_folder_that_cannot_take_its_name_leaves_the_former_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CorpusError, match="out cannot be written"), LocalPlace(out).folder("manifest", ()):
        next(tmp_path.glob(".out.*.part")).rmdir()
    assert [(path.name, (path / "mine").read_text()) for path in tmp_path.iterdir()] == [("out", "mine")]


def test_a_file_that_is_a_folder_is_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is no file, where one was expected: remove it, or name another corpus"), LocalPlace(tmp_path).opened():
        pass
