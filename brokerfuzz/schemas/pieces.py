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
from brokerfuzz.schemas.structure import Files, Tie, validator
from brokerfuzz.schemas.verdicts import VALID, Broken, Touched, Verdict
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


_FOUND = 2
"""Where a way begins to say what was found."""
_ORDER, _PLACE = attrgetter("order"), attrgetter("at", "rule")


class _Notable(NamedTuple):
    """A member in which there is something to notice."""

    name: str
    ways: Sequence[_Way]
    exotic: Sequence[Exotic]


class Piece(NamedTuple):
    """Members of a message: their bytes as they stand in it, their values by name in the usual way of reading them (not to be changed).

    `names` has a bit for each that the contract has a site for, `ties` one for each thing that is asked of them and of others together: `outline`
    are the members that have such. `verdict` is what the oracle says of them in a message whose other members are not tied to them; None where only
    the whole tells. `broken` are the rules in it, where schemas say it all. `is_compact` says whether they are compact JSON. `parts` are the pieces
    of each, none where there is only one.
    """

    text: bytes
    names: int
    ties: int
    verdict: Verdict | None
    is_compact: bool
    values: Mapping[str, Any]
    outline: Mapping[str, Any]
    notable: Sequence[_Notable]
    broken: Sequence[Broken] | None
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
    """What is known of a member by its name: the place of its site in the contract, a bit for that, those of its ties, how it begins, the walk."""

    order: int
    bit: int
    ties: int
    head: bytes | None
    look: Look | None


_UNTOLD = Tie(frozenset(), validator({"not": {}}, Files({})))
"""The tie of members of which cannot be told what they are tied to."""


