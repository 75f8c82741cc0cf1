"""JSON-Schema-Test-Suite: what the test runner of any validator of JSON Schema reads.

    [{"description": "…", "comment": "…", "schema": {…}, "tests": [{"description": "…", "data": …, "valid": false}, …]}, …]

Two groups a message type: what the contract settles, and what it leaves open (`unspecified`), for `valid` is what the schema alone says. The schema
is the contract's own, of draft 2020-12, with what it refers to in `$defs`. A group's `comment` says how many cases were left out, and why: they are
no JSON that all parsers read alike, or more than the schema decides, such as a rule of `semantics.json` or whether `format` is asserted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO

import jsonschema_rs
import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import name_of
from brokerfuzz.corpus.formats.format import About, OneFile
from brokerfuzz.corpus.formats.plain_values import has_plain_value
from brokerfuzz.corpus.formats.schema_bundle import bundled
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MessageType
from brokerfuzz.schemas.flattening import Schema

SETTLED, OPEN = "what the contract settles", "what the contract leaves open, as its schema alone has it"
NO_PLAIN_VALUE = "that are no JSON which all parsers read alike, or are about a request's headers"
MORE_THAN_THE_SCHEMA = "that more than the schema decides"
_CHUNK = 1 << 20


class _Group:
    """The tests of a group, in a file until the groups before it are complete: their cases may come in any order."""

    def __init__(self, message_type: MessageType, title: str, schema: Schema, tests: IO[bytes]) -> None:
        self.message_type, self.title, self._schema, self._tests = message_type, title, schema, tests
        self.count = 0
        self.left_out: Counter[str] = Counter()

    def add(self, case: Case, *, valid: bool) -> None:
        test = {"description": name_of(case), "data": orjson.Fragment(case.body), "valid": valid}
        self._tests.write((b",\n" if self.count else b"") + orjson.dumps(test))
        self.count += 1

    def pieces(self) -> Iterator[bytes]:
        head = {"description": f"{self.message_type}: {self.title}"}
        if self.left_out:
            head["comment"] = f"Left out: {'; '.join(f'{count} {why}' for why, count in sorted(self.left_out.items()))}."
        yield orjson.dumps(head)[:-1] + b',\n"schema":' + orjson.dumps(self._schema) + b',\n"tests":[\n'
        self._tests.seek(0)
        yield from iter(lambda: self._tests.read(_CHUNK), b"")
        yield b"\n]}"


def _pieces(cases: Iterable[Case], about: About) -> Iterator[bytes]:
    with ExitStack() as files:
        groups: dict[tuple[MessageType, str], _Group] = {}
        schemas: dict[MessageType, Schema] = {}
        judges: dict[MessageType, Judge] = {}
        for case in cases:
            message_type, title = case.message_type, OPEN if case.label == "unspecified" else SETTLED
            if message_type not in schemas:
                schemas[message_type] = bundled(about.contract, message_type)
                judges[message_type] = _judge(schemas[message_type])
            if (message_type, title) not in groups:
                groups[message_type, title] = _Group(message_type, title, schemas[message_type], files.enter_context(TemporaryFile()))
            reason = _sort(case, groups[message_type, title], judges[message_type])
            if reason is not None:
                groups[message_type, title].left_out[reason] += 1
                about.left_out.add(case, reason)
        written = [group for group in groups.values() if group.count]
        if not written:
            raise CorpusError("no case is one that a JSON Schema alone decides: choose more cases, or another format")
        for number, group in enumerate(written):
            yield b",\n" if number else b"[\n"
            yield from group.pieces()
        yield b"\n]\n"


def _sort(case: Case, group: _Group, judge: "Judge") -> str | None:
    """Adds a case to its group, or says why not."""
    if not has_plain_value(case):
        return NO_PLAIN_VALUE
    valid = judge(case.body)
    if valid is None or (case.label != "unspecified" and valid != (case.label == "valid")):
        return MORE_THAN_THE_SCHEMA
    group.add(case, valid=valid)
    return None


Judge = Callable[[bytes], bool | None]
"""What a schema says of a message; None where it depends on whether formats are asserted, which draft 2020-12 leaves to the validator."""


def _judge(schema: Schema) -> Judge:
    lenient, strict = (jsonschema_rs.Draft202012Validator(schema, validate_formats=asserted) for asserted in (False, True))

    def judge(body: bytes) -> bool | None:
        value = orjson.loads(body)
        verdict = lenient.is_valid(value)
        return verdict if strict.is_valid(value) == verdict else None

    return judge


FORMAT = OneFile("json-schema-test-suite", "groups of tests for JSON Schema validators", ".json", _pieces)
