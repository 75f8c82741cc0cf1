"""Messages that are put together from members which have been read before.

`check` reads every byte of every message. Who makes a great many messages of the same members has each member read and looked at once: what is left
to do for a message is what concerns it as a whole. The verdict is that of `check`, for the same schemas are asked about the same values.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from brokerfuzz.schemas.contract import Contract, MessageType
from brokerfuzz.schemas.looking import Inspection, Look
from brokerfuzz.schemas.oracle import MOST_BROKEN, Error, broken_in_all, rulebook_of, verdict_of
from brokerfuzz.schemas.pointers import escape
from brokerfuzz.schemas.reading import DEEPEST, Reading, compactly_written, plain, plainly, read_at_leisure
from brokerfuzz.schemas.verdicts import Broken, Touched, Verdict
from brokerfuzz.schemas.ways import Exotic

_SHORT, _KEPT = 64, 2048
"""Members of so few bytes come again and again: so many are kept."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class _Way(NamedTuple):
    """A member in one way of reading it: what schemas find, what is in doubt, what is broken that schemas cannot say, which texts are long.

    `order` is the place of its site in the contract.
    """

    order: int
    value: Any
    errors: Sequence[Error] = ()
    touched: Sequence[Touched] = ()
    broken: Sequence[Broken] = ()
    long: Sequence[Touched] = ()


_ORDER, _PLACE = attrgetter("order"), attrgetter("at", "rule")


class _Notable(NamedTuple):
    """A member in which there is something to notice. `alone` are the rules that it breaks, where schemas say so and nothing else is to be said."""

    name: str
    ways: Sequence[_Way]
    exotic: Sequence[Exotic]
    alone: Sequence[Broken] | None


class Piece(NamedTuple):
    """Members of a message: their bytes as they stand in it, their values by name in the usual way of reading them (not to be changed).

    `names` has a bit for each that the contract has a site for. `outline` are those that a message is judged by as a whole.
    `is_compact` says whether they are compact JSON. `parts` are the pieces of each, none where there is only one.
    """

    text: bytes
    values: Mapping[str, Any]
    names: int
    outline: Mapping[str, Any]
    notable: Sequence[_Notable]
    is_compact: bool
    parts: "Mapping[str, Piece]" = _NOTHING

    @property
    def bare(self) -> "Piece":
        """The piece with what a message is judged by alone, which takes less memory: its values and parts are not in it."""
        return self._replace(values=_NOTHING, parts=_NOTHING)


class Unread(NamedTuple):
    """A member of a message that is read when the message is judged: its bytes there, its name, the bytes of its value."""

    text: bytes
    name: str
    alone: bytes


def together(parts: Mapping[str, Piece]) -> Piece:
    """A piece of several members, one after the other, from the pieces of each, by their names."""
    every, names, values, outline = parts.values(), 0, dict[str, Any](), dict[str, Any]()
    for part in every:
        names |= part.names
        values |= part.values
        outline |= part.outline
    notable = [member for part in every for member in part.notable]
    return Piece(b",".join([part.text for part in every]), values, names, outline, notable, all(part.is_compact for part in every), parts)


class Joined:
    """The message that has these members: its pieces, and the bytes that they give."""

    __slots__ = ("body", "pieces")

    def __init__(self, pieces: Sequence[Piece | Unread]) -> None:
        self.pieces = pieces
        self.body = b"{%b}" % b",".join([piece[0] for piece in pieces])


class Judgement(NamedTuple):
    """A verdict, and whether the bytes are the compact JSON of a value; None where that is not known."""

    verdict: Verdict
    is_compact: bool | None


class _Known(NamedTuple):
    """What is known of a member by its name: the place of its site in the contract, and a bit for that; how it begins, the walk over it, and
    whether a message is judged by it as a whole."""

    order: int
    bit: int
    head: bytes | None
    look: Look | None
    is_of_outline: bool


