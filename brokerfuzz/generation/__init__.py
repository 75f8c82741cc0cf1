"""Generates valid messages: one recursive generator, whose choices come from a source."""

from brokerfuzz.generation.choices import SiteChoices, State
from brokerfuzz.generation.nodes import ABSENT, Node, Style, message, node_of
from brokerfuzz.generation.sources import (
    COMPLETE,
    REQUIRED,
    SETTINGS,
    SMALLEST,
    FixedSource,
    RandomSource,
    Setting,
    Source,
    Wish,
    Wishes,
)
from brokerfuzz.generation.valid_draws import valid_draw

__all__ = [
    "ABSENT",
    "COMPLETE",
    "REQUIRED",
    "SETTINGS",
    "SMALLEST",
    "FixedSource",
    "Node",
    "RandomSource",
    "Setting",
    "SiteChoices",
    "Source",
    "State",
    "Style",
    "Wish",
    "Wishes",
    "message",
    "node_of",
    "valid_draw",
]
