"""Writes one case per line, as in `ndjson`, with every message in base64. A program can read the exact bytes of a
message with any JSON parser.
"""

from brokerfuzz.corpus.formats.ndjson import in_lines

FORMAT = in_lines("ndjson-base64", base64=True)