class Pieces:
    """Reads members of one message type, and judges messages of them, against a time."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime) -> None:
        self._rulebook = rulebook_of(contract, message_type)
        self._inspector = self._rulebook.inspector
        self._known = {
            name: _Known(number, 1 << number, _named(name), look, self._is_of_outline(name))
            for number, (name, look) in enumerate(self._inspector.members.items())
        }
        self._now, self._longest = now, self._inspector.longest_text
        self._short = lru_cache(maxsize=_KEPT)(self.read_once)

    def read(self, name: str, text: bytes) -> Piece | None:
        """The member of this name whose value is written so; None where that is no JSON in UTF-8, or nested too deep."""
        return (self._short if len(text) <= _SHORT else self.read_once)(name, text)

    def read_once(self, name: str, text: bytes) -> Piece | None:
        """The same, for what does not come again."""
        known = self._known.get(name) or _Known(len(self._known), 0, _named(name), None, True)
        alone = b"[%b]" % text
        value = plainly(alone)
        if known.head is None or (value is not None and len(value) != 1):
            return None
        if value is not None and known.look is None and len(text) <= self._longest and not self._rulebook.errors_of_member(name, value[0]):
            return _piece(known, known.head + text, {name: value[0]}, (), is_compact=True)
        reading = Reading(alone, [value]) if value is not None else read_at_leisure(alone)
        if reading.error is not None or reading.encoding is not None or len(reading.values[0]) != 1:
            return None
        if value is None and text.count(b"[") + text.count(b"{") > DEEPEST:
            return None
        ways = [self._way(name, way, known, reading) for [way] in reading.values]
        exotic = [(detector, f"/{escape(name)}{at[2:]}", found) for detector, at, found in reading.exotic]
        is_alone = len(ways) == 1 and not (exotic or ways[0].touched or ways[0].broken or ways[0].long)
        broken = self._alone(ways[0].errors) if is_alone else None
        notable = () if is_alone and not ways[0].errors else (_Notable(name, ways, exotic, broken),)
        return _piece(known, known.head + text, {name: ways[0].value}, notable, is_compact=value is not None or compactly_written(alone))

    def _is_of_outline(self, name: str) -> bool:
        seen = self._inspector.seen_around
        return seen is None or name in seen or self._rulebook.concerns_rest(name)

    def _alone(self, errors: Sequence[Error]) -> Sequence[Broken] | None:
        return self._rulebook.broken_by(errors, None) if all(len(error.rules) == 1 for error in errors) else None

    def _way(self, name: str, value: Any, known: "_Known", reading: Reading) -> _Way:
        inspection, place, errors = Inspection(self._now), (None, name), self._rulebook.errors_of_member(name, value)
        if value is None or name not in self._known:
            return _Way(known.order, value, errors)
        if known.look is not None:
            known.look(value, place, inspection)
        touched = len(inspection.touched)
        self._inspector.long_texts(name, value, place, reading, inspection)
        return _Way(known.order, value, errors, inspection.touched[:touched], inspection.broken, inspection.touched[touched:])

    def unread(self, name: str, text: bytes) -> Unread | None:
        """The member of this name whose value is written so, whatever that is; None where the name is hardly Unicode."""
        known = self._known.get(name)
        head = known.head if known else _named(name)
        return Unread(head + text, name, text) if head is not None else None

    def judge(self, message: Joined | bytes) -> Judgement:
        """The verdict on the bytes of a message."""
        if not isinstance(message, Joined):
            return Judgement(self._rulebook.judge(message, now=self._now, stances={}, headers=()), plain(message) is not None or None)
        return self._judge(message) or self.judge(message.body)

    def _judge(self, message: Joined) -> Judgement | None:
        """None where only the whole tells: members share a name, one is none by itself, or see `_verdict`."""
        outline: dict[str, Any] = {}
        names, outlined, compact, notable = 0, 0, True, list[_Notable]()
        for one in message.pieces:
            piece = one if isinstance(one, Piece) else self.read(one.name, one.alone)
            if piece is None:
                return None
            _, _, its_names, its_outline, its_notable, its_compact, _ = piece
            if names & its_names:
                return None
            names |= its_names
            if its_outline:
                outline |= its_outline
                outlined += len(its_outline)
            if its_notable:
                notable += its_notable
            compact = compact and its_compact
        verdict = self._verdict(len(message.body), outline, notable) if outlined == len(outline) else None
        return Judgement(verdict, compact) if verdict is not None else None

    def _verdict(self, size: int, outline: dict[str, Any], notable: list[_Notable]) -> Verdict | None:
        """None where only the whole tells: several members can be read in several ways, or one is deeper than a validator goes."""
        inspection = Inspection(self._now)
        try:
            broken = self._broken_alone(outline, notable, inspection)
            if broken is None:
                inspection = Inspection(self._now)
                several = [member for member in notable if len(member.ways) > 1]
                if len(several) > 1:
                    return None
                broken = self._in_every_way(outline, notable, several[0] if several else None, inspection)
        except (ValueError, RecursionError):
            return None
        self._rulebook.touch_by_size(size, inspection)
        return verdict_of(broken, inspection.touched)

    def _broken_alone(self, outline: dict[str, Any], notable: Sequence[_Notable], inspection: Inspection) -> list[Broken] | None:
        """The rules broken where nothing but schemas finds them, each in a member; None where there is more to say."""
        alone = [member.alone for member in notable]
        if None in alone or not self._rulebook.meets_rest(outline):
            return None
        self._inspector.around(outline, None, inspection)
        broken = [broken for some in alone for broken in some or ()]
        return (broken if len(alone) <= 1 else sorted(broken, key=_PLACE)) + inspection.broken

    def _in_every_way(self, outline: dict[str, Any], notable: Sequence[_Notable], several: _Notable | None, inspection: Inspection) -> list[Broken]:
        """The rules broken in every way to read a message, one of whose members can be read in `several`."""
        found = []
        for number in range(len(several.ways) if several else 1):
            ways = [member.ways[number if member is several else 0] for member in notable]
            message = {**outline, several.name: several.ways[number].value} if several else outline
            found.append(self._broken(message, ways, inspection))
            inspection.broken = []
        for member in notable:
            self._rulebook.touch_by_exotic(member.exotic, inspection)
        return broken_in_all(found)

    def _broken(self, outline: dict[str, Any], ways: Sequence[_Way], inspection: Inspection) -> list[Broken]:
        """The rules broken in a message, whose members that are to be noticed are read in these ways."""
        errors = [*self._rulebook.errors_of_rest(outline), *(error for way in ways for error in way.errors)]
        if len(errors) > MOST_BROKEN:
            raise ValueError("a verdict lists no more")
        for way in sorted(ways, key=_ORDER):
            inspection.touched += way.touched
            inspection.broken += way.broken
        self._inspector.around(outline, None, inspection)
        for way in ways:
            inspection.touched += way.long
        return self._rulebook.broken_by(errors, outline) + inspection.broken


def _piece(known: _Known, text: bytes, values: Mapping[str, Any], notable: Sequence[_Notable], *, is_compact: bool) -> Piece:
    return Piece(text, values, known.bit, values if known.is_of_outline else _NOTHING, notable, is_compact)


def _named(name: str) -> bytes | None:
    """How a member of this name begins; None for a name that is hardly Unicode."""
    try:
        written = orjson.dumps(name)
    except TypeError:
        return None
    return b"%b:" % written if b"\\u0000" not in written else None
