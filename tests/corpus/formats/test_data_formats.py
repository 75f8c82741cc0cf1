"""Formats for other programs: each program reads the bytes and verdicts of the cases."""

import json
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
from exported_cases import OFFER, cases, chosen, folder
from fixture_types import Run
from suite_runners import go_settings, output

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import read, write
from brokerfuzz.corpus.formats.fuzz_seeds import LARGEST_SEED, LONGEST_TOKEN, dictionary
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, check, load_contract

SECONDS = 60


def facts(case: Case) -> tuple[object, ...]:
    return case.id, case.message_type, case.body, case.verdict, case.faults, case.tags, case.twin_id


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


# -------------------------------------------------------------------------------------------------------------- files


def tenth() -> tuple[Case, ...]:
    """Returns a tenth of the cases, with their twins."""
    twins = {case.twin_id for case in cases()[::10]}
    return tuple(case for number, case in enumerate(cases()) if number % 10 == 0 or case.id in twins)


def test_names_of_files_contain_the_verdict_and_the_topic_and_do_not_depend_on_other_cases() -> None:
    named = dict(zip((case.id for case in tenth()), folder("files", tenth()), strict=False))
    for case in tenth():
        path = named[case.id]
        assert path.startswith(f"{case.message_type}/{case.label}/")
        assert path.endswith(f"{case.id}.json")
        assert all(fault.technique in path for fault in case.faults[:1])
        assert all(tag.removeprefix("as:") in path for tag in case.tags if tag.startswith("as:") and len(tag) < 20)
    assert folder("files", tenth()[1:]).keys() < folder("files", tenth()).keys()


def test_git_keeps_every_byte_even_if_it_converts_line_endings(tmp_path: Path) -> None:
    need("git")
    corpus = tmp_path / "corpus"
    write(corpus, tenth(), fmt="files")
    before = {path: path.read_bytes() for path in corpus.rglob("*.*")}
    for command in (
        "init --quiet", "config core.autocrlf true", "config user.name n", "config user.email n@broker.example",
        "add corpus", "commit --quiet --message Corpus", "rm --quiet -r corpus", "reset --quiet --hard",
    ):  # fmt: skip
        subprocess.run(["git", "-C", tmp_path, *command.split()], check=True, capture_output=True)
    assert [facts(case) for case in read(corpus)] == [facts(case) for case in tenth()]
    assert {path: path.read_bytes() for path in corpus.rglob("*.*")} == before


