"""Tests for pytest, which need nothing else."""

from brokerfuzz.corpus.formats.test_suite_folder import json_lines, suite

FORMAT = suite(
    "pytest",
    "tests for pytest; you must complete conftest.py",
    tests=["test_broker_contract.py"],
    yours=["conftest.py"],
    cases="cases.ndjson",
    lines=json_lines,
)
