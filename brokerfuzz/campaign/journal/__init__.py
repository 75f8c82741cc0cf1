"""The journal: a file with one line of JSON for every request and its answer. Each line is written as soon as the answer arrives.

    {"journal": 2, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "plan": {...}, ...}
    {"phase": "case", "number": 12, "step": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason": "status 400", "seconds": 0.002,
     "response": "...", "id": "...", "headers": [...], "body": "..."}

The first line describes the campaign, so that the campaign can be resumed. `phase`, `number` and `step` identify a request: the
request with case `number`, the request with the twin of this case, or a step of the shrinking that starts at this case. `at` is the
time of the answer in seconds since the start. `body` is the message as a string, `response` the first bytes of the response. If
these bytes are not UTF-8, the properties `raw` and `response_raw` contain them in base64 instead. If a fresh value replaced a
property, `sent` is the body that was actually sent.

Each line is written with one system call. So a killed process leaves only complete lines and at most one incomplete last line,
which readers ignore. A journal whose name ends in `.gz` is compressed. In a compressed journal, each line is flushed for the same
reason.
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
