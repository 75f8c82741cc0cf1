# pyright: reportMissingImports=false
# (Schemathesis is installed only with the extra `bench`.)

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from brokerfuzz.decoder.unsupported_keywords import restore_many
from brokerfuzz.schemas import MessageType, load_contract

OFFER: MessageType = "offer-creation-request"


def from_schema(message_type: MessageType = OFFER, *, negated: bool = False) -> SearchStrategy[Any]:
    """The strategy of hypothesis-jsonschema is patched (see `brokerfuzz.decoder.unsupported_keywords`). With `negated`, the
    strategy gives values that do not match the schema.
    """
    from hypothesis_jsonschema import from_schema

    restore_many()
    schema = deepcopy(load_contract().flat[message_type])
    return from_schema({"not": schema} if negated else schema)


def schemathesis(message_type: MessageType = OFFER, *, negative: bool = False) -> SearchStrategy[Any]:
    """Returns the strategy of Schemathesis for an HTTP operation with the message as its body. With `negative`, the strategy gives
    invalid messages.

    For responses, Schemathesis gets schemas without references, because the original schemas refer to `envelope.schema.json`.
    """
    from schemathesis import GenerationMode, openapi

    contract = load_contract()
    schema = (contract.schemas if message_type == OFFER else contract.flat)[message_type]
    body = {"required": True, "content": {"application/json": {"schema": deepcopy(schema)}}}
    operation = {"requestBody": body, "responses": {"200": {"description": "OK"}}}
    document = {"openapi": "3.1.0", "info": {"title": "messages", "version": "1"}, "paths": {"/messages": {"post": operation}}}
    mode = GenerationMode.NEGATIVE if negative else GenerationMode.POSITIVE
    strategy: SearchStrategy[Any] = openapi.from_dict(document)["/messages"]["POST"].as_strategy(generation_mode=mode)
    return strategy


def fixed_dictionaries() -> SearchStrategy[Any]:
    """Returns a strategy of offers as a careful author would write it by hand: `st.fixed_dictionaries` with simple values for all
    properties. The strategy ignores conditional rules of the contract.
    """
    text, integers, numbers = st.text(max_size=20), st.integers(-(2**31), 2**31 - 1), st.floats(allow_nan=False, allow_infinity=False)
    return _by_schema(load_contract().flat[OFFER], text, integers, numbers)


def _by_schema(schema: Any, text: Any, integers: Any, numbers: Any) -> SearchStrategy[Any]:
    types = {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"])
    recur: Callable[[Any], SearchStrategy[Any]] = lambda part: _by_schema(part, text, integers, numbers)  # noqa: E731  (saves three arguments in five calls)
    if "enum" in schema:
        leaf: Any = st.sampled_from(schema["enum"])
    elif "object" in types:
        required = set(schema.get("required", ()))
        props = {name: recur(prop) for name, prop in schema["properties"].items()}
        leaf = st.fixed_dictionaries(
            {name: strategy for name, strategy in props.items() if name in required},
            optional={name: strategy for name, strategy in props.items() if name not in required},
        )
    elif "array" in types:
        leaf = st.lists(recur(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    else:
        leaf = text if "string" in types else integers if "integer" in types else numbers if "number" in types else st.booleans()
    nullable: SearchStrategy[Any] = st.none() | leaf if "null" in types else leaf
    return nullable
