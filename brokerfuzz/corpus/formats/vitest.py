"""Writes tests for Vitest in TypeScript, without other dependencies."""

from brokerfuzz.corpus.formats.suite_folder import suite

FORMAT = suite(
    "vitest",
    tests="broker-contract.test.ts",
    template="accepts.ts",
    place="Put this folder anywhere in a project that uses Vitest.",
    run="npx vitest run --reporter=dot",
)
