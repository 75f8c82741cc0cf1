"""Tests for pytest, which need nothing else."""

from brokerfuzz.corpus.formats.suite import json_lines, suite

FORMAT = suite(
    "pytest",
    "tests for pytest; conftest.py is to be filled in",
    tests=["test_broker_contract.py"],
    yours=["conftest.py"],
    cases="cases.ndjson",
    lines=json_lines,
)
