import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from exported_cases import fill_in
from validators import NODE

Report = Mapping[str, tuple[str, str]]
"""Maps the name of each test to its outcome (passed, failed or skipped) and its
message.
"""


@dataclass(frozen=True)
class Runner:
    """Runs the tests of a format in a folder. The programs in `needs` must be installed. In the file `template`,
    `stand_in` replaces the code `incomplete`, which users must complete.

    The stand-in writes each received message to `seen.txt`, in hexadecimal. The stand-in rejects the messages in
    `invalid.txt`, but has two bugs: it accepts `"orderMinimum":0`, and it crashes on the number `crash`.
    """

    format: str
    needs: tuple[str, ...]
    template: str
    incomplete: str
    stand_in: str
    run: Callable[[Path, Path], Report]
    data: str = ""
    can_skip: bool = True
    lists_functions: bool = False
    expected_failures: str = "expected-failures"

    def report(self, folder: Path, *, complete: bool = True) -> Report:
        """Runs the tests in a folder. If `complete` is true, first completes the template."""
        for program in self.needs:
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not installed")
        if complete:
            fill_in(folder / self.template, self.incomplete, self.stand_in)
        built = folder.with_name("built")
        built.mkdir(exist_ok=True)
        return self.run(folder, built)


def output(command: list[str], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )
    return done.stdout + done.stderr


def go_settings(home: Path) -> dict[str, str]:
    """Returns environment variables for Go. All tests share what it has compiled."""
    return {"GOFLAGS": "-mod=mod -vet=off", "GOCACHE": str(home.parent / "go"), "HOME": str(home)}


GO_STAND_IN = """package brokercontract

import (
	"encoding/hex"
	"os"
	"strings"
)

func standIn(body []byte) bool {
	told := hex.EncodeToString(body) + "\\n"
	seen, _ := os.OpenFile("seen.txt", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	defer seen.Close()
	seen.WriteString(told)
	if strings.Contains(string(body), `"crash"`) {
		panic("a bug")
	}
	invalid, _ := os.ReadFile("invalid.txt")
	return strings.Contains(string(body), `"orderMinimum":0`) || !strings.Contains(string(invalid), told)
}
"""


def _go(folder: Path, built: Path) -> Report:
    (folder / "go.mod").write_text("module example.com/brokercontract\n\ngo 1.18\n")
    (folder / "stand_in_test.go").write_text(GO_STAND_IN)
    printed = output(["go", "test", "-json", "."], folder, **go_settings(folder.parent))
    events = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    names = {event["Test"]: "" for event in events if "Test" in event}
    for event in events:
        if event["Action"] == "output" and "Test" in event:
            names[event["Test"]] += event["Output"]
    outcomes = {
        event["Test"]: event["Action"] + "ed"
        for event in events
        if event["Action"] in ("pass", "fail", "skip") and "Test" in event
    }
    leaves = {name: said for name, said in names.items() if not any(other.startswith(f"{name}/") for other in names)}
    assert leaves, printed
    return {
        name.removeprefix("TestBrokerContract/"): (outcomes[name].replace("skiped", "skipped"), said)
        for name, said in leaves.items()
    }


def _rust(folder: Path, built: Path) -> Report:
    program = str(built / "rust")
    said = output(["rustc", "--edition=2018", "--test", "-Cdebuginfo=0", "-o", program, "main.rs"], folder)
    assert Path(program).exists(), said
    printed = output([program], folder, RUST_BACKTRACE="0")
    found = dict(re.findall(r"^test (\S+) \.\.\. (ok|FAILED)$", printed, re.MULTILINE))
    texts = dict(
        re.findall(r"^---- (\S+) stdout ----\n(.*?)(?=\n\n----|\n\nfailures:|\Z)", printed, re.MULTILINE | re.DOTALL)
    )
    return {
        name.replace("::", " "): ("passed" if outcome == "ok" else "failed", texts.get(name, ""))
        for name, outcome in found.items()
    }


def _phpunit(folder: Path, built: Path) -> Report:
    log = built / "phpunit.xml"
    printed = output(
        ["phpunit", "--no-configuration", "--do-not-cache-result", "--log-junit", str(log), str(folder)], folder
    )
    assert log.exists(), printed
    found = _junit_report(log)
    return {name.partition('data set "')[2].rstrip('"') or name: outcome for name, outcome in found.items()}


def _junit_report(log: Path) -> dict[str, tuple[str, str]]:
    found = {}
    for test in ET.parse(log).iter("testcase"):
        outcome = next((part for part in test if part.tag in ("failure", "error", "skipped")), None)
        text = "" if outcome is None else f"{outcome.get('message', '')}{outcome.text or ''}"
        found[test.get("name", "")] = (
            "passed" if outcome is None else "skipped" if outcome.tag == "skipped" else "failed",
            text,
        )
    return found


def _minitest(folder: Path, built: Path) -> Report:
    printed = output(["ruby", "-W", "broker_contract_test.rb", "--verbose", "--seed=1"], folder)
    lines = re.findall(r"^(.*?)#test_\d{4}_(.*) = \d+\.\d+ s = ([.FES])$", printed, re.MULTILINE)
    assert lines, printed
    texts = {
        text.split("\n", 2)[1].split(" [")[0]: text for text in printed.split("\n\n") if re.match(r" +\d+\) ", text)
    }
    outcomes = {".": "passed", "S": "skipped", "F": "failed", "E": "failed"}
    return {
        name if group == "cases" else f"{group} {name}": (
            outcomes[sign],
            next((text for title, text in texts.items() if name in title), ""),
        )
        for group, name, sign in lines
    }


