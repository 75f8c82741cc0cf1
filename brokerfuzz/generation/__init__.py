"""Generates valid messages: one recursive generator, whose choices come from a source."""

from brokerfuzz.generation.checked_draws import checked_draw
from brokerfuzz.generation.nodes import ABSENT, Node, left_out_sites, message, node_of
from brokerfuzz.generation.sources import (
    COMPLETE,
    NARROW,
    REQUIRED,
    SETTINGS,
    SMALLEST,
    FixedSource,
    PropertyState,
    RandomSource,
    Setting,
    SiteChoices,
    Source,
    Style,
    Wish,
    Wishes,
)

__all__ = [
    "ABSENT",
    "COMPLETE",
    "NARROW",
    "REQUIRED",
    "SETTINGS",
    "SMALLEST",
    "FixedSource",
    "Node",
    "PropertyState",
    "RandomSource",
    "Setting",
    "SiteChoices",
    "Source",
    "Style",
    "Wish",
    "Wishes",
    "checked_draw",
    "left_out_sites",
    "message",
    "node_of",
]
