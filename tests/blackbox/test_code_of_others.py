"""brokerfuzz runs no code that other people put into the current folder."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, serving
from pricing_reader import PRICING

SOME: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
MODULES: Final = ("multiprocessing", "asyncio", "json", "orjson", "jsonschema_rs", "uvicorn", "brokerfuzz", "random")
OTHER_USER: Final = 12_345
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to another user"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(answers(conforming)) as url:
        yield url


@pytest.fixture
def traps(folder: Path) -> Path:
    """Makes a folder with modules of a stranger the current folder. Each module that is imported adds a line to the
    file `ran`.
    """
    for name in MODULES:
        (folder / f"{name}.py").write_text(
            f"open({str(folder / 'ran')!r}, 'a').write({name!r})\nraise SystemExit({name!r})\n"
        )
    return folder / "ran"


SCHEMA: Final = (
    '{"$id": "urn:x", "type": "object", "properties": {"number": {"type": "string", "pattern": "^[a-z]+$"}}}'
)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(("fire", "URL", *SOME, "--workers", "2"), 0, id="workers of a campaign"),
        pytest.param(
            ("export", "OUT", "--message", PRICING, "--random", "1000", "--workers", "2"), 0,
            id="workers of an export", marks=pytest.mark.long,
        ),
        pytest.param(("fire", "--demo", *SOME), 0, id="the reference service", marks=pytest.mark.long),
        pytest.param(("check", "offer.json", "--contract", "contract"), 1, id="patterns of a contract"),
    ],
)  # fmt: skip
def test_no_process_runs_a_module_in_the_current_folder(
    traps: Path, folder: Path, url: str, tmp_path_factory: pytest.TempPathFactory, words: tuple[str, ...], status: int
) -> None:
    elsewhere = tmp_path_factory.mktemp("bin")
    script = elsewhere / "command.py"  # as the installed command, which is a script in another folder
    script.write_text("from brokerfuzz.cli import main\nif __name__ == '__main__':\n    main()\n")
    (folder / "contract").mkdir()
    (folder / "contract" / "offer-creation-request.schema.json").write_text(SCHEMA)
    (folder / "offer.json").write_text('{"number": "A"}')
    places = {"URL": url, "OUT": str(elsewhere / "corpus.ndjson")}
    command = [sys.executable, str(script), *(places.get(word, word) for word in words)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (done.returncode, traps.exists()) == (status, False), done.stderr


CONFIGURATIONS: Final = {
    "brokerfuzz.toml": "exec = 'touch ran'\n",
    "pyproject.toml": "[tool.brokerfuzz.target]\nexec = 'touch ran'\n",
}


@as_root
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_file_of_another_user_is_rejected_with_one_line(name: str, run: Run, folder: Path) -> None:
    (folder / name).write_text(CONFIGURATIONS[name])
    os.chown(name, OTHER_USER, -1)
    path = folder / name
    for words in (["fire"], ["fire", *SOME], ["replay", "report.json"]):
        done = run(*words)
        assert done.exit_code == 2
        assert (
            done.stderr
            == f"brokerfuzz: {path} belongs to another user: read the file, and add --config {path} if you trust it\n"
        )
    assert not (folder / "ran").exists()
    assert "belongs to" not in run("fire", "--config", name, *SOME).stderr


@as_root
def test_a_link_or_a_parent_folder_does_not_hide_that_a_configuration_file_belongs_to_another_user(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.toml").write_text(CONFIGURATIONS["brokerfuzz.toml"])
    Path("brokerfuzz.toml").symlink_to("other.toml")
    os.chown("brokerfuzz.toml", OTHER_USER, -1, follow_symlinks=False)
    assert "belongs to another user" in run("fire").stderr
    for name in (".git", "inner"):
        (folder / name).mkdir()
    monkeypatch.chdir("inner")
    assert "belongs to another user" in run("fire").stderr
