"""`junit5`: Java tests that compile, pass for a conforming system, and otherwise name the broken rule.

JUnit itself is not installed. Small stubs replace the classes that the tests use.
"""

import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from ready_suites import RULE, SEEN, TWIN, chosen, clocked, exported, fill_in

from brokerfuzz.corpus.formats.case_names import name_of
from brokerfuzz.corpus.formats.junit5 import COLUMNS

JUNIT_STUBS = {
    "org/junit/jupiter/api/TestFactory.java": "package org.junit.jupiter.api; public @interface TestFactory {}",
    "org/junit/jupiter/api/DynamicTest.java": """package org.junit.jupiter.api;
        public record DynamicTest(String name, Executable body) {
            public interface Executable { void execute() throws Throwable; }
            public static DynamicTest dynamicTest(String name, Executable body) { return new DynamicTest(name, body); }
        }""",
    "org/junit/jupiter/api/Assertions.java": """package org.junit.jupiter.api;
        import java.util.function.Supplier;
        public class Assertions {
            public static void assertTrue(boolean found, Supplier<String> said) { if (!found) fail(said.get()); }
            public static void assertFalse(boolean found, Supplier<String> said) { if (found) fail(said.get()); }
            public static <V> V fail(String said) { throw new AssertionError(said); }
            public static <V> V fail(String said, Throwable cause) { throw new AssertionError(said, cause); }
        }""",
    "org/junit/jupiter/api/Assumptions.java": """package org.junit.jupiter.api;
        import java.util.function.Supplier;
        public class Assumptions {
            public static class Aborted extends RuntimeException { Aborted(String said) { super(said); } }
            public static void assumeTrue(boolean found, Supplier<String> said) { if (!found) throw new Aborted(said.get()); }
        }""",
    "brokerfuzz/Run.java": """package brokerfuzz;
        public class Run {
            public static void main(String[] arguments) throws Throwable {
                new BrokerContractTest().brokerContract().forEach(test -> {
                    String outcome = "passed", said = "";
                    try { test.body().execute(); }
                    catch (org.junit.jupiter.api.Assumptions.Aborted problem) { outcome = "aborted"; said = problem.getMessage(); }
                    catch (Throwable problem) {
                        outcome = "failed";
                        said = problem.getMessage() + (problem.getCause() == null ? "" : " caused by " + problem.getCause());
                    }
                    System.out.println(test.name() + "\\t" + outcome + "\\t" + said.replace("\\n", " "));
                });
            }
        }""",
}
ANSWER = """try {
            String told = java.util.Base64.getEncoder().encodeToString(body);
            java.nio.file.Files.writeString(java.nio.file.Path.of("seen.txt"), told + "\\n", java.nio.file.StandardOpenOption.CREATE,
                java.nio.file.StandardOpenOption.APPEND);
            String bug = System.getProperty("bug", "");
            boolean invalid = java.nio.file.Files.readAllLines(java.nio.file.Path.of("invalid.txt")).contains(told);
            if (bug.equals("IllegalStateException")) throw new IllegalStateException(bug);
            if (bug.equals("UnsupportedOperationException")) java.util.List.of().add(null);
            if (bug.equals("accepts-zero") && new String(body).contains("\\"orderMinimum\\":0")) return true;
            return !invalid && !told.equals(bug);
        } finally { }
"""
Outcomes = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the completed and compiled tests."""
    return compiled_at(tmp_path_factory.mktemp("tests") / "contract", ANSWER)


def compiled_at(folder: Path, answer: str | None) -> Path:
    if shutil.which("javac") is None:
        pytest.skip("no Java compiler is installed")
    java = exported(folder, "junit5") / "src/test/java"
    if answer is not None:
        fill_in(java / "brokerfuzz/Broker.java", r"throw new AssertionError\(.*?\);\n", answer)
    for name, source in JUNIT_STUBS.items():
        (java / name).parent.mkdir(parents=True, exist_ok=True)
        (java / name).write_text(source)
    (folder / "invalid.txt").write_text("\n".join(b64encode(case.body).decode() for case in chosen() if case.label == "invalid"))
    sources = [str(path) for path in java.rglob("*.java")]
    done = subprocess.run(
        ["javac", "-Xlint:all", "-encoding", "UTF-8", "-d", "out", *sources], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "BrokerContractTest.java" not in done.stderr
    return folder


def outcomes_of(folder: Path, bug: str = "") -> Outcomes:
    command = ["java", f"-Dbug={bug}", "-Dfile.encoding=UTF-8", "-cp", "out:src/test/resources", "brokerfuzz.Run"]
    printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return {name: (outcome, said) for name, outcome, said in (line.split("\t") for line in printed.splitlines())}


def test_a_conforming_system_passes_and_gets_the_exact_bytes(compiled: Path) -> None:
    outcomes = outcomes_of(compiled)
    assert outcomes.keys() == {name_of(case) for case in chosen()}
    assert {name for name, (outcome, _) in outcomes.items() if outcome != "passed"} == clocked(), outcomes
    seen = {b64decode(line) for line in (compiled / SEEN).read_text().splitlines()}
    assert seen == {case.body for case in chosen() if name_of(case) not in clocked()}


def test_a_bug_fails_the_cases_of_its_rule_with_a_description(compiled: Path) -> None:
    failed = {name: said for name, (outcome, said) in outcomes_of(compiled, "accepts-zero").items() if outcome == "failed"}
    assert failed
    for name, said in failed.items():
        assert RULE in name
        assert f"accepted the invalid offer-creation-request {name[-16:]}" in said
    assert any(f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in said for said in failed.values())


def test_a_rejection_is_inconclusive_if_the_twin_is_rejected_too(compiled: Path) -> None:
    outcomes = outcomes_of(compiled, b64encode(TWIN).decode())
    twin, fault = (name_of(case) for case in chosen()[:2])
    assert outcomes[twin][0] == "failed"
    assert outcomes[fault] == ("aborted", f"inconclusive: your system also rejects the twin (the valid counterpart), {twin}")


@pytest.mark.parametrize("name", ["IllegalStateException", "UnsupportedOperationException"])
def test_any_exception_is_a_crash_and_fails_for_every_verdict(name: str, compiled: Path) -> None:
    outcomes = outcomes_of(compiled, name)
    assert {name for name, (outcome, _) in outcomes.items() if outcome != "failed"} == clocked()
    assert all(re.match(rf"crashed on the .* caused by java\.lang\.{name}", said) for outcome, said in outcomes.values() if outcome == "failed")
    assert all(said.isascii() for _, said in outcomes.values())


def test_an_incomplete_template_fails_with_an_instruction(tmp_path: Path) -> None:
    outcomes = outcomes_of(compiled_at(tmp_path / "contract", None))
    assert {name for name, (outcome, _) in outcomes.items() if outcome != "failed"} == clocked()
    assert all(said.startswith("complete accepts() in Broker.java: ") for outcome, said in outcomes.values() if outcome == "failed")


def test_a_java_parser_finds_no_syntax_error(tmp_path: Path) -> None:
    java = pytest.importorskip("tree_sitter_java", reason="tree-sitter-java is not installed")
    from tree_sitter import Language, Parser

    folder = exported(tmp_path / "contract", "junit5") / "src/test/java/brokerfuzz"
    for name in ("Broker.java", "BrokerContractTest.java"):
        assert not Parser(Language(java.language())).parse((folder / name).read_bytes()).root_node.has_error


def test_every_line_has_the_same_columns_even_for_hostile_cases(tmp_path: Path) -> None:
    data = (exported(tmp_path / "contract", "junit5") / "src/test/resources/brokerfuzz/cases.tsv").read_bytes()
    head, *lines = data.decode().removesuffix("\n").split("\n")
    assert tuple(head.split("\t")) == COLUMNS
    assert len(lines) == len(chosen())
    for line, case in zip(lines, chosen(), strict=True):
        values = dict(zip(COLUMNS, line.split("\t"), strict=True))
        body = values["body"]
        assert (values["id"], values["verdict"]) == (case.id, case.label)
        assert (b64decode(body.removeprefix("base64:")) if body.startswith("base64:") else body.encode()) == case.body
