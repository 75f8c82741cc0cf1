"""Messages that are put together from properties which have been read before.

`check` reads every byte of every message. Who makes a great many messages of the same properties has each property read and looked at once: what is
left
to do for a message is what concerns it as a whole. The verdict is that of `check`, for the same schemas are asked about the same values.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import escape
from brokerfuzz.schemas.ambiguity_scan import Inspection, Scan
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.interpretations import Exotic
from brokerfuzz.schemas.json_reader import DEEPEST, Reading, cached_parse_compact, is_compact_json, parse_compact, read_fully
from brokerfuzz.schemas.oracle import MOST_BROKEN, Error, broken_in_all, rulebook_of, verdict_of
from brokerfuzz.schemas.structural_validation import Validator
from brokerfuzz.schemas.verdicts import VALID, Broken, Touched, Verdict

_SHORT, _KEPT = 64, 2048
"""Properties of so few bytes come again and again: so many are kept."""


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class _Way(NamedTuple):
    """A property in one way of reading it: what schemas find, what is in doubt, what is broken that schemas cannot say."""

    value: Any
    errors: Sequence[Error] = ()
    touched: Sequence[Touched] = ()
    broken: Sequence[Broken] = ()


class _Notable(NamedTuple):
    """A property in which there is something to notice."""

    name: str
    ways: Sequence[_Way]
    exotic: Sequence[Exotic]


class Piece(NamedTuple):
    """Properties of a message: their bytes as they stand in it, their values by name in the usual way of reading them (not to be changed).

    `names` has a bit for each that the contract has a site for, `ties` one for each thing that is asked of them and of others together: `outline`
    are the properties that have such. `is_compact` says whether they are compact JSON. `parts` are the pieces of each, none where there is only one.
    `verdict` is that on them in a message of which no other property is tied to them; None where only the whole tells.
    """

    text: bytes
    names: int
    ties: int
    is_compact: bool
    values: Mapping[str, Any]
    outline: Mapping[str, Any]
    notable: Sequence[_Notable]
    parts: "Mapping[str, Piece]" = _NOTHING
    verdict: Verdict | None = VALID

    @property
    def bare(self) -> "Piece":
        """The piece with what a message is judged by alone, which takes less memory: its values and parts are not in it, and cannot be changed."""
        return self._replace(values=_NOTHING, parts=_NOTHING)


EMPTY = Piece(b"", 0, 0, True, {}, {}, ())
"""The piece of no properties."""


class Unread(NamedTuple):
    """A property of a message that is read when the message is judged: its bytes there, its name, the bytes of its value."""

    text: bytes
    name: str
    alone: bytes


class Joined:
    """The message that has these properties: its pieces, their texts, and the bytes that they give."""

    __slots__ = ("body", "pieces", "texts")

    def __init__(self, pieces: Sequence[Piece | Unread]) -> None:
        self.pieces, self.texts = pieces, [piece[0] for piece in pieces]
        self.body = b"{%b}" % b",".join(filter(None, self.texts))


class Judgement(NamedTuple):
    """A verdict, and whether the bytes are the compact JSON of a value; None where that is not known. `is_apart`: nothing was asked of several of
    the message's pieces together."""

    verdict: Verdict
    is_compact: bool | None
    is_apart: bool = False


APART_AND_VALID = Judgement(VALID, is_compact=True, is_apart=True)


class _Known(NamedTuple):
    """What is known of a property by its name: a bit, those of its ties, how it begins, the walk over it."""

    bit: int
    ties: int
    head: bytes | None
    look: Scan | None


_UNTOLD, _STRANGE, _TIED = 1, 2, 4
"""The bits of a property of which cannot be told what it is tied to, of one that the contract does not know, and of the first tie."""


