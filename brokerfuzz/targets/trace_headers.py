"""Defines the trace headers. With the IDs in these headers, users find the cases of a report in the logs of the tested
service.
"""

import re
from dataclasses import dataclass, field
from secrets import token_hex

from brokerfuzz.errors import TargetError, quoted
from brokerfuzz.schemas.headers import HEADER_NAME, Headers

CAMPAIGN_ID = re.compile(r"[0-9a-f]{8}")
_OFF = "off"


def new_campaign_id() -> str:
    return token_hex(4)


@dataclass(frozen=True)
class TraceHeaders:
    """`case` and `campaign` are the names of the headers for the ID of the case and the ID of the campaign. A header
    with an empty name is not sent.
    """

    case: str = "X-Brokerfuzz-Case"
    campaign: str = "X-Brokerfuzz-Campaign"
    campaign_id: str = field(default_factory=new_campaign_id)

    def of(self, case_id: str) -> Headers:
        """Returns the headers for a message. If `case_id` is empty, the header for the case is missing."""
        return tuple(
            (name, value) for name, value in ((self.case, case_id), (self.campaign, self.campaign_id)) if name and value
        )


def trace_headers(text: str, campaign_id: str) -> TraceHeaders:
    """Parses the names of the two headers, such as `X-Request-ID,X-Campaign`, or `off`. Raises `TargetError` if `text`
    is invalid.
    """
    names = ["", ""] if text.strip().lower() == _OFF else [part.strip() for part in text.split(",")]
    if len(names) != 2 or not all(name == "" or HEADER_NAME.fullmatch(name) for name in names):
        raise TargetError(
            f"{quoted(text)} is not a pair of header names: write two names, such as X-Case,X-Campaign, or off to "
            "send no trace headers"
        )
    case, campaign = names
    return TraceHeaders(case, campaign, campaign_id)
