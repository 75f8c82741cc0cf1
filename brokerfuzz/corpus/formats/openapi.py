"""Writes an OpenAPI 3.1 document with the messages as components and with cases as examples.

Like the contract, the document contains no methods and no paths. `components.schemas` contains the schemas of the
contract; `requestBodies` and `responses` contain the messages.

The property `examples` contains only valid cases, because tools report other cases as errors. Cases that break a rule
are in `x-invalid-examples`, and cases that touch an ambiguity are in `x-unspecified-examples`. If several cases break
the same rules or touch the same ambiguities, only one of them becomes an example. A message type has at most 20
examples per verdict. The summary of an example explains its verdict.

A message in an example has at most 16 KiB. It is compact JSON in printable ASCII that all parsers read in the same
way, because many tools read the document with a YAML parser, which allows fewer characters and no long names. An
example does not contain the property `$ref`, because tools would treat this property as a reference.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import now_of, reason_of, topic_of
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file
from brokerfuzz.corpus.formats.plain_values import has_plain_value
from brokerfuzz.corpus.formats.schema_bundle import referred_to, relocated
from brokerfuzz.schemas import Contract, Label, MessageType

MOST_EXAMPLES = 20
LARGEST_EXAMPLE = 16 * 1024
"""The maximum size of an example, in bytes."""
ENOUGH = f"beyond the limit of {MOST_EXAMPLES} examples per verdict, or of one example per rule or ambiguity"
UNFIT = "that are too long, are not compact JSON in ASCII, or are read differently by parsers"

_PLACES: dict[Label, str] = {
    "valid": "examples",
    "invalid": "x-invalid-examples",
    "unspecified": "x-unspecified-examples",
}
_UNFIT = re.compile(rb'"\$ref"|[^ -~]|[^"]{1000}')
"""Matches references, bytes that are not printable ASCII, and long names."""
_DESCRIPTION = (
    "The messages of the contract. The contract defines no paths and no methods: "
    "refer to these components from your own API description."
)

Examples = dict[str, dict[str, dict[str, Any]]]
"""Maps `examples`, `x-invalid-examples` and `x-unspecified-examples` to named examples."""


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    document = _document(about.contract, _chosen(cases, about))
    yield orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _chosen(cases: Iterable[Case], about: CorpusInfo) -> dict[MessageType, Examples]:
    """Selects the examples of each message type. A case is left out if an earlier example breaks the same rules or
    touches the same ambiguities.
    """
    found: dict[MessageType, Examples] = {}
    shown: set[Hashable] = set()
    for case in cases:
        of_type = found.setdefault(case.message_type, {place: {} for place in _PLACES.values()})
        examples, key = of_type[_PLACES[case.label]], (case.message_type, _example_key(case))
        if len(examples) == MOST_EXAMPLES or key in shown:
            about.leave_out(case, ENOUGH)
        elif not _fits(case):
            about.leave_out(case, UNFIT)
        else:
            shown.add(key)
            examples[f"{topic_of(case)}_{case.id[:8]}"] = _example(case)
    return found


def _fits(case: Case) -> bool:
    if len(case.body) > LARGEST_EXAMPLE or not case.is_compact or _UNFIT.search(case.body):
        return False
    return has_plain_value(case)


def _example_key(case: Case) -> Hashable:
    """Returns the broken rules of an invalid case, the ambiguities of an unspecified case, or the ID of a valid case.
    If several cases of a message type have the same key, only the first one becomes an example.
    """
    rules = frozenset(broken.rule for broken in case.verdict.broken)
    return rules or frozenset(touched.ambiguity for touched in case.verdict.ambiguities) or case.id


def _example(case: Case) -> dict[str, Any]:
    now = now_of(case)
    summary = reason_of(case) if case.label != "valid" else f"Valid: {topic_of(case)}"
    return {"summary": f"{summary} (Made for {now}.)" if now else summary, "value": orjson.Fragment(case.body)}


def _document(contract: Contract, chosen: Mapping[MessageType, Examples]) -> dict[str, Any]:
    names = dict.fromkeys(name for message_type in chosen for name in referred_to(contract, message_type))
    components: dict[str, dict[str, Any]] = {
        "schemas": {name: relocated(contract, name, _place_of) for name in names},
        "requestBodies": {},
        "responses": {},
    }
    for message_type, places in chosen.items():
        examples = {place: some for place, some in places.items() if some}
        content = {"application/json": {"schema": {"$ref": _place_of(message_type)}, **examples}}
        described = {"description": contract.schemas[message_type].get("title", message_type), "content": content}
        if contract.is_request(message_type):
            components["requestBodies"][message_type] = {**described, "required": True}
        else:
            components["responses"][message_type] = described
    return {
        "openapi": "3.1.1",
        "info": {"title": "Messages of the contract", "version": "1", "description": _DESCRIPTION},
        "paths": {},
        "components": {kind: found for kind, found in components.items() if found},
    }


def _place_of(name: str) -> str:
    return f"#/components/schemas/{name}"


FORMAT = single_file("openapi", ".json", _pieces)
