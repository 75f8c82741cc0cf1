"""Reads and writes corpora. A corpus consists of files with cases. Programs in any language can read these files."""

from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.corpus.files import write
from brokerfuzz.corpus.reading import read

__all__ = ["load", "read", "write"]
