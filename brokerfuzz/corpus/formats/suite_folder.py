"""Writes a test suite for one language: a table of the cases, tests that read the table, and a function that the user
completes.

    cases.tsv            a table of the cases, which programs can read without a JSON parser
    expected-failures    the failures that the user knows, see `known_failures`
    accepts.ts           the function that the user completes
    README.md            how to run the tests

The source code of the tests is in the folder `suites`. Only the names of groups and tests are copied from the cases
into code. There, these names consist of letters, digits and `_`. Later exports do not change the files of the user.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, filled, source
from brokerfuzz.corpus.formats.suite_cases import SuiteCase, arranged, named_tests
from brokerfuzz.name_patterns import name_pattern

TABLE, EXPECTED_FAILURES, README = "cases.tsv", "expected-failures", "README.md"
ENTRY = "expected-failures entry: "
"""The failure of a test contains a line with this text for each case that fails. After it comes the line for the file
`expected-failures`.
"""
COLUMNS = ("test", "group", "name", "id", "message", "verdict", "twin", "reason", "body")
"""The names of the columns, which are the first line of the table. Only `body` is percent-encoded."""
_ESCAPED = re.compile(rb"[^ -$&-*,-~]")
"""Matches `%`, `+` (which some decoders read as a space), and all bytes that are not printable ASCII."""


def suite(
    name: str, *, tests: str, template: str, place: str, run: str, home: str = "FOLDER/", code: str = "",
    data: str = "",
    listing: tuple[str, Callable[[Sequence[SuiteCase]], Iterator[bytes]]] | None = None,
) -> Format:  # fmt: skip
    """Returns the format of a test suite.

    `tests` and `template` are files in the folder `suites`, which are copied to the folder `code`. `cases.tsv` and
    `expected-failures` are in the folder `data`. For languages that cannot create tests at run time, `listing` is the
    name of a file with one line of code per test, and a function that returns its content.

    For the README, `place` is a sentence that says where the user puts the folder, `run` is the command that runs the
    tests, and `home` is the path of the folder where this command runs. In these three, `FOLDER` stands for the name of
    the folder.
    """

    def files(chosen: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
        cases = arranged(chosen, info)
        yield File(code + tests, [source(tests)])
        yield File(code + template, [source(template)], is_template=True)
        if listing is not None:
            yield File(code + listing[0], listing[1](cases))
        yield File(data + TABLE, _table(cases))
        yield known_failures(cases, data)
        complete = (
            f"Complete the function in `{code + template}`: give the message to your system, and return true "
            "if your system accepts it."
        )
        yield readme(info, place=place, complete=complete, run=run, home=home, expected=data + EXPECTED_FAILURES)

    return Format(name, files)


def known_failures(cases: Sequence[SuiteCase], folder: str = "") -> File:
    """Returns the file `expected-failures`, in which users list the names of the cases that they know to fail. In an
    entry, `*` matches any characters. A comment begins with `#`. Tests ignore an entry that matches no case.
    """
    warnings = partial(_stale_entries, names={entry.name for entry in cases})
    return File(folder + EXPECTED_FAILURES, [source(EXPECTED_FAILURES)], is_template=True, warnings=warnings)


def _stale_entries(path: Path, content: bytes, names: Collection[str]) -> Iterator[str]:
    stale = []
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        entry = line.partition("#")[0].strip()
        if entry and entry not in names and not any(map(name_pattern(entry).fullmatch, names)):
            stale.append(f"line {number}: {entry}")
    if stale:
        yield f"{path} has entries that match no case: remove {'; '.join(stale)}"


def readme(info: CorpusInfo, *, expected: str, home: str = "FOLDER/", **texts: str) -> File:
    folder = shlex.quote(info.folder)
    texts = {name: text.replace("FOLDER", folder) for name, text in {**texts, "home": home}.items()}
    return File(
        README, [filled("readme-suite.md", **texts, expected=expected, folder=folder, recipe=info.recipe, entry=ENTRY)]
    )


def _table(cases: Iterable[SuiteCase]) -> Iterator[bytes]:
    """Each case is a line of values with tabs between them. The body is percent-encoded, so that a test receives the
    exact bytes.
    """
    yield "\t".join(COLUMNS).encode() + b"\n"
    for test, group, name, case in cases:
        facts = (case.id, case.message_type, case.label, case.twin_id or "", reason_of(case))
        body = _ESCAPED.sub(lambda match: b"%%%02X" % match[0][0], case.body)
        yield "\t".join((test, group, name, *facts)).encode() + b"\t" + body + b"\n"


# ------------------------------------------------------------------------------------------------------------- suites


def _rust_tests(cases: Sequence[SuiteCase]) -> Iterator[bytes]:
    """Rust cannot create tests at run time."""
    yield b"// The tests, and the number of the first case of each. Generated by brokerfuzz.\n\ntests! {\n"
    yield from (f"    {name}: {number}\n".encode() for name, number in named_tests(cases))
    yield b"}\n"


def _junit_tests(cases: Sequence[SuiteCase]) -> Iterator[bytes]:
    """JUnit can create tests at run time, but many of its reports show the same name for all these tests."""
    yield source("BrokerContractTest.java")
    for name, number in named_tests(cases):
        yield f"    @Test void {name}() {{ BrokerContract.check({number}); }}\n".encode()
    yield b"}\n"


_SUITES = (
    suite(
        "go",
        tests="broker_contract_test.go",
        template="accepts_test.go",
        place="Put this folder into your Go module (Go 1.18 or later).",
        run="go test ./FOLDER",
    ),
    suite(
        "junit5",
        tests="BrokerContract.java",
        template="Broker.java",
        place=(
            "Copy the folder `src` into your project, or add its two folders to the tests of your build. JUnit 5 and "
            "Java 17 are required."
        ),
        run="mvn test",
        home="",
        code="src/test/java/brokerfuzz/",
        data="src/test/resources/brokerfuzz/",
        listing=("BrokerContractTest.java", _junit_tests),
    ),
    suite(
        "minitest",
        tests="broker_contract_test.rb",
        template="accepts.rb",
        place="Put this folder anywhere in your project.",
        run="ruby FOLDER/broker_contract_test.rb",
    ),
    suite(
        "phpunit",
        tests="BrokerContractTest.php",
        template="accepts.php",
        place="Put this folder anywhere in your project (PHP 8.0 and PHPUnit 9 or later).",
        run="vendor/bin/phpunit FOLDER",
    ),
    suite(
        "rust",
        tests="main.rs",
        template="accepts.rs",
        place="Put this folder into your crate, at `tests/FOLDER` (Rust 1.63 or later).",
        run="cargo test --test FOLDER",
        home="tests/FOLDER/",
        listing=("rules.rs", _rust_tests),
    ),
    suite(
        "vitest",
        tests="broker-contract.test.ts",
        template="accepts.ts",
        place="Put this folder anywhere in a project that uses Vitest.",
        run="npx vitest run --reporter=dot",
    ),
    suite(
        "xunit",
        tests="BrokerContractTests.cs",
        template="Broker.cs",
        place="Put this folder into a test project that uses xUnit 2.4 or later.",
        run="dotnet test",
    ),
)
SUITES = {form.name: form for form in _SUITES}
