"""Generates valid messages: one recursive generator, whose choices come from a source."""

from brokerfuzz.generation.nodes import ABSENT, Node, message, node_of
from brokerfuzz.generation.sources import (
    COMPLETE,
    REQUIRED,
    SETTINGS,
    SMALLEST,
    FixedSource,
    RandomSource,
    Setting,
    SiteChoices,
    Source,
    State,
    Style,
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
