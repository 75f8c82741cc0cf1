"""Defines what a command prints. This module imports nothing slow, because every command uses it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOT_STATED = "a changed contract"
"""The source of rules that only a changed contract contains."""


@dataclass(frozen=True)
class Description:
    """Lines of text for people, and a JSON document with the same facts for programs."""

    text: Sequence[str]
    data: Mapping[str, Any]
