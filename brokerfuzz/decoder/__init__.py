"""The decoder: bytes in, a valid message out. Its drivers give the bytes."""

from brokerfuzz.decoder.byte_sources import Records, Seeded, messages
from brokerfuzz.decoder.byte_tables import Source
from brokerfuzz.decoder.compiling import Read, Style, compile_decoder

__all__ = ["Read", "Records", "Seeded", "Source", "Style", "compile_decoder", "messages"]
