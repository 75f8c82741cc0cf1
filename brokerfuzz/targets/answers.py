"""Answers: what a target did with a message, and the reading of an HTTP response as one.

The contract shows neither status codes nor the response of the offer creation, so how a response is read is the
user's to say; the defaults are what HTTP itself means by the codes, and the envelope that all responses share.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets

AnswerKind = Literal["accepted", "rejected", "crashed", "timeout"]
ANSWER_KINDS: tuple[AnswerKind, ...] = ("accepted", "rejected", "crashed", "timeout")

EXCERPT = 2048
"""How many bytes of a response an answer keeps."""

_SUCCESS = "operationWasSuccessful"
_SUCCESS_BYTES = _SUCCESS.encode()
_CLASS = re.compile(r"([1-9])[xX]{2}")
_CODE = re.compile(r"[1-9][0-9]{2}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a target did with one message.

    `status` is None where there was no response. `body` holds the first bytes of the response, without the secrets of the
    request; `reason` says in a few words why the answer is of its kind, `seconds` how long it took, `location` where a redirect leads.
    `reached` is False where the message came to nobody who judged it: no connection could be made, or the target asked to come back
    later for as long as it was waited for. Such an answer says nothing of the message.
    """

    kind: AnswerKind
    status: int | None = None
    body: bytes = b""
    reason: str = ""
    seconds: float = 0.0
    reached: bool = True
    location: str | None = None


@dataclass(frozen=True)
class AnswerRules:
    """How an HTTP response is read.

    `accept` and `reject` are status patterns: a code (`201`) or a class (`2xx`); a code outranks a class, and `accept`
    outranks `reject`. A status that neither names means neither acceptance nor a proper rejection: `crashed`. By default
    2xx accepts, 5xx (and what is no status of HTTP) is a crash, and all else rejects: a redirect or an informational
    response has not taken the message. `envelope` says whether `operationWasSuccessful: false` turns an acceptance into
    a rejection; `true` does not turn anything into an acceptance.

    Raises `TargetError` for a pattern that is none.
    """

    accept: tuple[str, ...] = ("2xx",)
    reject: tuple[str, ...] = ("1xx", "3xx", "4xx")
    envelope: bool = True
    _kinds: dict[int, AnswerKind] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        said: tuple[tuple[AnswerKind, tuple[str, ...]], ...] = (("rejected", self.reject), ("accepted", self.accept))
        for classes in (True, False):
            for kind, patterns in said:
                self._kinds.update((code, kind) for code in _codes(patterns, classes=classes))

    def names(self, status: int) -> bool:
        """Whether the user said of this very status, and not of its class, what it means."""
        return str(status) in self.accept or str(status) in self.reject

    def read(self, status: int, body: bytes, seconds: float = 0.0, secrets: Secrets = NOTHING_SECRET) -> Answer:
        """The answer that a whole HTTP response is. `body` is what was read of its body; `secrets` are taken out of what is kept of it."""
        kind = self._kinds.get(status, "crashed")
        if kind == "accepted" and self.envelope and _SUCCESS_BYTES in body and (rejection := _rejection(body, secrets)) is not None:
            return Answer("rejected", status, secrets.excerpt(body, EXCERPT), rejection, seconds)
        return Answer(kind, status, secrets.excerpt(body, EXCERPT), f"status {status}", seconds)


def status_patterns(text: str) -> tuple[str, ...]:
    """The patterns of a list such as `200,201,4xx`. Raises `TargetError` where one is neither a code nor a class."""
    patterns = tuple(part.strip() for part in text.split(",") if part.strip())
    if not patterns:
        raise TargetError("no status is named: give codes or classes, parted by commas, as in 200,201,4xx")
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
            raise TargetError(f"{pattern!r} is no status: give a code such as 201 or a class such as 2xx")
    return codes


def _rejection(body: bytes, secrets: Secrets) -> str | None:
    """Why the envelope rejects, in words; None where the body is no envelope, or one that tells of success."""
    try:
        envelope: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(envelope, dict) or envelope.get(_SUCCESS) is not False:
        return None
    messages = envelope.get("failureMessages")
    said = "; ".join(secrets.hide(str(message)) for message in messages[:3]) if isinstance(messages, list) else ""
    return f"{_SUCCESS} is false" + (f": {said[:300]}" if said else "")
