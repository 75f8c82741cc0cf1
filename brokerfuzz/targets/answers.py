"""Defines the answers of targets, and how brokerfuzz interprets an HTTP response as an answer.

The contract defines no status codes and no response to a new offer, so users can configure the interpretation. By
default, a status code has its usual meaning in HTTP. If the status means `accepted`, but the response is an envelope of
the contract with `operationWasSuccessful: false`, the answer is `rejected`.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.content_encoding import decoded
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets
from brokerfuzz.wording import printable

AnswerKind = Literal["accepted", "rejected", "crashed", "timeout"]
ANSWER_KINDS: tuple[AnswerKind, ...] = ("accepted", "rejected", "crashed", "timeout")

EXCERPT = 2048
"""An answer contains at most this number of bytes of the response. Only hooks and cleanup see more."""

MOST_READ = 1 << 20
"""The number of bytes after which brokerfuzz stops reading a response that cannot be an envelope."""
LONGEST_ENVELOPE = 8 << 20
"""The number of bytes after which brokerfuzz stops reading a response that may be an envelope. `LONGEST_ENVELOPE` is
larger than `MOST_READ`, because `operationWasSuccessful` may be at the end of the envelope.
"""

_SUCCESS = "operationWasSuccessful"
_SUCCESS_BYTES = _SUCCESS.encode()
_BEGINS_AN_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_CLASS = re.compile(r"([1-9])[xX]{2}")
_CODE = re.compile(r"[1-9][0-9]{2}")


class Answer(NamedTuple):
    """The answer of a target to one message.

    `status` is None if there was no HTTP response. `body` is the beginning of the response, without secrets. `reason`
    explains `kind` in a few words. `seconds` is the response time. `location` is the URL of a redirect. With hooks,
    `headers` are the headers of the response.

    `reached` is False if the target never processed the message: for example, no connection was possible, or the target
    kept asking brokerfuzz to retry later. If `reached` is False, the answer says nothing about the message. `pause` is
    the number of seconds that the target asked brokerfuzz to wait before the next message, or None.

    >>> from brokerfuzz.targets import AnswerRules
    >>> AnswerRules(reject=("4xx", "299")).read(299, b'{"error": "unknown product"}').kind
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


@dataclass(frozen=True)
class AnswerRules:
    """Defines how to interpret HTTP responses.

    `accept` and `reject` contain status codes (`201`) and classes of status codes (`2xx`). A code has priority over a
    class, and `accept` has priority over `reject`. By default, 2xx means `accepted`, and 1xx, 3xx and 4xx mean
    `rejected`. Any other status means `crashed`.

    If the status means `accepted`, the body can change the answer. A body with `operationWasSuccessful: false` means
    `rejected`. A JSON object of more than `LONGEST_ENVELOPE` bytes means `crashed`, and so does a compressed body that
    cannot be decompressed.

    Raises `TargetError` if an item of `accept` or `reject` is invalid.
    """

    accept: tuple[str, ...] = ("2xx",)
    reject: tuple[str, ...] = ("1xx", "3xx", "4xx")
    _kinds: dict[int, AnswerKind] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        said: tuple[tuple[AnswerKind, tuple[str, ...]], ...] = (("rejected", self.reject), ("accepted", self.accept))
        for classes in (True, False):
            for kind, patterns in said:
                self._kinds.update((code, kind) for code in _codes(patterns, classes=classes))

    def has_code(self, status: int) -> bool:
        """Returns whether `accept` or `reject` contains exactly this code, such as `429`. A class such as `4xx` is
        ignored.
        """
        return str(status) in self.accept or str(status) in self.reject

    def most_read(self, status: int, beginning: bytes | bytearray) -> int:
        """Returns the maximum number of bytes to read from a response body. The limit is higher if the `beginning` can
        be the beginning of an envelope. Reading stops after the chunk that exceeds the limit.
        """
        may_be_envelope = self._kinds.get(status) == "accepted" and _BEGINS_AN_OBJECT.match(beginning)
        return LONGEST_ENVELOPE if may_be_envelope else MOST_READ

    def read(
        self,
        status: int,
        body: bytes,
        seconds: float = 0.0,
        secrets: Secrets = NOTHING_SECRET,
        encoding: str | None = None,
        *,
        longest: int = EXCERPT,
    ) -> Answer:
        """Converts an HTTP response to an answer, in which the `secrets` are replaced. `body` is the part of the
        response body that brokerfuzz has read (see `most_read`). `encoding` is the value of the header
        `Content-Encoding`. The answer contains at most `longest` bytes of the body.
        """
        kind, reason = self._kinds.get(status, "crashed"), f"status {status}"
        plain = decoded(body, encoding, LONGEST_ENVELOPE + 1)
        if kind == "accepted":
            kind, reason = _meaning(plain, encoding, secrets) or (kind, reason)
        return Answer(kind, status, secrets.excerpt(body if plain is None else plain, longest), reason, seconds)


def _meaning(body: bytes | None, encoding: str | None, secrets: Secrets) -> tuple[AnswerKind, str] | None:
    """If the body of a response contradicts the status `accepted`, returns the kind of the answer and the reason. The
    body is None if it cannot be decoded.
    """
    if body is None:
        shown = printable(encoding or "", 40)
        return "crashed", f"the response has the Content-Encoding {shown}, and cannot be decoded"
    if len(body) > LONGEST_ENVELOPE:
        return (
            "crashed",
            f"the response has more than {LONGEST_ENVELOPE >> 20} MiB, so the end of its envelope is unknown",
        )
    rejection = _rejection(body, secrets) if _SUCCESS_BYTES in body else None
    return None if rejection is None else ("rejected", rejection)


def status_patterns(text: str) -> tuple[str, ...]:
    """Splits a list such as `200,201,4xx`. Raises `TargetError` if an element is neither a status code nor a class such
    as `4xx`.
    """
    patterns = tuple(part.strip() for part in text.split(",") if part.strip())
    if not patterns:
        raise TargetError("no status given: list codes or classes separated by commas, e.g. 200,201,4xx")
    for pattern in patterns:
        _codes([pattern], classes=True)
    return patterns


def _codes(patterns: Iterable[str], *, classes: bool) -> Iterable[int]:
    codes: list[int] = []
    for pattern in patterns:
        if digit := _CLASS.fullmatch(pattern):
            codes += range(int(digit[1]) * 100, int(digit[1]) * 100 + 100) if classes else ()
        elif _CODE.fullmatch(pattern):
            codes += () if classes else [int(pattern)]
        else:
            raise TargetError(f"{pattern!r} is not a status code: use a code such as 201 or a class such as 2xx")
    return codes


def _rejection(body: bytes, secrets: Secrets) -> str | None:
    """If the body is an envelope with `operationWasSuccessful: false`, returns the reason for the rejection, otherwise
    None.
    """
    try:
        envelope: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(envelope, dict) or envelope.get(_SUCCESS) is not False:
        return None
    messages = envelope.get("failureMessages")
    said = "; ".join(secrets.hide(str(message)) for message in messages[:3]) if isinstance(messages, list) else ""
    return f"{_SUCCESS} is false" + (f": {said[:300]}" if said else "")
