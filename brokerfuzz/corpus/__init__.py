"""Corpora: cases as files that any language reads."""

from brokerfuzz.corpus.counting import Summary
from brokerfuzz.corpus.files import dump, load, read, write
from brokerfuzz.corpus.records import decode, encode

__all__ = ["Summary", "decode", "dump", "encode", "load", "read", "write"]