class Pieces:
    """Reads members of one message type, and judges messages of them, against a time."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime) -> None:
        self._rulebook = rulebook = rulebook_of(contract, message_type)
        self._inspector = rulebook.inspector
        told = rulebook.ties
        self._ties = [_UNTOLD, *(told or ())]
        self._wanting = _bits(told is None, *(not tie.asked.is_valid({}) for tie in told or ()))
        self._known = {
            name: _Known(number, 1 << number, _bits(told is None, *(name in tie.names for tie in told or ())), _named(name), look)
            for number, (name, look) in enumerate(self._inspector.members.items())
        }
        self._now, self._longest, self._largest = now, self._inspector.longest_text, rulebook.largest
        self._short = lru_cache(maxsize=_KEPT)(self.read_once)

    def read(self, name: str, text: bytes) -> Piece | None:
        """The member of this name whose value is written so; None where that is no JSON in UTF-8, or nested too deep."""
        return (self._short if len(text) <= _SHORT else self.read_once)(name, text)

    def read_once(self, name: str, text: bytes) -> Piece | None:
        """The same, for what does not come again."""
        known = self._known.get(name) or _Known(len(self._known), 0, 1, _named(name), None)
        alone = b"[%b]" % text
        value = plainly(alone)
        if known.head is None or (value is not None and len(value) != 1):
            return None
        if value is not None and known.look is None and len(text) <= self._longest and not self._rulebook.errors_of_member(name, value[0]):
            return self._piece(known, known.head + text, {name: value[0]}, (), is_compact=True)
        reading = Reading(alone, [value]) if value is not None else read_at_leisure(alone)
        if reading.error is not None or reading.encoding is not None or len(reading.values[0]) != 1:
            return None
        if value is None and text.count(b"[") + text.count(b"{") > DEEPEST:
            return None
        ways = [self._way(name, way, known, reading) for [way] in reading.values]
        exotic = [(detector, f"/{escape(name)}{at[2:]}", found) for detector, at, found in reading.exotic]
        notable = (_Notable(name, ways, exotic),) if len(ways) > 1 or exotic or any(ways[0][_FOUND:]) else ()
        return self._piece(known, known.head + text, {name: ways[0].value}, notable, is_compact=value is not None or compactly_written(alone))

    def together(self, parts: Mapping[str, Piece]) -> Piece:
        """A piece of several members, one after the other, from the pieces of each, by their names."""
        every, names, ties, values, outline = parts.values(), 0, 0, dict[str, Any](), dict[str, Any]()
        for part in every:
            names |= part.names
            ties |= part.ties
            values |= part.values
            outline |= part.outline
        notable = [member for part in every for member in part.notable]
        verdict, broken = self._alone(ties, outline, notable)
        text, is_compact = b",".join([part.text for part in every]), all(part.is_compact for part in every)
        return Piece(text, names, ties, verdict, is_compact, values, outline, notable, broken, parts)

    def _piece(self, known: _Known, text: bytes, values: Mapping[str, Any], notable: Sequence[_Notable], *, is_compact: bool) -> Piece:
        outline = values if known.ties else _NOTHING
        verdict, broken = self._alone(known.ties, outline, notable)
        return Piece(text, known.bit, known.ties, verdict, is_compact, values, outline, notable, broken)

    def _alone(self, ties: int, outline: Mapping[str, Any], notable: Sequence[_Notable]) -> tuple[Verdict | None, Sequence[Broken] | None]:
        """The verdict on members that others are not tied to, and the rules in it where schemas say it all; None where only the whole tells."""
        if not (ties or notable):
            return VALID, ()
        inspection = Inspection(self._now)
        try:
            is_tied_well = all(tie.asked.is_valid(outline) for number, tie in enumerate(self._ties) if ties >> number & 1)
            broken = self._found(outline, notable, inspection, with_rest=False) if is_tied_well else None
        except (ValueError, RecursionError):
            return None, None
        if broken is None:
            return None, None
        is_of_schemas = not (inspection.touched or inspection.broken or any(len(member.ways) > 1 for member in notable))
        return verdict_of(broken, inspection.touched), broken if is_of_schemas else None

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
        pieces, names, tied, is_apart, is_compact, telling = list[Piece](), 0, 0, True, True, list[Piece]()
        for one in message.pieces:
            piece = one if isinstance(one, Piece) else self.read(one.name, one.alone)
            if piece is None:
                return None
            _, its_names, its_ties, verdict, its_compact, *_ = piece
            if names & its_names:
                return None
            if tied & its_ties:
                is_apart = False
            if verdict is not VALID:
                telling.append(piece)
            names |= its_names
            tied |= its_ties
            is_compact = is_compact and its_compact
            pieces.append(piece)
        verdict = _of_all(telling) if is_apart and not self._wanting & ~tied and len(message.body) <= self._largest else None
        if verdict is None:
            verdict = self._verdict(pieces, len(message.body))
        return Judgement(verdict, is_compact) if verdict is not None else None

    def _verdict(self, pieces: Sequence[Piece], size: int) -> Verdict | None:
        """The verdict on members that may be tied; None where they share a name, or see `_found`."""
        outline, inspection = dict[str, Any](), Inspection(self._now)
        for piece in pieces:
            outline |= piece.outline
        if len(outline) < sum(len(piece.outline) for piece in pieces):
            return None
        try:
            broken = self._found(outline, [member for piece in pieces for member in piece.notable], inspection, with_rest=True)
        except (ValueError, RecursionError):  # deeper than a validator goes
            return None
        if broken is None:
            return None
        self._rulebook.touch_by_size(size, inspection)
        return verdict_of(broken, inspection.touched)

    def _found(self, outline: Mapping[str, Any], notable: Sequence[_Notable], inspection: Inspection, *, with_rest: bool) -> list[Broken] | None:
        """The rules broken in every way to read members. None where several can be read in several ways, or one of those that are tied where the
        rest of the schema is not asked; or a verdict lists no more."""
        several = next((member for member in notable if len(member.ways) > 1), None)
        if several is not None and (sum(len(member.ways) > 1 for member in notable) > 1 or (several.name in outline and not with_rest)):
            return None
        found = []
        for number in range(len(several.ways) if several else 1):
            ways = [member.ways[number if member is several else 0] for member in notable]
            message = {**outline, several.name: several.ways[number].value} if several else outline
            errors = [*(self._rulebook.errors_of_rest(message) if with_rest else ()), *(error for way in ways for error in way.errors)]
            if len(errors) > MOST_BROKEN:
                return None
            inspection.broken = []
            self._look(message, ways, inspection)
            found.append(self._rulebook.broken_by(errors, message) + inspection.broken)
        for member in notable:
            self._rulebook.touch_by_exotic(member.exotic, inspection)
        return broken_in_all(found)

    def _look(self, message: Mapping[str, Any], ways: Sequence[_Way], inspection: Inspection) -> None:
        """Notes what was seen in members that are read in these ways, and what is to be seen around them."""
        for way in sorted(ways, key=_ORDER):
            inspection.touched += way.touched
            inspection.broken += way.broken
        self._inspector.around(message, None, inspection)
        for way in ways:
            inspection.touched += way.long


def _of_all(telling: Sequence[Piece]) -> Verdict | None:
    """The verdict where these pieces have something to tell, and nothing ties them together; None where only the whole tells."""
    if len(telling) <= 1:
        return telling[0].verdict if telling else VALID
    found = [piece.broken for piece in telling]
    if None in found:
        return None
    broken = [entry for some in found for entry in some or ()]
    return Verdict("invalid", tuple(sorted(broken, key=_PLACE))) if len(broken) <= MOST_BROKEN else None


def _bits(*given: bool) -> int:
    """The number that has a bit for each that is given."""
    return sum(1 << number for number, is_given in enumerate(given) if is_given)


def _named(name: str) -> bytes | None:
    """How a member of this name begins; None for a name that is hardly Unicode."""
    try:
        written = orjson.dumps(name)
    except TypeError:
        return None
    return b"%b:" % written if b"\\u0000" not in written else None
