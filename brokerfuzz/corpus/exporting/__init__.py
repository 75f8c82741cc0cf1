"""Writes large corpora: the cases of several plans, in one file or in shards. The bytes of a corpus do not depend on
the number of workers.
"""

from brokerfuzz.corpus.exporting.export import Export, Outcome, check_place, write_corpus, write_stream
from brokerfuzz.corpus.exporting.shards import recorded_now, write_shards

__all__ = ["Export", "Outcome", "check_place", "recorded_now", "write_corpus", "write_shards", "write_stream"]
