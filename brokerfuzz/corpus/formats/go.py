"""Writes tests for `go test`, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import suite

FORMAT = suite(
    "go",
    tests="broker_contract_test.go",
    template="accepts_test.go",
    place="Put this folder into your Go module (Go 1.18 or later).",
    run="go test ./FOLDER",
)
