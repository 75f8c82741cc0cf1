"""The names and descriptions of the corpus formats. Some modules need these names before they import a format."""

FORMATS = {
    "ndjson": "one case per line, as JSON; brokerfuzz can also read this format",
    "files": "a folder with one file per message, sorted by message type and verdict, and a list of these files",
    "fuzz-seeds": "seeds and dictionaries for the fuzzers libFuzzer, AFL++, Atheris, Jazzer, SharpFuzz and Go",
    "go": "tests for `go test`; you must complete accepts_test.go",
    "junit5": "tests for JUnit 5, in Java; you must complete Broker.java",
    "minitest": "tests for Minitest, in Ruby; you must complete accepts.rb",
    "phpunit": "tests for PHPUnit, in PHP; you must complete accepts.php",
    "postman": "requests with checks for Postman and newman; offers only",
    "pytest": "tests for pytest; you must complete conftest.py",
    "rust": "tests for `cargo test`, in Rust; you must complete accepts.rs",
    "vitest": "tests for Vitest, in TypeScript; you must complete accepts.ts",
    "wiremock": "a root folder for WireMock, with stubs that return the messages as responses",
    "xunit": "tests for xUnit, in C#; you must complete Broker.cs",
}
"""Maps the name of each format to its description: `ndjson` first, then the others in alphabetical order."""
