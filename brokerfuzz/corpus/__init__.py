"""Reads and writes corpora: files with cases that programs in any language can read."""

from brokerfuzz.cases.record_reader import decode
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.corpus.counting import Summary
from brokerfuzz.corpus.files import dump, write
from brokerfuzz.corpus.reading import parse, read

__all__ = ["Summary", "decode", "dump", "encode", "load", "parse", "read", "write"]
