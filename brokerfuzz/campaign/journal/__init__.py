"""The journal: every request and its answer as one line of JSON, written at once.

    {"journal": 2, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "plan": {...}, ...}
    {"phase": "case", "number": 12, "step": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason": "status 400", "seconds": 0.002,
     "response": "...", "id": "...", "headers": [...], "body": "..."}

The first line describes the campaign, so that it can be resumed. `phase`, `number` and `step` identify the request: the case with
this number, its twin, or a step of the shrinking that starts at this case. `at` is in seconds since the start. `body` is the
message as a string (or `raw`, in base64, if it is not UTF-8), `response` the first bytes of the response (or `response_raw`).
`sent` is the body that was sent if a fresh value replaced a property.

Each line is written with one system call, so a process that is killed leaves complete lines and at most one incomplete last line,
which readers ignore. A journal whose name ends in `.gz` is compressed; each line is flushed for the same reason.
"""

from brokerfuzz.campaign.journal.reading import head_of, is_compressed, lines, records
from brokerfuzz.campaign.journal.recalling import Answered, NotRecalledError, Recalled
from brokerfuzz.campaign.journal.records import JournalRecord, Key, decode, encode
from brokerfuzz.campaign.journal.writing import CollectedLines, Journal, Writer

__all__ = [
    "Answered",
    "CollectedLines",
    "Journal",
    "JournalRecord",
    "Key",
    "NotRecalledError",
    "Recalled",
    "Writer",
    "decode",
    "encode",
    "head_of",
    "is_compressed",
    "lines",
    "records",
]
