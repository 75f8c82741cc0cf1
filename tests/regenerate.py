"""`python -m tests.regenerate` brings all generated files of the repository up to date, and shows what changed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from click.testing import CliRunner

from brokerfuzz.cli import commands
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract
from brokerfuzz.schemas.typed_source import typed_source
from brokerfuzz.wording import counted

ROOT = Path(__file__).parents[1]
CORPUS = "brokerfuzz/corpus/data"
GOLDEN = {
    "tests/cli/golden": "tests/cli/test_explaining.py",
    "tests/reports/golden": "tests/reports/test_golden_reports.py",
}
"""Maps folders of expected outputs to the tests that write them."""
_SHOWN, _WIDTH = 8, 110


def _typed() -> None:
    (ROOT / "brokerfuzz/typed.py").write_text(typed_source(load_contract()), encoding="utf-8")


def _rule_ids() -> None:
    ids = "".join(f"{rule_id}\n" for rule_id in load_contract().rules_by_id)
    (ROOT / "tests/schemas/rule_ids.txt").write_text(ids, encoding="utf-8")


def _corpus() -> None:
    for name in MESSAGE_TYPES:
        out = str(ROOT / CORPUS / f"{name}.ndjson")
        done = CliRunner().invoke(commands, ["export", out, "--message", name, "--force"])
        assert done.exit_code == 0, done.output


def _golden() -> None:
    """Tests with `as_expected` in their names write the files with which they compare."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", "", "-k", "as_expected", *GOLDEN.values()]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "UPDATE_GOLDEN": "1"}, check=True, capture_output=True)


def _contents() -> dict[str, str]:
    """Maps the names of the generated files to their contents."""
    folders = [path for folder in (CORPUS, *GOLDEN) for path in (ROOT / folder).iterdir()]
    files = [ROOT / "brokerfuzz/typed.py", ROOT / "tests/schemas/rule_ids.txt", *sorted(folders)]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


def _changes(name: str, before: str, after: str) -> Iterator[str]:
    """Yields the number of lines that differ, and some of them."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    changed = [line for line in lines if not line.startswith("@@")]
    added, removed = (sum(line.startswith(sign) for line in changed) for sign in "+-")
    yield f"{name}: {counted(added, 'line')} added, {removed:,} removed"
    yield from (f"  {line[:_WIDTH]}" for line in changed[:_SHOWN])
    yield from [f"  … {len(changed) - _SHOWN} more lines"] if len(changed) > _SHOWN else []


def main() -> None:
    before = _contents()
    for write in (_typed, _rule_ids, _corpus, _golden):
        write()
    after = _contents()
    names = [name for name in after if after[name] != before.get(name)]
    for name in names:
        print("\n".join(_changes(name, before.get(name, ""), after[name])))
    print(f"{len(names)} of {len(after)} generated files changed")


if __name__ == "__main__":
    main()
