"""Reads and writes corpora. A corpus consists of files with cases, and programs in any language can read it."""

from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.corpus.files import write
from brokerfuzz.corpus.reading import read

__all__ = ["load", "read", "write"]
