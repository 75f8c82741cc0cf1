"""Turns bytes into valid messages. The bytes can come from a seed, from Hypothesis or from a fuzzer."""

from brokerfuzz.decoder.byte_sources import RandomValues, Seeded, messages
from brokerfuzz.decoder.byte_tables import Source
from brokerfuzz.decoder.compiling import Read, Style, compile_decoder

__all__ = ["RandomValues", "Read", "Seeded", "Source", "Style", "compile_decoder", "messages"]
