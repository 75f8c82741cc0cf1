"""Tests for xUnit, in C#, which need .NET 8 and nothing else."""

from brokerfuzz.corpus.formats.suite import json_lines, suite

FORMAT = suite(
    "xunit",
    "tests for xUnit, in C#; you must complete Broker.cs",
    tests=["BrokerContractTests.cs"],
    yours=["Broker.cs"],
    cases="cases.ndjson",
    lines=json_lines,
)
