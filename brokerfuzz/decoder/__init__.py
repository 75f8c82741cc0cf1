"""The decoder: bytes in, a valid message out. Its drivers give the bytes."""

from brokerfuzz.decoder.bulk import Records, Seeded, messages
from brokerfuzz.decoder.compiling import Read, Style, compile_decoder
from brokerfuzz.decoder.tables import Source

__all__ = ["Read", "Records", "Seeded", "Source", "Style", "compile_decoder", "messages"]
