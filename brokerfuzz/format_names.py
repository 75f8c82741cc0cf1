"""The names of the formats of corpora, with what help says of each: the command line tells of them without importing any format."""

FORMATS = {
    "ndjson": "a case a line of JSON, to be read again by brokerfuzz",
    "files": "a folder of a file a message, by message type and verdict, and a list of them",
    "fuzz-seeds": "seeds and dictionaries for libFuzzer, AFL++, Atheris, Jazzer and SharpFuzz",
    "har": "recorded traffic (HAR 1.2): offers as requests, the other messages as responses",
    "http": "requests for editors: REST Client, JetBrains, httpYac; of offers alone",
    "json-schema-test-suite": "groups of tests for validators of JSON Schema",
    "junit5": "tests for JUnit 5, in Java; Broker.java is to be filled in",
    "openapi": "an OpenAPI 3.1 document of the messages, with examples",
    "parquet": "a case a row, as typed columns (needs pyarrow)",
    "parsing": "y_, n_ and i_ files, as JSONTestSuite has them",
    "pytest": "tests for pytest; conftest.py is to be filled in",
    "vitest": "tests for Vitest, in TypeScript; accepts.ts is to be filled in",
    "wiremock": "a root folder of WireMock, with stubs that serve the messages that are responses",
    "xunit": "tests for xUnit, in C#; Broker.cs is to be filled in",
}
"""Name -> what it is, in order behind `ndjson`. The format is the module of that name in `corpus.formats`, with `_` for `-`, and says the same."""
