"""Writes tests for Vitest in TypeScript, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import json_lines, suite

FORMAT = suite(
    "vitest",
    "tests for Vitest, in TypeScript; you must complete accepts.ts",
    tests=["broker-contract.test.ts"],
    templates=["accepts.ts"],
    cases="cases.ndjson",
    lines=json_lines,
)
