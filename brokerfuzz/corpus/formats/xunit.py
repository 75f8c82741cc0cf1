"""Writes tests for xUnit in C#. The tests need .NET 8 and no other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import suite

FORMAT = suite(
    "xunit",
    tests="BrokerContractTests.cs",
    template="Broker.cs",
    place="Put this folder into a test project that uses xUnit 2.4 or later.",
    run="dotnet test",
)
