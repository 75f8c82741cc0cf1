"""A message that is stored in pieces. A change to one property keeps the parsed pieces of the other properties."""

from collections.abc import Mapping, Sequence
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import AddProperty, Change, Rewrite, Steps, altered
from brokerfuzz.schemas.pieces import Joined, Judgement, Piece, Pieces, Unread


class Message(Joined):
    """A message: its bytes, and the pieces that form the bytes. The message has no pieces if it is not an object that can be split."""

    __slots__ = ("_reader", "_value")

    def __init__(self, reader: Pieces, pieces: Sequence[Piece | Unread], value: Any = None) -> None:
        Joined.__init__(self, pieces)
        self._reader, self._value = reader, value

    @classmethod
    def of_bytes(cls, reader: Pieces, body: bytes, value: Any = None) -> "Message":
        """Returns the message with these bytes."""
        message = cls(reader, (), value)
        message.body = body
        return message

    @classmethod
    def of_value(cls, reader: Pieces, value: Any) -> "Message":
        """Returns the message with this value."""
        pieces = [reader.read(name, compact(prop)) for name, prop in value.items()] if type(value) is dict else []
        return _put_together(reader, value, pieces)

    @property
    def value(self) -> Any:
        """The value of the message, which callers must not modify. It is None if all bytes were rewritten."""
        if self._value is None:
            pieces = [piece for piece in self.pieces if isinstance(piece, Piece)]
            self._value = {name: value for piece in pieces for name, value in piece.values.items()} if pieces else None
        return self._value

    @property
    def props(self) -> dict[str, Piece]:
        """The properties that are parsed already, by name."""
        return {name: prop for name, prop in self._properties().items() if isinstance(prop, Piece)}

    def parts(self) -> dict[str, Piece] | None:
        """Returns all properties, or None if some properties cannot be parsed separately."""
        found = {name: self._reader.read(name, one.alone) if isinstance(one, Unread) else one for name, one in self._properties().items()}
        known = {name: piece for name, piece in found.items() if piece is not None}
        return known if known and len(known) == len(found) else None

    def with_pieces(self, body: bytes, others: Mapping[int, Piece | None]) -> "Message":
        """Returns the message with the pieces at these positions replaced. If a piece is None, the message consists only of the bytes `body`."""
        known = {number: piece for number, piece in others.items() if piece is not None}
        if len(known) < len(others):
            return Message.of_bytes(self._reader, body)
        return Message(self._reader, [known.get(number, piece) for number, piece in enumerate(self.pieces)])

    def changed(self, steps: Steps, change: Change) -> "Message":
        """Returns the message with a change applied at a place."""
        if isinstance(change, Rewrite):
            return Message.of_bytes(self._reader, change.how(self.body))
        value = altered(self.value, steps, change)
        name = steps[0] if steps else change.name if isinstance(change, AddProperty) else None
        if not self.pieces or not isinstance(value, dict):
            return Message.of_bytes(self._reader, compact(value), value)
        unread = self._reader.unread
        pieces = self._pieces_of(value, name) if isinstance(name, str) else [unread(name, compact(prop)) for name, prop in value.items()]
        return _put_together(self._reader, value, pieces)

    def judged(self) -> Judgement:
        """Returns the oracle's judgement of the message."""
        return self._reader.judge(self if self.pieces else self.body)

    def _properties(self) -> dict[str, Piece | Unread]:
        found = dict[str, Piece | Unread]()
        for piece in self.pieces:
            if isinstance(piece, Unread):
                found[piece.name] = piece
            else:
                found |= piece.parts or dict.fromkeys(piece.values, piece)
        return found

    def _pieces_of(self, value: Any, name: str) -> list[Piece | Unread | None]:
        """Returns the pieces of a value. The value may differ from this message only in the property with this name."""
        new = [self._reader.unread(name, compact(value[name]))] if name in value else []
        if name not in self.value:
            known = self._properties()
            return [*new, *known.values()] if next(iter(value)) == name else [*known.values(), *new]
        found: list[Piece | Unread | None] = []
        for piece in self.pieces:
            there = (piece.name,) if isinstance(piece, Unread) else piece.values
            if name not in there:
                found.append(piece)
            else:
                parts = piece.parts if isinstance(piece, Piece) else {}
                for other in there:
                    found += [parts[other]] if other != name else new
        return found


def _put_together(reader: Pieces, value: Any, pieces: Sequence[Piece | Unread | None]) -> Message:
    """Returns the message of a value, made of pieces if there is a piece for each of its parts."""
    known = [piece for piece in pieces if piece is not None]
    return Message(reader, known, value) if pieces and len(known) == len(pieces) else Message.of_bytes(reader, compact(value), value)
