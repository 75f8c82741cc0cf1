"""The journal: a file with one line of JSON for every request and its answer. Each line is written as soon as the
answer arrives. For example, a journal begins with these two lines (the second line is wrapped here):

    {"journal": 2, "brokerfuzz": "0.1.0", "started": "...", "target": "...", "plan": {...}, ...} {"phase": "case",
    "number": 12, "step": 0, "at": 0.31, "answer": "rejected", "status": 400, "reason": "status 400", "seconds": 0.002,
     "response": "...", "id": "...", "headers": [...], "body": "..."}

The first line describes the campaign, so that brokerfuzz can resume it. `phase`, `number` and `step` identify a
request: the message of case `number`, its twin, or a step of shrinking this message. `at` is the time of the answer, in
seconds since the campaign started. If the bytes of a message or a response are not UTF-8, `raw`, `sent_raw` and
`response_raw` contain these bytes in base64. If `--fresh` changed the message, `sent` is the body that was sent.

Each line is written with a single system call. If the process is killed, only the last line can be incomplete. Readers
ignore an incomplete last line.
"""

from brokerfuzz.campaign.journal.answer_log import AnswerLog
from brokerfuzz.campaign.journal.reading import head_of, lines, records
from brokerfuzz.campaign.journal.recalling import BLOCK, Answered, NotRecalledError, Recalled
from brokerfuzz.campaign.journal.records import JournalRecord, Key, decode, encode
from brokerfuzz.campaign.journal.writing import CollectedLines, Journal, Writer

__all__ = [
    "BLOCK",
    "AnswerLog",
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
    "lines",
    "records",
]