# --------------------------------------------------------------------------------------------------------- fuzz-seeds

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
C_TARGET = """#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) { return 0; }
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds") / "out"
    write(folder, cases()[::8], fmt="fuzz-seeds")
    return folder


def tokens(text: bytes) -> list[bytes]:
    """Returns the tokens of a dictionary. Fails if a line does not match `ENTRY`."""
    entries = [line for line in text.decode("ascii").removesuffix("\n").split("\n") if not line.startswith("#")]
    return [_unescaped(line) for line in entries]


def _unescaped(line: str) -> bytes:
    entry = ENTRY.fullmatch(line)
    assert entry, line
    text = re.sub(r'\\(?:x(..)|([\\"]))', lambda found: chr(int(found[1], 16)) if found[1] else found[2], entry[1])
    return text.encode("latin-1")


def test_seeds_are_the_distinct_messages_and_go_reads_those_of_its_fuzz_target(out: Path, tmp_path: Path) -> None:
    need("go")
    seeds = {str(path.relative_to(out / "seeds")): path.read_bytes() for path in (out / "seeds").glob("*/*")}
    small = [case for case in cases()[::8] if len(case.body) <= LARGEST_SEED]
    assert seeds == {f"{case.message_type}/{sha1(case.body).hexdigest()}": case.body for case in small}
    shutil.copytree(out / "testdata/fuzz/FuzzOfferCreationRequest", tmp_path / "testdata/fuzz/FuzzOfferCreationRequest")
    (tmp_path / "go.mod").write_text("module example.com/seeds\n\ngo 1.18\n")
    (tmp_path / "seeds_test.go").write_text(GO_TARGET)
    printed = output(["go", "test", "."], tmp_path, **go_settings(tmp_path))
    assert printed.startswith("ok"), printed
    lines = {bytes.fromhex(line) for line in (tmp_path / "seen.txt").read_text().splitlines()}
    assert lines == {body for name, body in seeds.items() if name.startswith(f"{OFFER}/")}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_dictionary_is_well_formed_and_contains_every_property_once(out: Path, message_type: str) -> None:
    found = tokens((out / f"{message_type}.dict").read_bytes())
    assert len(set(found)) == len(found)
    assert all(0 < len(token) <= LONGEST_TOKEN for token in found)
    named = {site.name for site in load_contract().sites[message_type].values() if site.name}
    assert named == {token[1:-2].decode() for token in found if re.fullmatch(rb'"\w+":', token)}
    if message_type == OFFER:
        numbers = {b"0", b"1", b"2", b"2147483647", b"2147483648", b"-2147483649"}
        assert {b'"Product List"', b'"VDM"', *numbers} <= set(found)


def test_names_and_values_of_a_changed_contract_are_escaped_too(tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"] |= {'quo"te': {"type": "string"}, "größe": {"enum": ["back\\slash", "x" * 200]}}

    found = set(tokens(dictionary(changed_contract(tmp_path, OFFER, change), OFFER)))
    assert {b'"quo\\"te":', '"größe":'.encode(), b'"back\\\\slash"'} <= found
    assert not any(b"xxx" in token for token in found)


def test_libfuzzer_accepts_the_dictionary_and_every_seed(out: Path, tmp_path: Path) -> None:
    need("clang")
    (tmp_path / "target.c").write_text(C_TARGET)
    target = str(tmp_path / "target")
    command = ["clang", "-fsanitize=fuzzer", f"{target}.c", "-o", target]
    if subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode:
        pytest.skip("clang has no libFuzzer")
    for message_type in MESSAGE_TYPES:
        command = [target, f"-dict={message_type}.dict", "-runs=0", f"seeds/{message_type}"]
        done = subprocess.run(command, cwd=out, capture_output=True, text=True, timeout=SECONDS, check=True)
        assert f"Dictionary: {len(tokens((out / f'{message_type}.dict').read_bytes()))} entries" in done.stderr
        seeds = [path for path in (out / "seeds" / message_type).iterdir() if path.stat().st_size]
        assert re.search(rf"seed corpus: files: {len(seeds)} ", done.stderr)


def test_afl_accepts_every_token(out: Path) -> None:
    need("afl-fuzz")
    names = "AFL_NO_UI AFL_NO_AFFINITY AFL_SKIP_CPUFREQ AFL_SKIP_BIN_CHECK AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES"
    own = {**os.environ, **dict.fromkeys(names.split(), "1")}
    (out / "in").mkdir()
    (out / "in" / "one").write_bytes(b"{}")
    for message_type in MESSAGE_TYPES:
        command = f"afl-fuzz -n -E 1 -i in -o found-{message_type} -x {message_type}.dict -- /bin/cat @@".split()
        done = subprocess.run(command, cwd=out, env=own, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert f"Loaded {len(tokens((out / f'{message_type}.dict').read_bytes()))} extra tokens" in done.stdout


# ----------------------------------------------------------------------------------------------------------- wiremock

Stub = dict[str, Any]


@pytest.fixture(scope="module")
def mixed() -> list[Case]:
    return list({case.id: case for case in [*chosen(), *cases()[::10]]}.values())


@pytest.fixture(scope="module")
def files(mixed: list[Case]) -> Mapping[str, bytes]:
    return folder("wiremock", mixed)


def served(files: Mapping[str, bytes], method: str, path: str, *, state: str = "Started") -> bytes:
    """Imitates WireMock, which is not installed: among the matching stubs, the stub with the lowest `priority` gives
    the response. The stubs were tested manually with WireMock 3.13.
    """

    def fits(stub: Stub) -> bool:
        request = stub["request"]
        return (
            request["method"] in (method, "ANY")
            and (request.get("urlPath") == path or bool(re.fullmatch(request.get("urlPattern", "(?!)"), path)))
            and stub.get("requiredScenarioState", state) == state
        )

    response = min(filter(fits, stubs(files)), key=lambda stub: stub["priority"])["response"]
    assert response["status"] == 200
    assert response["headers"] == {"Content-Type": "application/json"}
    assert response["transformerParameters"] == {"disableBodyFileTemplating": True}
    return files[f"__files/{response['bodyFileName']}"]


def stubs(files: Mapping[str, bytes]) -> Iterator[Stub]:
    for mapping in (json.loads(content) for name, content in files.items() if name.startswith("mappings/")):
        yield from mapping.get("mappings", [mapping])


def test_each_response_is_served_by_path_and_state_and_listed(files: Mapping[str, bytes], mixed: list[Case]) -> None:
    responses = [case for case in mixed if case.message_type != OFFER]
    last = responses[-1].id
    for case in responses[:20]:
        assert served(files, "GET", f"/brokerfuzz/{case.message_type}/{case.id}", state=last) == case.body
        assert served(files, "GET", "/products?page=1", state=case.id) == case.body
    listed = json.loads(served(files, "GET", "/brokerfuzz"))
    found = {entry["id"]: files[f"__files{entry['path']}.json"] for entry in listed}
    assert found == {case.id: case.body for case in responses}
    assert check("product-list-response", served(files, "GET", "/products")).label == "valid"
    assert check("offer-pricing-response", served(files, "POST", "/pricing")).label == "valid"


def test_the_readme_of_stubs_names_the_folder_and_a_corpus_without_responses_is_rejected(
    files: Mapping[str, bytes], run: Run, tmp_path: Path
) -> None:
    readme = files["README.md"].decode()
    assert len(readme.splitlines()) <= 14
    assert "--root-dir FOLDER" in readme
    assert "`GET /products`: product-list-response" in readme
    with pytest.raises(CorpusError, match="choose responses with --message"):
        folder("wiremock", chosen()[:3])
    result = run("export", tmp_path / "out", "--format", "wiremock", "--message", OFFER)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not offer-creation-request: use --message product-list-response" in result.stderr
    assert list(tmp_path.iterdir()) == []
