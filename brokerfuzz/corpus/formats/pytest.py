"""Writes tests for pytest, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import json_lines, suite

FORMAT = suite(
    "pytest",
    "tests for pytest; you must complete conftest.py",
    tests=["test_broker_contract.py"],
    templates=["conftest.py"],
    cases="cases.ndjson",
    lines=json_lines,
)