def _vitest(folder: Path, built: Path) -> Report:
    if not (NODE / "node_modules" / "vitest").is_dir():
        pytest.skip("Vitest is not installed: run `npm ci` in tests/node")
    modules = folder.parent / "node_modules"  # Node looks for Vitest in the folders above the tests
    if not modules.exists():
        modules.symlink_to((NODE / "node_modules").resolve())
    log = built / "vitest.xml"
    vitest = str(NODE / "node_modules/vitest/vitest.mjs")
    printed = output(["node", vitest, "run", "--root", str(folder), "--reporter=junit", f"--outputFile={log}"], folder)
    assert log.exists(), printed
    return {name.replace(" > ", " "): outcome for name, outcome in _junit_report(log).items()}


JUNIT = [
    f"/usr/share/java/{name}.jar"
    for name in (
        "junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console",
        "junit-platform-engine",
        "junit-platform-launcher", "junit-platform-reporting", "opentest4j", "opentest4j-reporting-events",
        "apiguardian-api", "picocli",
    )
]  # fmt: skip


def _junit5(folder: Path, built: Path) -> Report:
    if not Path(JUNIT[0]).exists():
        pytest.skip("JUnit 5 is not installed (Debian's package junit5)")
    sources = [str(path) for path in (folder / "src/test/java").rglob("*.java")]
    if not (built / "brokerfuzz").exists():
        options = ["-Xlint:all,-processing,-path", "-encoding", "UTF-8", "-cp", ":".join(JUNIT), "-d", str(built)]
        assert output(["javac", *options, *sources], folder) == ""
    path = ":".join([str(built), "src/test/resources", *JUNIT])
    java = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp", path]
    options = ["--scan-classpath", str(built), f"--reports-dir={built}/reports", "--details=tree", "--disable-banner"]
    printed = output([*java, "org.junit.platform.console.ConsoleLauncher", *options], folder)
    log = built / "reports" / "TEST-junit-jupiter.xml"
    assert log.exists(), printed
    return {name.removesuffix("()"): outcome for name, outcome in _junit_report(log).items()}


RUNNERS = {
    "minitest": Runner(
        "minitest",
        ("ruby",), "accepts.rb", r"  raise \".*?\"\n",
        """  told = body.unpack1("H*") + "\\n"
  File.write("seen.txt", told, mode: "a")
  raise "a bug" if body.include?('"crash"')
  body.include?('"orderMinimum":0') || !File.read("invalid.txt").include?(told)
""",
        _minitest,
        expected_failures="expected-failures still fail",
    ),
    "rust": Runner(
        "rust",
        ("rustc",), "accepts.rs", r'    let _ = .*?panic!\(".*?"\)\n',
        """    use std::io::Write;
    let _ = message_type;
    let told: String = body.iter().map(|byte| format!("{:02x}", byte)).chain(["\\n".to_string()]).collect();
    std::fs::OpenOptions::new().append(true).create(true).open("seen.txt").unwrap().write_all(told.as_bytes()).unwrap();
    let text = String::from_utf8_lossy(body);
    assert!(!text.contains("\\"crash\\""), "a bug");
    text.contains("\\"orderMinimum\\":0") || !std::fs::read_to_string("invalid.txt").unwrap().contains(&told)
""",
        _rust,
        can_skip=False,
        lists_functions=True,
        expected_failures="expected_failures",
    ),
    "phpunit": Runner(
        "phpunit",
        ("phpunit",), "accepts.php", r"    throw new \\Error\(.*?\);\n",
        """    $told = bin2hex($body) . "\\n";
    file_put_contents(__DIR__ . '/seen.txt', $told, FILE_APPEND);
    if (str_contains($body, '"crash"')) {
        throw new \\LogicException('a bug');
    }
    return str_contains($body, '"orderMinimum":0') || !str_contains(file_get_contents(__DIR__ . '/invalid.txt'), $told);
""",
        _phpunit,
        expected_failures="testExpectedFailures",
    ),
    "go": Runner(
        "go",
        ("go",), "accepts_test.go", r'panic\(".*?"\)', "return standIn(body)",
        _go,
    ),
    "vitest": Runner(
        "vitest",
        ("node",), "accepts.ts", r"  throw new Error\(.*?\);\n",
        """  const { appendFileSync, readFileSync } = await import("node:fs");
  const told = Buffer.from(body).toString("hex") + "\\n";
  appendFileSync(new URL("./seen.txt", import.meta.url), told);
  const text = Buffer.from(body).toString();
  if (text.includes('"crash"')) throw new TypeError("a bug");
  return text.includes('"orderMinimum":0') || !readFileSync(new URL("./invalid.txt", import.meta.url), "utf8").includes(told);
""",
        _vitest,
    ),
    "junit5": Runner(
        "junit5",
        ("javac",), "src/test/java/brokerfuzz/Broker.java", r"        throw new AssertionError\(.*?\);\n",
        """        String told = java.util.HexFormat.of().formatHex(body) + "\\n";
        java.nio.file.Path seen = java.nio.file.Path.of("seen.txt");
        java.nio.file.Files.writeString(seen, told, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);
        String text = new String(body, java.nio.charset.StandardCharsets.UTF_8);
        if (text.contains("\\"crash\\"")) throw new IllegalStateException("a bug");
        return text.contains("\\"orderMinimum\\":0") || !java.nio.file.Files.readString(java.nio.file.Path.of("invalid.txt")).contains(told);
""",
        _junit5,
        data="src/test/resources/brokerfuzz/",
        lists_functions=True,
        expected_failures="expectedFailures",
    ),
}  # fmt: skip
