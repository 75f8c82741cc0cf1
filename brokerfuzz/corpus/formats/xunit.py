"""Tests for xUnit, in C#, which need .NET 8 and nothing else."""

from brokerfuzz.corpus.formats.test_suite_folder import json_lines, suite

FORMAT = suite(
    "xunit",
    "tests for xUnit, in C#; you must complete Broker.cs",
    tests=["BrokerContractTests.cs"],
    yours=["Broker.cs"],
    cases="cases.ndjson",
    lines=json_lines,
)