class Pieces:
    """Reads properties of one message type, and judges messages of them, against a time. `largest` is how many bytes a message may have before that
    alone is in doubt."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime) -> None:
        self._rulebook = rulebook = rulebook_of(contract, message_type)
        self._inspector = rulebook.inspector
        self._now, self._longest, self.largest = now, self._inspector.longest_text, rulebook.largest
        ties, strange = rulebook.ties, rulebook.strange
        self._asked = {_TIED << number: tie.validators for number, tie in enumerate(ties or ())}
        if strange is not None:
            self._asked[_STRANGE] = strange
        self._strange, self._rejected = _UNTOLD if strange is None else _STRANGE, _STRANGE if strange else 0
        self._tied = frozenset[str]().union(*(tie.names for tie in ties or ()))
        self._compared = frozenset[str]().union(*(self._inspector.compared or ()))
        self._known = {
            name: _Known(1 << number, sum(_TIED << tie for tie, (names, _) in enumerate(ties) if name in names) if ties is not None else _UNTOLD,
                         _named(name), look)
            for number, (name, look) in enumerate(self._inspector.props.items())
        }  # fmt: skip
        needed = [bit for bit, asked in self._asked.items() if not _find_nothing(asked, {})] if ties is not None else [_UNTOLD]
        self._most = MOST_BROKEN // (len(self._known) + len(needed) + 2)
        """Errors of a piece: of as many pieces as a message can have no more than a verdict lists."""
        self._absent = {bit: self._alone(Piece(b"", 0, bit, True, {}, {}, ())).verdict for bit in needed}
        self._needed = sum(needed)
        self._short = lru_cache(maxsize=_KEPT)(self.read_once)

    def read(self, name: str, text: bytes) -> Piece | None:
        """The property of this name whose value is written so; None where that is no JSON in UTF-8, or nested too deep."""
        return (self._short if len(text) <= _SHORT else self.read_once)(name, text)

    def read_once(self, name: str, text: bytes) -> Piece | None:
        """The same, for what does not come again."""
        known = self._known.get(name) or self._unknown(name)
        alone = b"[%b]" % text
        value = parse_compact(alone)
        if known.head is None or (value is not None and len(value) != 1):
            return None
        if value is not None and known.look is None and len(text) <= self._longest and self._rulebook.is_property_valid(name, value[0]):
            return self._property(known, text, {name: value[0]}, (), is_compact=True)
        reading = Reading(alone, [value]) if value is not None else read_fully(alone)
        if reading.error is not None or reading.encoding is not None or len(reading.values[0]) != 1:
            return None
        if value is None and text.count(b"[") + text.count(b"{") > DEEPEST:
            return None
        ways = [self._way(name, way, known, reading) for [way] in reading.values]
        exotic = [(detector, f"/{escape(name)}{at[2:]}", found) for detector, at, found in reading.exotic]
        notable = (_Notable(name, ways, exotic),) if len(ways) > 1 or exotic or any(ways[0][1:]) else ()
        return self._property(known, text, {name: ways[0].value}, notable, is_compact=value is not None or is_compact_json(alone))

    def together(self, parts: Mapping[str, Piece]) -> Piece:
        """A piece of several properties, one after the other, from the pieces of each, by their names."""
        every, names, ties, values, outline = parts.values(), 0, 0, dict[str, Any](), dict[str, Any]()
        for part in every:
            names |= part.names
            ties |= part.ties
            values |= part.values
            outline |= part.outline
        text, notable = b",".join([part.text for part in every]), [prop for part in every for prop in part.notable]
        return self._alone(Piece(text, names, ties, all(part.is_compact for part in every), values, outline, notable, parts))

    def _changed(self, parts: Mapping[str, Piece], former: Piece) -> Verdict | None:
        """The verdict on properties that were valid before some of them were changed; None where only all of them tell."""
        tied, changed = 0, list[Piece]()
        for name, part in parts.items():
            if former.parts.get(name) is part:
                tied |= part.ties
            else:
                changed.append(part)
        for part in changed:
            if part.ties & tied:
                return None
            tied |= part.ties
        is_told = former.verdict is VALID and former.parts.keys() <= parts.keys()
        return _sum([part.verdict for part in changed]) if is_told else None

    def are_apart(self, groups: Iterable[Iterable[str]]) -> bool:
        """Whether nothing is asked of properties of several of these groups together."""
        tied = 0
        for group in groups:
            ties = self._ties(group)
            if ties & tied or ties & _UNTOLD:
                return False
            tied |= ties
        return True

    def are_valid(self, pieces: Iterable[Piece], group: Iterable[str]) -> bool:
        """Whether these pieces, all that a message has of a group of properties that is apart, are valid and compact, and none is missing."""
        tied, is_valid = 0, True
        for piece in pieces:
            tied |= piece.ties
            is_valid = is_valid and piece.verdict is VALID and piece.is_compact
        return is_valid and not self._needed & self._ties(group) & ~tied

    def _ties(self, names: Iterable[str]) -> int:
        """The bits of all ties of properties."""
        found = 0
        for name in names:
            found |= (self._known.get(name) or self._unknown(name)).ties
        return found

    def judgement_of(self, parts: Mapping[str, Piece], former: Piece) -> Judgement | None:
        """That on a message whose pieces are apart and valid, `former` among them, when these properties take its place; None where only the whole
        tells."""
        names, ties, is_compact = 0, 0, True
        for part in parts.values():
            names |= part.names
            ties |= part.ties
            is_compact = is_compact and part.is_compact
        if ties & ~self._rejected & ~former.ties or names & ~former.names:
            return None
        there = self._changed(parts, former) or self.together(parts).verdict
        verdict = _sum([there, *self._missing(former.ties & ~ties)])
        return Judgement(verdict, is_compact) if verdict is not None else None

    def _missing(self, ties: int) -> list[Verdict | None]:
        """The verdicts on a message that no property of these ties is in."""
        return [verdict for bit, verdict in self._absent.items() if ties & bit]

    def _property(self, known: _Known, text: bytes, values: Mapping[str, Any], notable: Sequence[_Notable], *, is_compact: bool) -> Piece:
        assert known.head is not None, "a property's name is Unicode"
        piece = Piece(known.head + text, known.bit, known.ties, is_compact, values, values if known.ties else _NOTHING, notable)
        return self._alone(piece) if known.ties or notable else piece

    def _alone(self, piece: Piece) -> Piece:
        """The piece with the verdict on it."""
        if piece.ties & _UNTOLD:
            return piece._replace(verdict=None)
        asked = [validator for bit, some in self._asked.items() if piece.ties & bit for validator in some]
        if not piece.notable and self._compared.isdisjoint(piece.outline) and _find_nothing(asked, piece.outline):
            return piece
        return piece._replace(verdict=self._found(piece.outline, piece.notable, asked, self._most))

    def _unknown(self, name: str) -> _Known:
        """What is known of a property that the contract does not know."""
        return _Known(0, self._strange if name not in self._tied else _UNTOLD, _named(name), None)

    def _way(self, name: str, value: Any, known: _Known, reading: Reading) -> _Way:
        inspection, place, errors = Inspection(self._now), (None, name), self._rulebook.errors_of_property(name, value)
        if value is not None and name in self._known:
            if known.look is not None:
                known.look(value, place, inspection)
            self._inspector.long_texts(name, value, place, reading, inspection)
        return _Way(value, errors, inspection.touched, inspection.broken)

    def unread(self, name: str, text: bytes) -> Unread | None:
        """The property of this name whose value is written so, whatever that is; None where the name is hardly Unicode."""
        known = self._known.get(name)
        head = known.head if known else _named(name)
        return Unread(head + text, name, text) if head is not None else None

    def judge(self, message: Joined | bytes) -> Judgement:
        """The verdict on the bytes of a message."""
        if not isinstance(message, Joined):
            return Judgement(self._rulebook.judge(message, now=self._now, policies={}, headers=()), cached_parse_compact(message) is not None or None)
        return self._judge(message) or self.judge(message.body)

    def _judge(self, message: Joined) -> Judgement | None:
        """None where only the whole tells: properties share a name, one is none by itself, or see `_found`."""
        pieces = [piece if isinstance(piece, Piece) else self.read(piece.name, piece.alone) for piece in message.pieces]
        names = tied = 0
        is_apart = is_compact = True
        verdicts = []
        for piece in pieces:
            if piece is None:
                return None
            its_names, its_ties = piece.names, piece.ties
            if names & its_names:
                return None
            if tied & its_ties:
                is_apart = False
            names |= its_names
            tied |= its_ties
            if not piece.is_compact:
                is_compact = False
            if piece.verdict is not VALID:
                verdicts.append(piece.verdict)
        if self._needed & ~tied:
            verdicts += self._missing(~tied)
        summed = _sum(verdicts) if is_apart and len(message.body) <= self.largest else None
        if summed is not None:
            return Judgement(summed, is_compact, is_apart=True)
        found = self._verdict([piece for piece in pieces if piece is not None], len(message.body))
        return Judgement(found, is_compact) if found is not None else None

    def _verdict(self, pieces: Sequence[Piece], size: int) -> Verdict | None:
        """The verdict on properties that may be tied; None where they share a name, or see `_found`."""
        outline = dict[str, Any]()
        for piece in pieces:
            outline |= piece.outline
        if len(outline) < sum(len(piece.outline) for piece in pieces):
            return None
        return self._found(outline, [prop for piece in pieces for prop in piece.notable], [self._rulebook.rest], size=size)

    def _found(
        self, outline: Mapping[str, Any], notable: Sequence[_Notable], asked: Sequence[Validator], most: int = MOST_BROKEN, size: int = 0
    ) -> Verdict | None:
        """The verdict on properties in a message of this size of which so much is asked together, in every way to read it. None where several
        properties
        can be read in several ways, one is deeper than a validator goes, or there are more errors than so many."""
        several = [prop for prop in notable if len(prop.ways) > 1]
        if len(several) > 1:
            return None
        found, inspection = [], Inspection(self._now)
        for number in range(len(several[0].ways) if several else 1):
            ways = [prop.ways[number if len(prop.ways) > 1 else 0] for prop in notable]
            message = {**outline, several[0].name: several[0].ways[number].value} if several else outline
            try:
                errors = [*self._rulebook.errors(asked, message), *(error for way in ways for error in way.errors)]
            except (ValueError, RecursionError):
                return None
            if len(errors) > most:
                return None
            inspection.broken = [entry for way in ways for entry in way.broken]
            inspection.touched += [touch for way in ways for touch in way.touched]
            self._inspector.around(message, None, inspection)
            found.append(self._rulebook.broken_by(errors, message) + inspection.broken)
        for prop in notable:
            self._rulebook.touch_by_exotic(prop.exotic, inspection)
        self._rulebook.touch_by_size(size, inspection)
        return verdict_of(broken_in_all(found), inspection.touched)


def _sum(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict on a message whose pieces are apart, from those on them; None where only the whole tells."""
    if len(verdicts) <= 1:
        return verdicts[0] if verdicts else VALID
    known = [verdict for verdict in verdicts if verdict is not None]
    if len(known) < len(verdicts):
        return None
    return verdict_of([entry for verdict in known for entry in verdict.broken], [touch for verdict in known for touch in verdict.ambiguities])


def summed(one: Judgement, other: Judgement) -> Judgement:
    """That on a message of pieces that are apart, from those on two messages in each of which all but one are valid."""
    broken, touched = one.verdict.broken + other.verdict.broken, one.verdict.ambiguities + other.verdict.ambiguities
    return Judgement(verdict_of(broken, touched), one.is_compact and other.is_compact)


def _find_nothing(asked: Sequence[Validator], value: Any) -> bool:
    """Whether validators find nothing; not, where the value is deeper than they go."""
    try:
        return all(validator.is_valid(value) for validator in asked)
    except (ValueError, RecursionError):
        return False


def _named(name: str) -> bytes | None:
    """How a property of this name begins; None for a name that is hardly Unicode."""
    try:
        written = orjson.dumps(name)
    except TypeError:
        return None
    return b"%b:" % written if b"\\u0000" not in written else None
