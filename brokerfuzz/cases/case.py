"""A case: the bytes of a message, the verdict on the message, and further facts about the message."""

import json
from collections.abc import Sequence
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
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.json_reader import cached_parse_compact, is_compact_json
from brokerfuzz.schemas.oracle import aware
from brokerfuzz.schemas.pieces import Judgement


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
        judgement = Judgement(check(message_type, body, now=now, contract=contract, headers=headers), cached_parse_compact(body) is not None or None)
        return cls.of_judgement(message_type, body, judgement, faults, claim, tags, twin, headers)

    @classmethod
    def of_judgement(
        cls,
        message_type: MessageType,
        body: bytes,
        judgement: Judgement,
        faults: Sequence[Fault] = (),
        claim: str | None = None,
        tags: Sequence[str] = (),
        twin: "Case | None" = None,
        headers: Headers = (),
    ) -> "Case":
        """Returns the same case as `judged`. The caller passes the oracle's judgement of the bytes."""
        verdict = judgement.verdict
        if not confirmed_by(verdict, faults, claim):
            raise LabelError(f"expected a case of {quoted(faults or claim)}, but the oracle says {verdict.brief}: {body[:300]!r}")
        if twin is not None and twin.label != "valid":
            raise LabelError(f"a twin must be valid, but the oracle says {twin.verdict.brief}: {twin.body[:300]!r}")
        return cls.known(message_type, body, judgement, tuple(faults), tuple(tags), twin, headers)

    @classmethod
    def known(
        cls,
        message_type: MessageType,
        body: bytes,
        judgement: Judgement,
        faults: tuple[Fault, ...],
        tags: tuple[str, ...],
        twin: "Case | None",
        headers: Headers = (),
    ) -> "Case":
        """Returns the same case as `of_judgement`, but does not check the expected verdict. Call this only if the judgement is
        known to agree.
        """
        verdict, is_compact, _ = judgement
        fields: dict[str, Any] = {
            "message_type": message_type, "body": body, "verdict": verdict, "faults": faults, "tags": tags,
            "twin": twin, "missing_twin": None, "headers": headers, "id": _id(message_type, headers, body),
        }  # fmt: skip
        if is_compact is not None:
            fields["is_compact"] = is_compact  # pre-fills the cached property
        case = object.__new__(cls)
        object.__setattr__(case, "__dict__", fields)  # much faster than setting each field of a frozen dataclass
        return case

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
    """Returns the time for which cases are generated, in whole seconds.

    None means the current time. A time without a zone is in UTC. Raises `ClockError` for a time before 2001 or after 9900. Some
    cases contain fixed times that must be in the past. Others need a time in the future, and the last possible year is 9999.
    """
    instant = aware(now).replace(microsecond=0)
    if instant < EARLIEST_NOW:
        raise ClockError(f"now={instant.isoformat()} is too early: use {EARLIEST_NOW:%Y-%m-%d} or later")
    if instant > LATEST_NOW:
        raise ClockError(f"now={instant.isoformat()} is too late: use {LATEST_NOW:%Y-%m-%d} or earlier")
    return instant


TWIN_TAGS = ("twin",)
"""The tags of a case that is included only because it is the twin of another case."""
NOW_TAG = "now:"


def now_tag(now: datetime) -> str:
    """Returns the tag of a case whose verdict depends on the clock. The tag contains the time for which the case was made."""
    return f"{NOW_TAG}{spell(now)}"


def compact(value: Any) -> bytes:
    """Returns the compact JSON of a value: UTF-8, no white space, properties in their given order. Raises `TypeError` for values
    that orjson cannot write (integers beyond 64 bits, lone surrogates).
    """
    return orjson.dumps(value)
