"""The names of the formats of corpora, alone: the command line offers them without importing any format."""

FORMATS = (
    "ndjson",
    "files",
    "fuzz-seeds",
    "har",
    "http",
    "json-schema-test-suite",
    "junit5",
    "openapi",
    "parquet",
    "parsing",
    "pytest",
    "vitest",
    "wiremock",
    "xunit",
)  # fmt: skip
"""A name a line, in order behind `ndjson`. The format is the module of that name in `corpus.formats`, with `_` for `-`."""
