"""Bulk export: the cases of plans written to one place or in shards, by as many workers as there are, with the same bytes for any number of them."""

from brokerfuzz.corpus.exporting.export import Export, Outcome, check_place, write_corpus, write_stream
from brokerfuzz.corpus.exporting.shards import recorded_now, write_shards

__all__ = ["Export", "Outcome", "check_place", "recorded_now", "write_corpus", "write_shards", "write_stream"]
