"""Checks responses that look like the envelope of the contract: the outer object with `operationWasSuccessful`.

The contract does not say whether the response to a new offer has an envelope. So a malformed envelope in this response
is a finding only if the user sets the policy for `response-envelope` to `rejected`.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.structural_validation import registry_of, validator
from brokerfuzz.targets import Answer
from brokerfuzz.targets.answers import EXCERPT

if TYPE_CHECKING:
    import jsonschema_rs

AMBIGUITY = "response-envelope"
_MARKS = re.compile(b'"(?:operationWasSuccessful|failureMessages|informationalMessages)"')


def malformed(answer: Answer, contract: Contract) -> str | None:
    """Describes what is wrong with the envelope in an answer. Returns None if the envelope is valid, if the answer is
    not an envelope, or if brokerfuzz knows only a part of the answer.
    """
    body = answer.body
    if not body or len(body) >= EXCERPT or not _MARKS.search(body):
        return None
    return _problem(body, contract, is_rejection=answer.kind == "rejected")


@lru_cache(maxsize=1024)
def _problem(body: bytes, contract: Contract, *, is_rejection: bool) -> str | None:
    try:
        value = orjson.loads(body)
    except ValueError:
        return "the body is not JSON"
    if not isinstance(value, dict):
        return None
    problems = [_in_words(error) for error in _validator(contract).iter_errors(value)]
    if is_rejection and value.get("operationWasSuccessful") is True:
        problems.append("operationWasSuccessful is true, although the offer was rejected")
    return "; ".join(sorted(problems)[:3]) or None


def _in_words(error: Any) -> str:
    place = "".join(f"/{step}" for step in error.instance_path)
    return f"{error.message} at {place}" if place else error.message


@lru_cache(maxsize=4)
def _validator(contract: Contract) -> "jsonschema_rs.Validator":
    return validator(contract.schemas["envelope"], registry_of(contract.schemas))
