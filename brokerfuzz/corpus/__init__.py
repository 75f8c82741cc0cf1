"""Reads and writes corpora. A corpus consists of files with cases. Programs in any language can read these files."""

from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.corpus.reading import read
from brokerfuzz.corpus.writing import write

__all__ = ["load", "read", "write"]
