"""OpenAPI 3.1: the messages as components, with cases for examples.

The contract shows no methods and no paths, so the document has none: it is to be referred to by one that has. `components.schemas` are the
contract's, `requestBodies` and `responses` say which message goes where. A message's `examples` are its first valid cases. Those that break a rule,
or touch what the contract leaves open, would be no examples of the schema, and tools would say so: they stand beside it in `x-invalid-examples` and
`x-unspecified-examples`, no two of the same rules or ambiguities, with summaries that say what is broken.

There are 20 of each at the most, of messages of at most 16 KiB that are compact JSON which all parsers read alike, without a property `$ref`, which
tools would follow. Many tools read the document as YAML, which takes less than JSON does: what it does not print is escaped, and no example has a
name that is too long for it.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import now_of, reason_of
from brokerfuzz.corpus.formats.file_names import topic_of
from brokerfuzz.corpus.formats.format import About, OneFile
from brokerfuzz.corpus.formats.plain_values import has_plain_value
from brokerfuzz.corpus.formats.schema_bundle import referred_to, relocated
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.flattening import Schema

MOST_EXAMPLES = 20
"""Of a message type and verdict."""
LARGEST_EXAMPLE = 16 * 1024
"""Bytes."""
ENOUGH = f"beyond {MOST_EXAMPLES} examples of a verdict, or one of a rule or ambiguity"
UNFIT = "that are too long, or no compact JSON which all parsers read alike"

_PLACES: dict[Label, str] = {"valid": "examples", "invalid": "x-invalid-examples", "unspecified": "x-unspecified-examples"}
_REQUEST = "-request"
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON has in texts as it is, and YAML 1.1 does not print, takes for ends of lines, or for a byte order mark."""
_LONG_NAME = re.compile(rb'"(?:[^"\\]|\\.){1000,}":')
"""A property's name that YAML, whose names are at most 1,024 characters long, may take for none."""

_DESCRIPTION = (
    "The messages of the offer broker's contract, which shows no methods and no paths: refer to these components from a document that has them."
)

Examples = dict[str, dict[str, dict[str, Any]]]
"""Where they stand -> their names -> Example Objects."""


def _pieces(cases: Iterable[Case], about: About) -> Iterator[bytes]:
    chosen = _Chosen(about)
    for case in cases:
        chosen.offer(case)
    yield _as_yaml_has_it(orjson.dumps(_document(about, chosen), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _as_yaml_has_it(text: bytes) -> bytes:
    """The same JSON, in which all that YAML reads otherwise is escaped."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text.decode()).encode()


class _Chosen:
    """The examples of each message type: the first of each verdict, no two of one rule or ambiguity."""

    def __init__(self, about: About) -> None:
        self._about = about
        self._examples: dict[MessageType, Examples] = {}
        self._shown: set[Hashable] = set()

    def offer(self, case: Case) -> None:
        examples = self._examples.setdefault(case.message_type, {place: {} for place in _PLACES.values()})[_PLACES[case.label]]
        shown = case.message_type, _shown_by(case)
        if len(examples) == MOST_EXAMPLES or shown in self._shown:
            self._about.left_out.add(case, ENOUGH)
        elif not _fits(case):
            self._about.left_out.add(case, UNFIT)
        else:
            self._shown.add(shown)
            examples[f"{topic_of(case)}_{case.id[:8]}"] = _example(case, self._about)

    def message_types(self) -> list[MessageType]:
        return list(self._examples)

    def of(self, message_type: MessageType) -> Examples:
        return {place: examples for place, examples in self._examples[message_type].items() if examples}


def _fits(case: Case) -> bool:
    if len(case.body) > LARGEST_EXAMPLE or not case.is_compact or b'"$ref"' in case.body:
        return False
    return has_plain_value(case) and not _LONG_NAME.search(_as_yaml_has_it(case.body))


def _shown_by(case: Case) -> Hashable:
    """What one example is enough for: the rules that are broken, the ambiguities that are touched, or the message."""
    match case.label:
        case "valid":
            return case.id
        case "invalid":
            return frozenset(broken.rule for broken in case.verdict.broken)
        case "unspecified":
            return frozenset(touched.ambiguity for touched in case.verdict.ambiguities)


def _example(case: Case, about: About) -> dict[str, Any]:
    now = now_of(case, about)
    summary = reason_of(case) if case.label != "valid" else f"Valid: {topic_of(case)}"
    return {"summary": f"{summary} (At {now}.)" if now else summary, "value": orjson.Fragment(case.body)}


def _document(about: About, chosen: _Chosen) -> dict[str, Any]:
    components: dict[str, dict[str, Any]] = {"schemas": _schemas(about.contract, chosen.message_types()), "requestBodies": {}, "responses": {}}
    for message_type in chosen.message_types():
        title = about.contract.schemas[message_type].get("title", message_type)
        content = {"application/json": {"schema": {"$ref": _place_of(message_type)}, **chosen.of(message_type)}}
        kind, required = ("requestBodies", {"required": True}) if message_type.endswith(_REQUEST) else ("responses", {})
        components[kind][message_type] = {"description": title, **required, "content": content}
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Offer broker messages",
            "version": "1",
            "description": _DESCRIPTION,
        },
        "paths": {},
        "components": {kind: found for kind, found in components.items() if found},
    }


def _schemas(contract: Contract, message_types: Iterable[MessageType]) -> dict[str, Schema]:
    names = dict.fromkeys(name for message_type in message_types for name in referred_to(contract, message_type))
    return {name: relocated(contract, name, _place_of) for name in names}


def _place_of(name: str) -> str:
    return f"#/components/schemas/{name}"


FORMAT = OneFile("openapi", "an OpenAPI 3.1 document of the messages, with examples", ".json", _pieces)
