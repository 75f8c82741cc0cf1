"""A case: a message as bytes with what is known of it."""

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
from brokerfuzz.schemas.json_reader import compactly_written, plain
from brokerfuzz.schemas.oracle import aware
from brokerfuzz.schemas.pieces import Judgement


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule (by its id) broken by a technique (by its name) at a place (a JSON Pointer) of a message."""

    rule: str
    at: str
    technique: str


@dataclass(frozen=True)
class Case:
    """A message with its verdict and the reason for it.

    `faults` say what was broken on purpose, `tags` where the case comes from and what it is about (`catalogue`,
    `edge:empty-string`, `probe:cron-syntax`, ...). `twin` is the valid case that differs from this one in its one fault.
    `headers` are what the request that carries the message has in place of its usual headers of these names (a value of None: no such
    header); most cases have none. Make a case with `judged`: the label is the oracle's, whatever the maker believes.
    """

    message_type: MessageType
    body: bytes
    verdict: Verdict
    faults: tuple[Fault, ...] = ()
    tags: tuple[str, ...] = ()
    twin: "Case | None" = None
    missing_twin: str | None = field(default=None, repr=False)
    """The twin's id, where the twin itself was left out of the corpus that this case was read from."""
    headers: Headers = field(default=(), kw_only=True)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits, from the message type, the headers and the bytes: equal messages have equal ids everywhere."""
        return _id(self.message_type, self.headers, self.body)

    @cached_property
    def is_compact(self) -> bool:
        """Whether the bytes are the compact JSON of a value: such a message stands in a line of text as it is."""
        return compactly_written(self.body)

    @property
    def twin_id(self) -> str | None:
        """The twin's id, whether or not the twin is at hand."""
        return self.twin.id if self.twin else self.missing_twin

    @property
    def label(self) -> Label:
        """`valid`, `invalid` or `unspecified`."""
        return self.verdict.label

    @property
    def value(self) -> Any:
        """The message as Python's `json` reads it. Raises `ValueError` where the bytes are no JSON."""
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
        """The case of these bytes, judged by the oracle.

        `faults` claim that the rules that they name are broken and no others, `claim` (an ambiguity's id, or `valid`) that nothing is
        broken and the ambiguity is touched, or none. Raises `LabelError` where the oracle sees it otherwise, or finds fault with the twin.
        """
        judgement = Judgement(check(message_type, body, now=now, contract=contract, headers=headers), plain(body) is not None or None)
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
        """The case as `judged` makes it, of what the oracle said of the bytes."""
        verdict = judgement.verdict
        if not confirmed_by(verdict, faults, claim):
            raise LabelError(f"a case of {quoted(faults or claim)} is {verdict.brief}: {body[:300]!r}")
        if twin is not None and twin.label != "valid":
            raise LabelError(f"a twin is {twin.verdict.brief}: {twin.body[:300]!r}")
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
        """The same, of a judgement that is known to confirm what is claimed."""
        verdict, is_compact, _ = judgement
        fields: dict[str, Any] = {
            "message_type": message_type, "body": body, "verdict": verdict, "faults": faults, "tags": tags,
            "twin": twin, "missing_twin": None, "headers": headers, "id": _id(message_type, headers, body),
        }  # fmt: skip
        if is_compact is not None:
            fields["is_compact"] = is_compact  # as the cached property would keep it
        case = object.__new__(cls)
        object.__setattr__(case, "__dict__", fields)  # what a frozen dataclass does, field by field, takes as long as all else here
        return case

    @classmethod
    def confirmed(cls, message_type: MessageType, body: bytes, *, contract: Contract, **claims: Any) -> "Case | None":
        """The case as `judged` makes it, or None where the oracle does not confirm it and the contract is a changed one.

        The rules of a changed contract may stand in each other's way (items that have to differ, and one more of them than there can be):
        no maker knows all of that, and what it makes in vain is left out. Our own contract's makers make nothing in vain: `LabelError`.
        """
        try:
            return cls.judged(message_type, body, contract=contract, **claims)
        except LabelError:
            if contract is load_contract():
                raise
            return None


def confirmed_by(verdict: Verdict, faults: Sequence[Fault], claim: str | None) -> bool:
    """Whether a verdict says what a case claims by these faults, or by the id of an ambiguity or `valid`: see `Case.judged`."""
    if faults and {entry.rule for entry in verdict.broken} != {fault.rule for fault in faults}:
        return False
    return not claim or claim == verdict.label or (verdict.label == "unspecified" and claim in {touch.ambiguity for touch in verdict.ambiguities})


def _id(message_type: MessageType, headers: Headers, body: bytes) -> str:
    digest = sha256(f"{message_type} {json.dumps(headers)}\n".encode()) if headers else _BEGUN[message_type].copy()
    digest.update(body)
    return digest.hexdigest()[:16]


_BEGUN = {message_type: sha256(f"{message_type}\n".encode()) for message_type in MESSAGE_TYPES}
"""A digest that goes on from a copy of these is there sooner than one that is begun."""


def clock(now: datetime | None) -> datetime:
    """The time that cases are made against, to the second: the present for None, UTC where no zone is given.

    Raises `ClockError` for a time before 2001, where instants that are past for good would not be, and after 9900, where none might be in the future.
    """
    instant = aware(now).replace(microsecond=0)
    if instant < EARLIEST_NOW:
        raise ClockError(f"now={instant.isoformat()} is too early: give a time from {EARLIEST_NOW:%Y-%m-%d} on")
    if instant > LATEST_NOW:
        raise ClockError(f"now={instant.isoformat()} is too late: give a time up to {LATEST_NOW:%Y-%m-%d}")
    return instant


TWIN_TAGS = ("twin",)
"""The tags of a case that is there as the twin of others."""
NOW_TAG = "now:"


def now_tag(now: datetime) -> str:
    """The tag of a case whose verdict follows the clock: the time that it was made against."""
    return f"{NOW_TAG}{spell(now)}"


def compact(value: Any) -> bytes:
    """The compact JSON of a value: no white space, UTF-8, properties in their order. It is what `body` in a corpus stands for.

    Raises `TypeError` for what orjson cannot write (integers beyond 64 bits, lone surrogates): such messages travel as bytes.
    """
    return orjson.dumps(value)
