"""Generates valid messages: one recursive generator, whose choices come from a source."""

from brokerfuzz.generation.nodes import Node, Style, message, node_of
from brokerfuzz.generation.sources import COMPLETE, REQUIRED, SETTINGS, SMALLEST, FixedSource, RandomSource, Setting, Source, State, Wish, Wishes
from brokerfuzz.generation.valid_draws import valid_draw

__all__ = [
    "COMPLETE",
    "REQUIRED",
    "SETTINGS",
    "SMALLEST",
    "FixedSource",
    "Node",
    "RandomSource",
    "Setting",
    "Source",
    "State",
    "Style",
    "Wish",
    "Wishes",
    "message",
    "node_of",
    "valid_draw",
]
