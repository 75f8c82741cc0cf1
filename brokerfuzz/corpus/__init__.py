"""Corpora: cases as files that any language reads."""

from brokerfuzz.corpus.committed import load
from brokerfuzz.corpus.counting import Summary
from brokerfuzz.corpus.decoding import decode
from brokerfuzz.corpus.files import dump, write
from brokerfuzz.corpus.reading import parse, read
from brokerfuzz.corpus.records import encode

__all__ = ["Summary", "decode", "dump", "encode", "load", "parse", "read", "write"]
