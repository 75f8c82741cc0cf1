"""Writes tests in the format that validators of JSON Schema use for their own tests (JSON-Schema-Test-Suite).

    [{"description": "…", "schema": {…}, "tests": [{"description": "…", "data": …, "valid": false}, …]}, …]

There is a group of tests for each message type, with its schema (draft 2020-12). `$defs` contains the other schemas
that this schema needs. A case is left out if parsers interpret its JSON differently, or if the schema alone does not
decide its verdict. For example, a verdict can depend on a rule in `semantics.json`, or on a `format` that not every
validator checks.
"""

from collections.abc import Callable, Iterable, Iterator

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

NO_PLAIN_VALUE = "that JSON parsers read differently, or that depend on the headers of a request"
MORE_THAN_THE_SCHEMA = "with a verdict that does not follow from the schema alone"


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    schemas = {name: bundled(about.contract, name) for name in about.message_types}
    labels = {name: _labels(schema) for name, schema in schemas.items()}
    tests: dict[MessageType, list[bytes]] = {}
    for case in cases:
        if not has_plain_value(case):
            about.leave_out(case, NO_PLAIN_VALUE)
        elif labels[case.message_type](case.body) != {case.label}:
            about.leave_out(case, MORE_THAN_THE_SCHEMA)
        else:
            data, valid = orjson.Fragment(case.body), case.label == "valid"
            test = {"description": f"{case.label}_{stem(case)}", "data": data, "valid": valid}
            tests.setdefault(case.message_type, []).append(orjson.dumps(test))
    if not tests:
        raise CorpusError(
            "no case has a verdict that follows from a JSON Schema alone: remove a filter such as --rule, or "
            "choose another format"
        )
    groups = []
    for name, some in tests.items():
        head = orjson.dumps({"description": name, "schema": schemas[name]})
        groups.append(head[:-1] + b',\n"tests":[\n' + b",\n".join(some) + b"\n]}")
    yield b"[\n" + b",\n".join(groups) + b"\n]\n"


def _labels(schema: Schema) -> Callable[[bytes], set[str]]:
    """Returns a function that returns the labels of a message by the schema. There are two if the label depends on
    whether the validator checks `format`.
    """
    validators = [Draft202012Validator(schema, validate_formats=asserted) for asserted in (False, True)]
    return lambda body: {"valid" if one.is_valid(orjson.loads(body)) else "invalid" for one in validators}


FORMAT = single_file("json-schema-test-suite", ".json", _pieces)
