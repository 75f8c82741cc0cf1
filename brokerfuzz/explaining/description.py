"""Defines what a command prints."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode

NOT_STATED = "a changed contract"
"""The source of rules that only a changed contract contains."""


@dataclass(frozen=True)
class Description:
    """Lines of text for people, and a JSON document with the same facts for programs."""

    text: Sequence[str]
    data: Mapping[str, Any]


def record_of(case: Case | None) -> Any:
    """Returns a case as JSON, in the format of a corpus."""
    return None if case is None else json.loads(encode(case))
