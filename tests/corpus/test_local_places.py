import os
import re
import shutil
import subprocess
import sys
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
    assert [(path.name[:5], path.suffix, (path / "file").read_bytes()) for path in left] == [
        (".out.", ".part", b"left")
    ]


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
    with (
        place.folder("manifest", {"former", "cases", "cases/former", "cases/changed"}) as create,
        create("cases/changed") as stream,
    ):
        stream.write(b"new")
    found = {path.relative_to(out).as_posix() for path in out.rglob("*")}
    assert found == {"cases", "cases/changed", "cases/notes.md", ".git", ".git/refs", "latest"}
    assert (out / "latest/changed").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_former_corpus_stays_if_a_file_of_the_user_has_no_place_in_the_new_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "cases").mkdir(parents=True)
    (out / "cases/notes.md").write_text("mine")
    with (
        pytest.raises(
            CorpusError,
            match=f"contains the file {re.escape(str(out / 'cases'))}, but you have a folder with this name: move",
        ),
        LocalPlace(out).folder("manifest", {"cases"}) as create,
        create("cases") as stream,
    ):
        stream.write(b"a file")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == [
        "out",
        "out/cases",
        "out/cases/notes.md",
    ]


KILLED = """
import os, sys
from pathlib import Path
from brokerfuzz.corpus.places import local, folder_swap
at, out = int(sys.argv[1]), Path(sys.argv[2])
calls = 0

def dies_before_one_of_its_calls(*args):
    global calls
    calls += 1
    if calls == at:
        os.kill(os.getpid(), 9)

def told(event, args):
    if event in ("os.rename", "os.link", "os.remove", "os.rmdir", "shutil.rmtree", "os.mkdir", "ctypes.call_function"):
        dies_before_one_of_its_calls()

with local.LocalPlace(out).folder("manifest", {"former"}) as create:
    with create("former") as stream:
        stream.write(b"new")
    sys.addaudithook(told)
"""


def test_a_replacement_that_is_killed_at_any_moment_leaves_a_whole_folder_with_the_files_of_the_user(
    tmp_path: Path,
) -> None:
    found = []
    for moment in range(1, 40):
        out = tmp_path / str(moment) / "out"
        out.mkdir(parents=True)
        (out / "former").write_text("former")
        (out / "mine").write_text("mine")
        done = subprocess.run([sys.executable, "-c", KILLED, str(moment), str(out)], check=False, timeout=60)
        found.append((out / "former").read_text())
        assert (out / "mine").read_text() == "mine"
        if done.returncode == 0:
            break
    assert found == sorted(found, key=["former", "new"].index)
    assert {"former", "new"} == set(found)
    assert len(found) > 3


def test_what_killed_writers_left_is_removed_but_not_what_others_are_writing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = LocalPlace(tmp_path / "out")
    writing = place.folder("manifest", ())
    writing.__enter__()
    killed, fresh, file = (
        tmp_path / name for name in (".out.0123abcd.part", ".out.4567abcd.part", ".out.89abcdef.part")
    )
    killed.mkdir()
    (killed / "case").write_text("{}")
    file.write_text("{}")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    fresh.mkdir()
    with place.folder("manifest", ()):
        pass
    assert sorted(record.message.split()[2].rstrip(",") for record in caplog.records) == [str(killed), str(file)]
    assert not killed.exists()
    assert not file.exists()
    assert fresh.exists()
    writing.__exit__(None, None, None)
    assert (tmp_path / "out").is_dir()


def test_the_former_folder_stays_if_the_new_one_cannot_be_renamed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("mine")
    with pytest.raises(CorpusError, match="out cannot be written"), LocalPlace(out).folder("manifest", {"mine"}):
        next(tmp_path.glob(".out.*.part")).rmdir()
    assert [(path.name, (path / "mine").read_text()) for path in tmp_path.iterdir()] == [("out", "mine")]


def test_a_folder_in_place_of_a_file_gives_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(CorpusError, match="should be a file, but is not: remove it, or specify another corpus"),
        LocalPlace(tmp_path).opened(),
    ):
        pass
