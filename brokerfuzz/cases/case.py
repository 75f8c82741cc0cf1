"""A case: the bytes of a message, the verdict on the message, and further facts about the message."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

import orjson

from brokerfuzz.decoder.value_pools import EARLIEST_NOW, LATEST_NOW
from brokerfuzz.errors import ClockError, LabelError, quoted
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, Label, MessageType, Verdict, check, load_contract
from brokerfuzz.schemas.headers import Headers, carried
from brokerfuzz.schemas.instants import instant, spell
from brokerfuzz.schemas.json_reader import is_compact_json
from brokerfuzz.schemas.oracle import aware


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule of a message: the id of the rule, the JSON Pointer of the place, and the name of the technique that broke the
    rule there.
    """

    rule: str
    at: str
    technique: str


@dataclass(frozen=True)
class Case:
    """A message with its verdict and the reason for the verdict.

    `faults` lists the rules that were broken on purpose. `tags` describe where the case comes from and what it tests (`catalogue`,
    `edge:empty-string`, `probe:cron-syntax`, ...). `twin` is the valid counterpart: the same message without the one fault.
    `headers` replace the usual headers of the same names when the message is sent; the value None omits a header. Use `judged` to
    make a case: the label then comes from the oracle, not from the code that made the message.
    """

    message_type: MessageType
    body: bytes
    verdict: Verdict
    faults: tuple[Fault, ...] = ()
    tags: tuple[str, ...] = ()
    twin: "Case | None" = None
    missing_twin: str | None = field(default=None, repr=False)
    """The twin's id. It is set only if this case was read from a corpus that does not contain the twin."""
    headers: Headers = field(default=(), kw_only=True)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits, computed from the message type, the headers and the bytes. Equal messages have equal ids everywhere."""
        return _id(self.message_type, self.headers, self.body)

    @cached_property
    def is_compact(self) -> bool:
        """True if the bytes are compact JSON. Such a message can be a line of a text file without any change."""
        return is_compact_json(self.body)

    @property
    def twin_id(self) -> str | None:
        """The twin's id, even if the twin itself is not available."""
        return self.twin.id if self.twin else self.missing_twin

    @property
    def label(self) -> Label:
        """`valid`, `invalid` or `unspecified`."""
        return self.verdict.label

    @property
    def value(self) -> Any:
        """The message as parsed by Python's `json`. Raises `ValueError` if the bytes are not JSON."""
        return json.loads(carried(self.body, self.headers))

    @classmethod
    def judged(
        cls,
        message_type: MessageType,
        body: bytes,
        *,
        faults: Sequence[Fault] = (),
        claim: str | None = None,
        tags: Sequence[str] = (),
        twin: "Case | None" = None,
        now: datetime | None = None,
        contract: Contract | None = None,
        headers: Headers = (),
    ) -> "Case":
        """Returns the case with these bytes. The oracle judges them.

        `faults` and `claim` state the expected verdict. With `faults`, the message must break the rules of these faults and no
        others. With `claim`, the message must break no rule: it must be valid (`valid`) or touch an ambiguity (the id of the
        ambiguity). Raises `LabelError` if the oracle disagrees or if the twin is not valid.
        """
        verdict = check(message_type, body, now=now, contract=contract, headers=headers)
        if not confirmed_by(verdict, faults, claim):
            raise LabelError(f"expected a case of {quoted(faults or claim)}, but the oracle says {verdict.brief}: {body[:300]!r}")
        if twin is not None and twin.label != "valid":
            raise LabelError(f"a twin must be valid, but the oracle says {twin.verdict.brief}: {twin.body[:300]!r}")
        return cls(message_type, body, verdict, tuple(faults), tuple(tags), twin, headers=headers)

    @classmethod
    def confirmed(cls, message_type: MessageType, body: bytes, *, contract: Contract, **claims: Any) -> "Case | None":
        """Returns the same case as `judged`. If the oracle disagrees and the contract is a changed one, returns None.

        The rules of a changed contract may contradict each other, for example if items must be unique but there are too few values.
        The code that makes cases does not detect such contradictions, so a case is dropped if the oracle disagrees. With our own
        contract, such a case is a bug, and this method raises `LabelError`.
        """
        try:
            return cls.judged(message_type, body, contract=contract, **claims)
        except LabelError:
            if contract is load_contract():
                raise
            return None


def confirmed_by(verdict: Verdict, faults: Sequence[Fault], claim: str | None) -> bool:
    """Returns True if the verdict is the one that `faults` and `claim` state; see `Case.judged`."""
    if faults and {entry.rule for entry in verdict.broken} != {fault.rule for fault in faults}:
        return False
    return not claim or claim == verdict.label or (verdict.label == "unspecified" and claim in {touch.ambiguity for touch in verdict.ambiguities})


def _id(message_type: MessageType, headers: Headers, body: bytes) -> str:
    digest = sha256(f"{message_type} {json.dumps(headers)}\n".encode()) if headers else _BEGUN[message_type].copy()
    digest.update(body)
    return digest.hexdigest()[:16]


_BEGUN = {message_type: sha256(f"{message_type}\n".encode()) for message_type in MESSAGE_TYPES}
"""The started digest of each message type. Copying it is faster than starting a new one."""


def clock(now: datetime | None) -> datetime:
    """Returns the time for which cases about the clock are generated, in whole seconds.

    None means the current time. A time without a zone is in UTC. Raises `ClockError` for a time before 2001 or after 9900. Some
    cases contain fixed times that must be in the past. Others need a time in the future, and the last possible year is 9999.
    """
    when = aware(now).replace(microsecond=0)
    if when < EARLIEST_NOW:
        raise ClockError(f"now={when.isoformat()} is too early: use {EARLIEST_NOW:%Y-%m-%d} or later")
    if when > LATEST_NOW:
        raise ClockError(f"now={when.isoformat()} is too late: use {LATEST_NOW:%Y-%m-%d} or earlier")
    return when


def is_always_correct(case: Case, contract: Contract) -> bool:
    """Returns True if the verdict of a case is correct at the earliest and at the latest supported time, and so at any time between
    them.
    """
    return all(
        check(case.message_type, case.body, now=now, contract=contract, headers=case.headers) == case.verdict for now in (EARLIEST_NOW, LATEST_NOW)
    )


TWIN_TAGS = ("twin",)
"""The tags of a case that is included only because it is the twin of another case."""
NOW_TAG = "now:"


def now_tag(now: datetime) -> str:
    """Returns the tag of a case about the clock. The tag contains the time for which the case was made.

    The verdict of such a case may be different at another time. All other cases have the same verdict at any supported time.
    """
    return f"{NOW_TAG}{spell(now)}"


def tagged_now(tags: Iterable[str]) -> datetime | None:
    """Returns the time for which a case about the clock was made. Returns None if the tags belong to any other case."""
    return next((instant(tag.removeprefix(NOW_TAG)) for tag in tags if tag.startswith(NOW_TAG)), None)


def compact(value: Any) -> bytes:
    """Returns the compact JSON of a value: UTF-8, no white space, properties in their given order. Raises `TypeError` for values
    that orjson cannot write (integers beyond 64 bits, lone surrogates).
    """
    return orjson.dumps(value)
