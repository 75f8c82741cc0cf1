"""Writes tests for xUnit in C#. The tests need .NET 8 and no other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import json_lines, suite

FORMAT = suite(
    "xunit",
    "tests for xUnit, in C#; you must complete Broker.cs",
    tests=["BrokerContractTests.cs"],
    templates=["Broker.cs"],
    cases="cases.ndjson",
    lines=json_lines,
)
