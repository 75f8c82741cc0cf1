"""A message held in pieces: what is changed in one of its members leaves the others as they have been read."""

from collections.abc import Sequence
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import AddMember, Change, Rewrite, Steps, altered
from brokerfuzz.schemas.pieces import Judgement, Piece, Pieces, joined


class Message:
    """A message: its bytes, and the pieces that they were put together from; none where it is no object of such."""

    __slots__ = ("_reader", "_value", "body", "pieces")

    def __init__(self, reader: Pieces, body: bytes, pieces: Sequence[Piece], value: Any = None) -> None:
        self._reader, self.body, self.pieces, self._value = reader, body, pieces, value

    @classmethod
    def of_value(cls, reader: Pieces, value: Any) -> "Message":
        """The message of a value."""
        pieces = [reader.read(name, compact(member)) for name, member in value.items()] if type(value) is dict else []
        return _put_together(reader, value, pieces)

    @classmethod
    def of_pieces(cls, reader: Pieces, pieces: Sequence[Piece]) -> "Message":
        """The message that has these members."""
        return cls(reader, joined(pieces), pieces)

    @property
    def value(self) -> Any:
        """What the message says; not to be changed. None where all its bytes were changed."""
        if self._value is None and self.pieces:
            self._value = {name: value for piece in self.pieces for name, value in piece.values.items()}
        return self._value

    @property
    def members(self) -> dict[str, Piece]:
        """The pieces, of one member each, by their names."""
        return {name: member for piece in self.pieces for name, member in (piece.parts or dict.fromkeys(piece.values, piece)).items()}

    def changed(self, *made: tuple[Steps, Change]) -> "Message":
        """The message with these changes, made one after the other; a change of all bytes is the only one."""
        value, names = self.value, set[str | int | None]()
        for steps, change in made:
            if isinstance(change, Rewrite):
                return Message(self._reader, change.how(self.body), ())
            value = altered(value, steps, change)
            names.add(steps[0] if steps else change.name if isinstance(change, AddMember) else None)
        return _put_together(self._reader, value, self._pieces_of(value, names) if self.pieces and None not in names else ())

    def judged(self) -> Judgement:
        """What the oracle says of the bytes."""
        return self._reader.judge(self.body, self.pieces)

    def _pieces_of(self, value: Any, names: set[Any]) -> list[Piece | None]:
        """The pieces of a value that differs from the message's in members of these names at the most."""
        read = {name: self._reader.read(name, compact(value[name])) for name in names if name in value}
        if not names <= self.value.keys():
            known = self.members
            return [read[name] if name in names else known[name] for name in value]
        found: list[Piece | None] = []
        for piece in self.pieces:
            if names.isdisjoint(piece.values):
                found.append(piece)
            else:
                parts = piece.parts or piece.values
                found += [read[name] if name in names else parts[name] for name in parts if name not in names or name in read]
        return found


def _put_together(reader: Pieces, value: Any, pieces: Sequence[Piece | None]) -> Message:
    """The message of a value, put together from pieces if there are any, and all could be read."""
    read = [piece for piece in pieces if piece is not None]
    return Message(reader, joined(read), read, value) if pieces and len(read) == len(pieces) else Message(reader, compact(value), (), value)
