"""Reads and writes corpora: files with cases that programs in any language can read."""

from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.corpus.files import write
from brokerfuzz.corpus.reading import read

__all__ = ["load", "read", "write"]
