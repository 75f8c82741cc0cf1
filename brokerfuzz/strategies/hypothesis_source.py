"""Lets Hypothesis provide the bytes and values for the decoder, so that Hypothesis can shrink, repeat and store messages like any
other example.

`DirectSource` draws from Hypothesis's choice sequence, as Hypothesis's own strategies do. `StrategySource` uses only public
strategies. brokerfuzz uses `DirectSource` if the installed version of Hypothesis has all methods that `DirectSource` calls, and
`StrategySource` otherwise. `DirectSource` has these advantages:

- `DirectSource` is about 2.5 times as fast as `StrategySource`.
- `DirectSource` records an edge (an unusual valid value) as if Hypothesis had chosen the edge, so Hypothesis can shrink the edge.
  For example, `' OR '1'='1` shrinks to `'` if the quote alone causes the failure.
- Hypothesis often replaces one part of an example with a copy of another part that has the same label. `DirectSource` gives each
  array and object in a message a different label, so there are no such copies. One hundred examples cover 85 % of the edges
  instead of 68 %, and almost all examples are different.
- The first examples of Hypothesis are often very simple. With `DirectSource`, the first ten examples are as varied as later
  examples.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.internal.intervalsets import IntervalSet
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.decoder import Seeded
from brokerfuzz.decoder.byte_tables import Literal, Source, Value

_NEEDED = {
    "draw_bytes": ("min_size", "max_size", "forced"),
    "draw_integer": ("min_value", "max_value", "weights", "forced"),
    "draw_float": ("min_value", "max_value", "allow_nan", "forced"),
    "draw_string": ("intervals", "min_size", "max_size", "forced"),
    "start_span": ("label",),
    "stop_span": (),
}
"""The methods of Hypothesis that `DirectSource` calls, with their parameters."""
_DIGITS = range(1, 10)
_LETTERS = IntervalSet([(1, 0xD7FF), (0xE000, 0x10FFFF)])


class _Fixed(IntervalSet):  # type: ignore[misc]  # IntervalSet is final only for type checkers
    """The characters that an edge can contain (see `DirectSource.literal`). All characters count as equally simple, so Hypothesis
    does not simplify them. If Hypothesis 6.170 tried to simplify these characters, it would fail with an `AssertionError`.
    """

    def index_from_char_in_shrink_order(self, c: str) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


_FIXED = _Fixed(_LETTERS.intervals)
_SIMPLE, _LESS_SIMPLE = "abcdefghij\r\f\v\n\t\x85\xa0\u2028", "0123456789\x1b\x1a\x19\x18\x17\x16\x15\x14"
_SWAPPED = str.maketrans(_SIMPLE + _LESS_SIMPLE, _LESS_SIMPLE + _SIMPLE)
"""Exchanges characters, so that strings shrink towards `a`, and all white space shrinks to a space. Without this table,
Hypothesis would shrink characters towards the digit `0`.
"""


def hypothesis_source(draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> Source:
    """`pins` maps each pinned site to the strategy that the user specified for it."""
    data = getattr(draw, "__self__", None)
    return DirectSource(data, draw, pins) if data is not None and _is_supported(cast(Hashable, type(data))) else StrategySource(draw, pins)


@lru_cache(maxsize=8)
def _is_supported(kind: Hashable) -> bool:
    methods = {name: getattr(kind, name, None) for name in _NEEDED}
    return all(method and set(_NEEDED[name]) <= set(signature(method).parameters) for name, method in methods.items())


class StrategySource:
    """Draws bytes and values from the public strategies of Hypothesis."""

    def __init__(self, draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> None:
        self._draw = draw
        self._pins = pins

    def take(self, size: int, /) -> bytes:
        """Returns the next record (the bytes for one object). A zero in a record means an absent property. While Hypothesis
        shrinks the bytes, it moves zeros to the front. `take` reverses the bytes, so the last properties become absent.
        """
        return self._draw(st.binary(min_size=size, max_size=size))[::-1]

    def choose(self, count: int, /) -> int:
        return self._draw(st.integers(0, count - 1))

    def item(self, read: Callable[[Source], Value], /) -> Value:
        return read(self)

    def integer(self, low: int, high: int, /, *, digits: bool = False) -> int:
        return self._draw(st.integers(low, high))

    def number(self, low: float, high: float, /) -> float:
        """Returns a finite double from `low` to `high`."""
        return self._draw(st.floats(low, high))

    def string(self, shortest: int, longest: int, /) -> str:
        """While Hypothesis shrinks the string, the string becomes shorter, and its characters become `a`."""
        letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
        return self._draw(st.text(letters, min_size=shortest, max_size=longest)).translate(_SWAPPED)

    def literal(self, value: Literal, /) -> Literal:
        return value

    def draw(self, site: str, /) -> Any:
        return self._draw(self._pins[site])


class DirectSource(StrategySource):
    """Draws bytes and values from Hypothesis's choice sequence (the choices that Hypothesis makes and records for an example).

    First, Hypothesis chooses three bytes and an integer, which are the seed of a random generator. The generator chooses the
    bytes of each record (the bytes for one object). Hypothesis stores these bytes as if it had chosen them. Without the
    generator, Hypothesis would choose one byte at a time, which is slower. If the first of the three bytes is zero, there is no
    generator. Hypothesis tries this while it shrinks an example, and can then change the stored records.

    In some of Hypothesis's first examples, all choices after the three bytes are zero. If the integer is zero, the generator also
    chooses the strings and numbers, so that the messages in these examples differ.
    """

    def __init__(self, data: Any, draw: DrawFn, pins: Mapping[str, SearchStrategy[Any]]) -> None:
        super().__init__(draw, pins)
        self._data = data
        self._items = 0
        head, number = data.draw_bytes(3, 3), data.draw_integer(0, 255)
        # Hypothesis often chooses bytes from a list of constants, so the seed also contains the integer.
        self._records = Seeded(int.from_bytes((*head, number))) if head[0] else None
        self._seeded = None if number else self._records

    def take(self, size: int, /) -> bytes:
        return cast(bytes, self._data.draw_bytes(size, size, forced=self._records and self._records.take(size)))[::-1]

    def choose(self, count: int, /) -> int:
        """Returns an integer below `count`: for example, the number of items of an array. Hypothesis records this number as one
        choice. To remove an item, it can lower the number and delete the choices for the item in one step.
        """
        return cast(int, self._data.draw_integer(0, count - 1, forced=self._seeded and self._seeded.choose(count)))

    def item(self, read: Callable[[Source], Value], /) -> Value:
        """Tells Hypothesis that the choices of `read` are one part of the example. Each part has a different label (see the module)."""
        self._items += 1
        self._data.start_span(self._items)
        value = read(self)
        self._data.stop_span()
        return value

    def integer(self, low: int, high: int, /, *, digits: bool = False) -> int:
        """If `digits` is true, the generator replaces nine percent of the integers by an integer from 1 to 9."""
        forced = self._seeded and self._seeded.integer(low, high)
        if digits and self._records and low <= 1 and high >= 9 and (digit := self._records.choose(100)) in _DIGITS:
            forced = digit
        return cast(int, self._data.draw_integer(low, high, forced=forced))

    def number(self, low: float, high: float, /) -> float:
        """Returns a finite double from `low` to `high`."""
        forced = self._seeded and self._seeded.number(low, high) + 0.0  # not -0.0, which Hypothesis counts as less than 0.0
        return cast(float, self._data.draw_float(low, high, allow_nan=False, forced=forced))

    def string(self, shortest: int, longest: int, /) -> str:
        if self._seeded:
            return self.literal(self._seeded.string(shortest, longest))
        return cast(str, self._data.draw_string(_LETTERS, min_size=shortest, max_size=longest)).translate(_SWAPPED)

    def literal(self, value: Literal, /) -> Literal:
        """Hypothesis records the value like its own choices."""
        if isinstance(value, str):
            self._data.draw_string(_FIXED, min_size=0, max_size=len(value), forced=value.translate(_SWAPPED))
        elif isinstance(value, int):
            self._data.draw_integer(value, value, forced=value)
        else:
            self._data.draw_float(value, value, allow_nan=False, forced=value)
        return value
