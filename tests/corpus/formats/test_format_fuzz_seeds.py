import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from exported_cases import OFFER, cases, folder

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.fuzz_seeds import LARGEST_SEED, LONGEST_TOKEN, dictionary
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract

SECONDS = 60
ENTRY = re.compile(r'"((?:[ !#-\[\]-~]|\\[\\"]|\\x[0-9a-f]{2})+)"')
"""A line of a dictionary, as documented by AFL++ and libFuzzer: double quotes around printable ASCII characters and
escaped bytes.
"""


GO_TARGET = """package seeds

import (
	"fmt"
	"os"
	"testing"
)

func FuzzOfferCreationRequest(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		seen, _ := os.OpenFile("seen.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		defer seen.Close()
		fmt.Fprintf(seen, "%x\\n", body)
	})
}
"""


def some() -> tuple[Case, ...]:
    return cases()[::8]


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    return folder("fuzz-seeds", some())


@pytest.fixture
def out(tmp_path: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def tokens(text: bytes) -> Iterator[bytes]:
    """Yields the tokens of a dictionary. Fails if a line does not match `ENTRY`."""
    for line in text.decode("ascii").removesuffix("\n").split("\n"):
        if not line.startswith("#"):
            entry = ENTRY.fullmatch(line)
            assert entry, line
            yield re.sub(
                r'\\(?:x(..)|([\\"]))', lambda found: chr(int(found[1], 16)) if found[1] else found[2], entry[1]
            ).encode("latin-1")


def test_seeds_are_the_distinct_messages_named_by_their_digest(files: Mapping[str, bytes]) -> None:
    seeds = {name: body for name, body in files.items() if name.startswith("seeds/")}
    assert set(seeds) == {
        f"seeds/{case.message_type}/{sha1(case.body).hexdigest()}" for case in some() if len(case.body) <= LARGEST_SEED
    }  # fmt: skip
    assert all(name.endswith(sha1(body).hexdigest()) for name, body in seeds.items())


def test_go_reads_the_seeds_of_its_fuzz_targets(out: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    (out / "go.mod").write_text("module example.com/seeds\n\ngo 1.18\n")
    (out / "seeds_test.go").write_text(GO_TARGET)
    environment = {**os.environ, "GOFLAGS": "-mod=mod -vet=off", "GOCACHE": str(out / "cache"), "HOME": str(out)}
    done = subprocess.run(
        ["go", "test", "."], cwd=out, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout
    read = {bytes.fromhex(line) for line in (out / "seen.txt").read_text().splitlines()}
    assert read == {path.read_bytes() for path in (out / "seeds" / OFFER).iterdir()}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_dictionary_is_well_formed_and_contains_every_property_once(
    files: Mapping[str, bytes], message_type: str
) -> None:
    found = list(tokens(files[f"{message_type}.dict"]))
    assert len(set(found)) == len(found)
    assert all(0 < len(token) <= LONGEST_TOKEN for token in found)
    named = {site.name for site in load_contract().sites[message_type].values() if site.name}
    assert named == {token[1:-2].decode() for token in found if re.fullmatch(rb'"\w+":', token)}


def test_a_dictionary_contains_listed_values_and_numbers_around_bounds(files: Mapping[str, bytes]) -> None:
    found = set(tokens(files[f"{OFFER}.dict"]))
    assert {b'"Product List"', b'"VDM"', b"0", b"1", b"2", b"2147483647", b"2147483648", b"-2147483649"} <= found


def test_names_and_values_of_a_changed_contract_are_escaped_too(tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"] |= {'quo"te': {"type": "string"}, "größe": {"enum": ["back\\slash", "x" * 200]}}

    found = set(tokens(dictionary(changed_contract(tmp_path, OFFER, change), OFFER)))
    assert {b'"quo\\"te":', '"größe":'.encode(), b'"back\\\\slash"'} <= found
    assert not any(b"xxx" in token for token in found)


def test_libfuzzer_accepts_the_dictionary_and_every_seed(out: Path) -> None:
    if not shutil.which("clang"):
        pytest.skip("clang is not installed, so there is no libFuzzer")
    (out / "target.c").write_text(
        "#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) { return 0; "
        "}\n"
    )
    built = subprocess.run(
        ["clang", "-fsanitize=fuzzer", "target.c", "-o", "target"],
        cwd=out,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if built.returncode:
        pytest.skip("clang has no libFuzzer")
    for message_type in MESSAGE_TYPES:
        command = ["./target", f"-dict={message_type}.dict", "-runs=0", f"seeds/{message_type}"]
        done = subprocess.run(command, cwd=out, capture_output=True, text=True, timeout=SECONDS, check=True)
        assert f"Dictionary: {len(list(tokens((out / f'{message_type}.dict').read_bytes())))} entries" in done.stderr
        seeds = [path for path in (out / "seeds" / message_type).iterdir() if path.stat().st_size]
        assert re.search(rf"seed corpus: files: {len(seeds)} ", done.stderr)


def test_afl_accepts_every_token(out: Path) -> None:
    if not shutil.which("afl-fuzz"):
        pytest.skip("AFL++ is not installed")
    names = "AFL_NO_UI AFL_NO_AFFINITY AFL_SKIP_CPUFREQ AFL_SKIP_BIN_CHECK AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES"
    environment = {**os.environ, **dict.fromkeys(names.split(), "1")}
    (out / "in").mkdir()
    (out / "in" / "one").write_bytes(b"{}")
    for message_type in MESSAGE_TYPES:
        command = f"afl-fuzz -n -E 1 -i in -o found-{message_type} -x {message_type}.dict -- /bin/cat @@".split()
        done = subprocess.run(
            command, cwd=out, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert f"Loaded {len(list(tokens((out / f'{message_type}.dict').read_bytes())))} extra tokens" in done.stdout
