"""Writes one case per line, as in `ndjson`, with every message in base64. So any JSON parser gives the exact bytes."""

from brokerfuzz.corpus.formats.ndjson import in_lines

FORMAT = in_lines("ndjson-base64", base64=True)
