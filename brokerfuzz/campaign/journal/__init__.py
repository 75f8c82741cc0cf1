"""The journal: every request and its answer, a line of JSON each, written as it happens.

    {"journal": 2, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "plan": {...}, ...}
    {"phase": "case", "number": 12, "step": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason": "status 400", "seconds": 0.002,
     "response": "...", "id": "...", "headers": [...], "body": "..."}

The first line says what campaign it is, so that it can be gone on with. `phase`, `number` and `step` say which request of the campaign it was: the
`number`th case or its twin, or a step of the shrinking that starts at that case. `at` is seconds since the start, `body` the message as a
text (or `raw`, in base64, where it is none), `response` the first bytes of the response (or `response_raw`), `sent` what went in
place of the body where it was made fresh.

A line is written by one call to the system, so that a process that is killed leaves whole lines and at most one torn one, the last, which a reader
leaves out. A journal whose name ends in `.gz` is packed; each line is flushed through the packer for the same reason.
"""

from brokerfuzz.campaign.journal.reading import head_of, is_packed, lines, records
from brokerfuzz.campaign.journal.recalling import Answered, NotRecalledError, Recalled
from brokerfuzz.campaign.journal.records import JournalRecord, Key, decode, encode
from brokerfuzz.campaign.journal.writing import Collected, Journal, Writer

__all__ = [
    "Answered",
    "Collected",
    "Journal",
    "JournalRecord",
    "Key",
    "NotRecalledError",
    "Recalled",
    "Writer",
    "decode",
    "encode",
    "head_of",
    "is_packed",
    "lines",
    "records",
]
