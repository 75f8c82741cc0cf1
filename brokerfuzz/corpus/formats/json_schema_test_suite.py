"""Writes tests in the format that validators of JSON Schema use for their own tests (JSON-Schema-Test-Suite).

    [{"description": "…", "comment": "…", "schema": {…}, "tests": [{"description": "…", "data": …, "valid": false}, …]},
    …]

Each message type has two groups of tests: for cases that are valid or invalid, and for cases that the contract leaves
open (`unspecified`). In both groups, `valid` says whether the message in `data` complies with `schema`. `schema` is the
schema of the message type (draft 2020-12). `$defs` contains the other schemas that this schema needs. The `comment` of
a group says how many cases are left out, and why. A case is left out if parsers interpret its JSON differently, or if
the schema alone does not decide its verdict. For example, a verdict can depend on a rule in `semantics.json`, or on a
`format` that not every validator checks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import orjson
from jsonschema_rs import Draft202012Validator

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import stem
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file
from brokerfuzz.corpus.formats.plain_values import has_plain_value
from brokerfuzz.corpus.formats.schema_bundle import bundled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType
from brokerfuzz.schemas.flattening import Schema

SETTLED, OPEN = (
    "cases with a verdict in the contract",
    "cases that the contract leaves open, with the result of the schema alone",
)
NO_PLAIN_VALUE = "that JSON parsers read differently, or that depend on the headers of a request"
MORE_THAN_THE_SCHEMA = "with a verdict that does not follow from the schema alone"


@dataclass
class _Group:
    """The tests of one group. The cases of all groups are mixed in the corpus."""

    title: str
    schema: Schema
    tests: list[bytes] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def piece(self) -> bytes:
        head = {"description": self.title}
        if self.left_out:
            reasons = "; ".join(f"{count} {why}" for why, count in sorted(self.left_out.items()))
            head["comment"] = f"Left out: {reasons}."
        schema, tests = orjson.dumps(self.schema), b",\n".join(self.tests)
        return orjson.dumps(head)[:-1] + b',\n"schema":' + schema + b',\n"tests":[\n' + tests + b"\n]}"


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    schemas = {name: bundled(about.contract, name) for name in about.message_types}
    checks = {name: _schema_check(schema) for name, schema in schemas.items()}
    groups: dict[tuple[MessageType, str], _Group] = {}
    for case in cases:
        name, title = case.message_type, OPEN if case.label == "unspecified" else SETTLED
        group = groups.setdefault((name, title), _Group(f"{name}: {title}", schemas[name]))
        valid = checks[name](case.body) if has_plain_value(case) else None
        if valid is not None and case.label in ("unspecified", "valid" if valid else "invalid"):
            test = {"description": f"{case.label}_{stem(case)}", "data": orjson.Fragment(case.body), "valid": valid}
            group.tests.append(orjson.dumps(test))
        else:
            reason = MORE_THAN_THE_SCHEMA if has_plain_value(case) else NO_PLAIN_VALUE
            group.left_out[reason] += 1
            about.left_out.add(case, reason)
    written = [group.piece() for group in groups.values() if group.tests]
    if not written:
        raise CorpusError(
            "no case has a verdict that follows from a JSON Schema alone: remove a filter such as --rule, or "
            "choose another format"
        )
    yield b"[\n" + b",\n".join(written) + b"\n]\n"


def _schema_check(schema: Schema) -> Callable[[bytes], bool | None]:
    """Returns a function that says whether the schema accepts a message. The result is None if it depends on whether
    the validator checks `format`.
    """
    lenient, strict = (Draft202012Validator(schema, validate_formats=asserted) for asserted in (False, True))

    def is_valid(body: bytes) -> bool | None:
        value = orjson.loads(body)
        verdict = lenient.is_valid(value)
        return verdict if strict.is_valid(value) == verdict else None

    return is_valid


FORMAT = single_file("json-schema-test-suite", ".json", _pieces)
