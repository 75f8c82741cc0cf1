"""Messages that are put together from members which have been read before.

`check` reads every byte of every message. Who makes a great many messages of the same members has each member read and looked at once: what is left
to do for a message is what concerns it as a whole. The verdict is that of `check`, for the same schemas are asked about the same values.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from brokerfuzz.schemas.contract import Contract, MessageType
from brokerfuzz.schemas.looking import Inspection, Look
from brokerfuzz.schemas.oracle import MOST_BROKEN, Error, broken_in_all, rulebook_of, verdict_of
from brokerfuzz.schemas.pointers import escape
from brokerfuzz.schemas.reading import DEEPEST, Reading, plain, plainly, read_at_leisure
from brokerfuzz.schemas.verdicts import Broken, Touched, Verdict
from brokerfuzz.schemas.ways import Exotic

_SHORT, _KEPT = 64, 2048
"""Members of so few bytes come again and again: so many are kept."""


class _Way(NamedTuple):
    """A member in one way of reading it: what schemas find, what is in doubt, what is broken that schemas cannot say, which texts are long."""

    value: Any
    errors: Sequence[Error] = ()
    touched: Sequence[Touched] = ()
    broken: Sequence[Broken] = ()
    long: Sequence[Touched] = ()

    @property
    def is_ordinary(self) -> bool:
        """Whether nothing is to be said of it."""
        return not (self.errors or self.touched or self.broken or self.long)


class _Notable(NamedTuple):
    """A member in which there is something to notice. `order` is the place of its site in the contract."""

    name: str
    order: int
    ways: Sequence[_Way]
    exotic: Sequence[Exotic]


class Piece(NamedTuple):
    """Members of a message: their bytes as they stand in it, their values by name in the usual way of reading them (not to be changed).

    `is_plain` says that they are compact JSON that can be read in one way only. `parts` are the pieces of each, none where there is only one.
    """

    text: bytes
    values: Mapping[str, Any]
    notable: Sequence[_Notable]
    is_plain: bool
    parts: "Mapping[str, Piece]" = MappingProxyType({})


class Unread(NamedTuple):
    """A member of a message that is read when the message is judged: its bytes there, its name, the bytes of its value."""

    text: bytes
    name: str
    alone: bytes


def together(parts: Mapping[str, Piece]) -> Piece:
    """A piece of several members, one after the other, from the pieces of each, by their names."""
    every = parts.values()
    values = {name: value for part in every for name, value in part.values.items()}
    notable = [member for part in every for member in part.notable]
    return Piece(b",".join([part.text for part in every]), values, notable, all(part.is_plain for part in every), parts)


def joined(pieces: Iterable[Piece | Unread]) -> bytes:
    """The message that has these members."""
    return b"{%b}" % b",".join([piece.text for piece in pieces])


class Judgement(NamedTuple):
    """A verdict, and whether the bytes are known to be compact JSON, which can be read in one way."""

    verdict: Verdict
    is_plain: bool


class _Known(NamedTuple):
    """What is known of a member by its name: the place of its site in the contract, how it begins, and the walk over it."""

    order: int
    head: bytes | None
    look: Look | None


class Pieces:
    """Reads members of one message type, and judges messages of them, against a time."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime) -> None:
        self._rulebook = rulebook_of(contract, message_type)
        self._inspector = self._rulebook.inspector
        self._known = {name: _Known(number, _named(name), look) for number, (name, look) in enumerate(self._inspector.members.items())}
        self._now, self._longest = now, self._inspector.longest_text
        self._short = lru_cache(maxsize=_KEPT)(self.read_once)

    def read(self, name: str, text: bytes) -> Piece | None:
        """The member of this name whose value is written so; None where that is no JSON in UTF-8, or nested too deep."""
        return (self._short if len(text) <= _SHORT else self.read_once)(name, text)

    def read_once(self, name: str, text: bytes) -> Piece | None:
        """The same, for what does not come again."""
        known = self._known.get(name) or _Known(len(self._known), _named(name), None)
        alone = b"[%b]" % text
        value = plainly(alone)
        if known.head is None or (value is not None and len(value) != 1):
            return None
        if value is not None and known.look is None and len(text) <= self._longest and not self._rulebook.errors_of_member(name, value[0]):
            return Piece(known.head + text, {name: value[0]}, (), True)
        reading = Reading(alone, [value]) if value is not None else read_at_leisure(alone)
        if reading.error is not None or reading.encoding is not None or len(reading.values[0]) != 1:
            return None
        if value is None and text.count(b"[") + text.count(b"{") > DEEPEST:
            return None
        ways = [self._way(name, way, known, reading) for [way] in reading.values]
        exotic = [(detector, f"/{escape(name)}{at[2:]}", found) for detector, at, found in reading.exotic]
        notable = () if len(ways) == 1 and ways[0].is_ordinary and not exotic else (_Notable(name, known.order, ways, exotic),)
        return Piece(known.head + text, {name: ways[0].value}, notable, value is not None)

    def _way(self, name: str, value: Any, known: "_Known", reading: Reading) -> _Way:
        inspection, place, errors = Inspection(self._now), (None, name), self._rulebook.errors_of_member(name, value)
        if value is None or name not in self._known:
            return _Way(value, errors)
        if known.look is not None:
            known.look(value, place, inspection)
        touched = len(inspection.touched)
        self._inspector.long_texts(name, value, place, reading, inspection)
        return _Way(value, errors, inspection.touched[:touched], inspection.broken, inspection.touched[touched:])

    def unread(self, name: str, text: bytes) -> Unread | None:
        """The member of this name whose value is written so, whatever that is; None where the name is hardly Unicode."""
        known = self._known.get(name)
        head = known.head if known else _named(name)
        return Unread(head + text, name, text) if head is not None else None

    def judge(self, body: bytes, pieces: Sequence[Piece | Unread]) -> Judgement:
        """The verdict on a message. That these are its pieces is believed only if they give its very bytes."""
        judgement = self._judge(body, pieces) if joined(pieces) == body else None
        return judgement or Judgement(self._rulebook.judge(body, now=self._now, stances={}, headers=()), plain(body) is not None)

    def _judge(self, body: bytes, pieces: Sequence[Piece | Unread]) -> Judgement | None:
        """None where only the whole tells: members share a name, one is none by itself, or see `_verdict`."""
        value: dict[str, Any] = {}
        members, is_plain, notable = 0, True, list[_Notable]()
        for one in pieces:
            piece = self.read(one.name, one.alone) if isinstance(one, Unread) else one
            if piece is None:
                return None
            values = piece.values
            value |= values
            members += len(values)
            if not piece.is_plain:
                is_plain = False
            if piece.notable:
                notable += piece.notable
        verdict = self._verdict(len(body), value, notable) if members == len(value) else None
        return Judgement(verdict, is_plain) if verdict is not None else None

    def _verdict(self, size: int, value: dict[str, Any], notable: list[_Notable]) -> Verdict | None:
        """None where only the whole tells: several members can be read in several ways, or one is deeper than a validator goes."""
        inspection = Inspection(self._now)
        try:
            if notable:
                several = [member for member in notable if len(member.ways) > 1]
                if len(several) > 1:
                    return None
                broken = self._in_every_way(value, notable, several[0] if several else None, inspection)
                for member in notable:
                    self._rulebook.touch_by_exotic(member.exotic, inspection)
            else:
                self._inspector.around(value, None, inspection)
                broken = self._rulebook.broken_by(self._rulebook.errors_of_rest(value), value) + inspection.broken
        except (ValueError, RecursionError):
            return None
        self._rulebook.touch_by_size(size, inspection)
        return verdict_of(broken, inspection.touched)

    def _in_every_way(self, value: dict[str, Any], notable: list[_Notable], several: _Notable | None, inspection: Inspection) -> list[Broken]:
        """The rules broken in every way to read the message; `several` is the member that can be read in several."""
        found = []
        by_site = sorted(notable, key=lambda member: member.order)
        for number in range(len(several.ways) if several else 1):
            message = {**value, several.name: several.ways[number].value} if several else value
            errors = list(self._rulebook.errors_of_rest(message))
            for member in by_site:
                way = member.ways[number if member is several else 0]
                errors += way.errors
                inspection.touched += way.touched
                inspection.broken += way.broken
            self._inspector.around(message, None, inspection)
            for member in notable:
                inspection.touched += member.ways[number if member is several else 0].long
            if len(errors) > MOST_BROKEN:
                raise ValueError("a verdict lists no more")
            found.append(self._rulebook.broken_by(errors, message) + inspection.broken)
            inspection.broken = []
        return broken_in_all(found)


def _named(name: str) -> bytes | None:
    """How a member of this name begins; None for a name that is hardly Unicode."""
    try:
        written = orjson.dumps(name)
    except TypeError:
        return None
    return b"%b:" % written if b"\\u0000" not in written else None
