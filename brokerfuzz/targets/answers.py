"""Defines the answers of targets, and how brokerfuzz interprets an HTTP response as an answer.

The contract defines no status codes and no response to a new offer, so users can configure the interpretation. By
default, a status code has its usual meaning in HTTP. If the status means `accepted`, but the response is an envelope of
the contract with `operationWasSuccessful: false`, the answer is `rejected`.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self

from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.retry_after import TOO_MANY, pause_of
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets
from brokerfuzz.wording import printable

AnswerKind = Literal["accepted", "rejected", "crashed", "timeout"]
ANSWER_KINDS: tuple[AnswerKind, ...] = ("accepted", "rejected", "crashed", "timeout")

GATEWAY = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded services. They are not errors of the application."""

EXCERPT = 2048
"""A campaign keeps at most this number of bytes of a response."""

MOST_READ = 1 << 20
"""The number of bytes after which brokerfuzz stops reading a response that cannot be an envelope. Hooks and cleanup see
at most this number of bytes.
"""
LONGEST_ENVELOPE = 8 << 20
"""The number of bytes after which brokerfuzz stops reading a response that may be an envelope. `LONGEST_ENVELOPE` is
larger than `MOST_READ`, because `operationWasSuccessful` may be at the end of the envelope.
"""

_SUCCESS = "operationWasSuccessful"
_BEGINS_AN_OBJECT = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*\{")
_BEGINS_JSON_OR_HTML = re.compile("\ufeff?\\s*[{\\[<]")


class Answer(NamedTuple):
    """The answer of a target to one message.

    `status` is None if there was no HTTP response. `body` is the beginning of the response, without secrets: 1 MiB in
    hooks, and 2 KiB in reports. `reason` explains `kind` in a few words. `seconds` is the response time. `location` is
    the URL of a redirect. In hooks, `headers` are the headers of the response.

    `reached` is False if the target never processed the message: for example, no connection was possible, or the target
    kept asking brokerfuzz to retry later. If `reached` is False, the answer says nothing about the message. `pause` is
    the number of seconds that the target asked brokerfuzz to wait before the next message, or None.

    >>> from brokerfuzz.targets import AnswerRules
    >>> AnswerRules(reject=("4xx", "299")).kind(299)
    'rejected'
    """

    kind: AnswerKind
    status: int | None = None
    body: bytes = b""
    reason: str = ""
    seconds: float = 0.0
    reached: bool = True
    location: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    pause: float | None = None

    def shortened(self) -> Self:
        """Returns the part of the answer that a campaign keeps."""
        return self._replace(body=self.body[:EXCERPT], headers=())


@dataclass(frozen=True)
class AnswerRules:
    """Defines how to interpret HTTP responses.

    `accept` and `reject` contain status codes (`201`) and classes of status codes (`2xx`). A code has priority over a
    class, and `accept` has priority over `reject`. By default, 2xx means `accepted`, and 1xx, 3xx and 4xx mean
    `rejected`. Any other status means `crashed`.

    If the status means `accepted`, the body can change the answer. A body with `operationWasSuccessful: false` means
    `rejected`. A JSON object of more than `LONGEST_ENVELOPE` bytes means `crashed`, and so does a body in an encoding
    that nobody requested.
    """

    accept: tuple[str, ...] = ("2xx",)
    reject: tuple[str, ...] = ("1xx", "3xx", "4xx")

    def kind(self, status: int) -> AnswerKind:
        for pattern in (str(status), f"{status // 100}xx"):
            if pattern in self.accept:
                return "accepted"
            if pattern in self.reject:
                return "rejected"
        return "crashed"

    def has_code(self, status: int) -> bool:
        """Returns whether `accept` or `reject` contains exactly this code, such as `429`. A class such as `4xx` is
        ignored.
        """
        return str(status) in self.accept or str(status) in self.reject

    def most_read(self, status: int, beginning: bytes | bytearray) -> int:
        """Returns the maximum number of bytes to read from a response body. The limit is higher if the `beginning` can
        be the beginning of an envelope. Reading stops after the chunk that exceeds the limit.
        """
        may_be_envelope = self.kind(status) == "accepted" and _BEGINS_AN_OBJECT.match(beginning)
        return LONGEST_ENVELOPE if may_be_envelope else MOST_READ

    def read(self, response: Response, secrets: Secrets = NOTHING_SECRET) -> Answer:
        """Converts an HTTP response to an answer, in which the `secrets` are replaced. Redirects and requests to wait
        have their usual meaning, unless `accept` or `reject` lists the status itself.
        """
        kind, reason = self.kind(response.status), f"status {response.status}"
        if response.status == 401 and (scheme := (response.header("www-authenticate") or "").partition(" ")[0]):
            reason += f" ({printable(scheme, 40)} authentication)"
        body = _in_utf_8(response.body)
        if kind == "accepted":
            kind, reason = _meaning(replace(response, body=body), secrets) or (kind, reason)
        headers = tuple((name, secrets.hide(value)) for name, value in response.headers)
        answer = Answer(kind, response.status, secrets.excerpt(body, MOST_READ), reason, headers=headers)
        if self.has_code(response.status):
            return answer
        if response.status // 100 == 3 and (location := response.header("location")) is not None:
            return answer._replace(location=secrets.hide(secrets.url(location)))
        pause = pause_of(response.status, response.header("retry-after"))
        return answer if pause is None else _postponed(answer, pause)


def _postponed(answer: Answer, pause: float) -> Answer:
    """Returns the answer that says nothing about the message, because the target asked for a pause."""
    duration = f" for {pause:.0f} s" if pause >= 1 else ""
    reason = f"asked brokerfuzz to wait{duration} with status {answer.status}"
    kind: AnswerKind = "timeout" if answer.status == TOO_MANY else "crashed"
    return answer._replace(kind=kind, reason=reason, reached=False, pause=pause)


def _in_utf_8(body: bytes) -> bytes:
    """Converts JSON or HTML in UTF-16 or UTF-32 to UTF-8. Returns other bytes unchanged."""
    encoding = json.detect_encoding(body)
    if encoding.startswith("utf-8"):
        return body
    try:
        text = body.decode(encoding)
        return text.encode() if _BEGINS_JSON_OR_HTML.match(text) else body
    except UnicodeError:
        return body


def _meaning(response: Response, secrets: Secrets) -> tuple[AnswerKind, str] | None:
    """If a response contradicts the status `accepted`, returns the kind of the answer and the reason."""
    encoding = response.header("content-encoding")
    if response.body and encoding and encoding.lower() != "identity":
        shown = printable(encoding, 40)
        return "crashed", f"the response has the Content-Encoding {shown}, which was not requested"
    if len(response.body) > LONGEST_ENVELOPE:
        size = f"{LONGEST_ENVELOPE >> 20} MiB"
        return "crashed", f"the response has more than {size}, so the end of its envelope is unknown"
    rejection = _rejection(response.body, secrets)
    return None if rejection is None else ("rejected", rejection)


def _rejection(body: bytes, secrets: Secrets) -> str | None:
    """If the body is an envelope with `operationWasSuccessful: false`, returns the reason for the rejection, otherwise
    None.
    """
    if _SUCCESS.encode() not in body:
        return None
    try:
        envelope: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(envelope, dict) or envelope.get(_SUCCESS) is not False:
        return None
    messages = envelope.get("failureMessages")
    reasons = "; ".join(secrets.hide(str(message)) for message in messages[:3]) if isinstance(messages, list) else ""
    return f"{_SUCCESS} is false" + (f": {reasons[:300]}" if reasons else "")
