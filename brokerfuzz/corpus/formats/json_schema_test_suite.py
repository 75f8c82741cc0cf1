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

import jsonschema_rs
import orjson

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


class _Group:
    """The tests of one group. The cases of all groups are mixed in the corpus."""

    def __init__(self, title: str, schema: Schema) -> None:
        self._title, self._schema = title, schema
        self.tests: list[bytes] = []
        self.left_out: Counter[str] = Counter()

    def add(self, case: Case, *, valid: bool) -> None:
        test = {"description": f"{case.label}_{stem(case)}", "data": orjson.Fragment(case.body), "valid": valid}
        self.tests.append(orjson.dumps(test))

    def piece(self) -> bytes:
        head = {"description": self._title}
        if self.left_out:
            reasons = "; ".join(f"{count} {why}" for why, count in sorted(self.left_out.items()))
            head["comment"] = f"Left out: {reasons}."
        schema, tests = orjson.dumps(self._schema), b",\n".join(self.tests)
        return orjson.dumps(head)[:-1] + b',\n"schema":' + schema + b',\n"tests":[\n' + tests + b"\n]}"


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    groups: dict[tuple[MessageType, str], _Group] = {}
    schemas: dict[MessageType, Schema] = {}
    checks: dict[MessageType, SchemaCheck] = {}
    for case in cases:
        message_type, title = case.message_type, OPEN if case.label == "unspecified" else SETTLED
        if message_type not in schemas:
            schemas[message_type] = bundled(about.contract, message_type)
            checks[message_type] = _schema_check(schemas[message_type])
        group = groups.setdefault((message_type, title), _Group(f"{message_type}: {title}", schemas[message_type]))
        reason = _add_or_reason(case, group, checks[message_type])
        if reason is not None:
            group.left_out[reason] += 1
            about.left_out.add(case, reason)
    written = [group.piece() for group in groups.values() if group.tests]
    if not written:
        raise CorpusError(
            "no case has a verdict that follows from a JSON Schema alone: remove a filter such as --rule, or "
            "choose another format"
        )
    yield b"[\n" + b",\n".join(written) + b"\n]\n"


def _add_or_reason(case: Case, group: _Group, check: "SchemaCheck") -> str | None:
    """Adds a case to its group, or returns the reason why the case must be left out."""
    if not has_plain_value(case):
        return NO_PLAIN_VALUE
    valid = check(case.body)
    if valid is None or (case.label != "unspecified" and valid != (case.label == "valid")):
        return MORE_THAN_THE_SCHEMA
    group.add(case, valid=valid)
    return None


SchemaCheck = Callable[[bytes], bool | None]
"""A function that returns whether the schema accepts a message. The function returns None if the result depends on
whether the validator checks `format`.
"""


def _schema_check(schema: Schema) -> SchemaCheck:
    lenient, strict = (
        jsonschema_rs.Draft202012Validator(schema, validate_formats=asserted) for asserted in (False, True)
    )

    def is_valid(body: bytes) -> bool | None:
        value = orjson.loads(body)
        verdict = lenient.is_valid(value)
        return verdict if strict.is_valid(value) == verdict else None

    return is_valid


FORMAT = single_file("json-schema-test-suite", ".json", _pieces)
