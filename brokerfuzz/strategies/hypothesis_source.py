"""Lets Hypothesis make the choices of which a message consists, so that Hypothesis can shrink, repeat and store
messages like any other example.

`ChoiceSource` draws from Hypothesis's choice sequence, as Hypothesis's own strategies do. `StrategySource` uses only
public strategies, for versions of Hypothesis without the methods that `ChoiceSource` calls. `ChoiceSource` has these
advantages:

- A random source proposes each choice, and Hypothesis records it as its own. So the first ten examples are as varied as
  later ones, and edges (unusual valid values) are frequent. Because an edge is an ordinary choice, Hypothesis shrinks
  it: `' OR '1'='1` becomes `'` if the quote alone causes a failure.
- Hypothesis often replaces a part of an example with a copy of another part that has the same label. `ChoiceSource`
  gives each array item its own label, so there are no such copies.
- It is about twice as fast.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from inspect import signature
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.internal.intervalsets import IntervalSet
from hypothesis.strategies import DrawFn

from brokerfuzz.generation import PropertyState, RandomSource, SiteChoices, Source, Wishes
from brokerfuzz.generation.sources import LONGEST_ARRAY, pins_of

_NEEDED = {
    "draw_integer": ("min_value", "max_value", "forced"),
    "draw_float": ("min_value", "max_value", "allow_nan", "forced"),
    "draw_string": ("intervals", "min_size", "max_size", "forced"),
    "start_span": ("label",),
    "stop_span": (),
}
"""The methods of Hypothesis that `ChoiceSource` calls, with their parameters."""
_LETTERS = IntervalSet([(1, 0xD7FF), (0xE000, 0x10FFFF)])
_SIMPLE, _LESS_SIMPLE = "abcdefghij\r\f\v\n\t\x85\xa0\u2028", "0123456789\x1b\x1a\x19\x18\x17\x16\x15\x14"
_SWAPPED = str.maketrans(_SIMPLE + _LESS_SIMPLE, _LESS_SIMPLE + _SIMPLE)
"""Exchanges characters, so that strings shrink towards `a`, and all white space shrinks to a space. Without this table,
Hypothesis would shrink characters towards the digit `0`.
"""


Proposals = Callable[[int], RandomSource]
"""Returns the source of a seed that proposes choices."""


def hypothesis_source(draw: DrawFn, wishes: Wishes | None = None, proposals: Proposals = RandomSource) -> Source:
    data = getattr(draw, "__self__", None)
    if data is not None and _is_supported(cast(Hashable, type(data))):
        return ChoiceSource(data, draw, wishes or {}, proposals)
    return StrategySource(draw, wishes or {})


@lru_cache(maxsize=8)
def _is_supported(kind: Hashable) -> bool:
    methods = {name: getattr(kind, name, None) for name in _NEEDED}
    return all(method and set(_NEEDED[name]) <= set(signature(method).parameters) for name, method in methods.items())


def _is_exact_integer(value: float) -> bool:
    """Up to 2**53, a double can represent every integer exactly."""
    return value.is_integer() and abs(value) <= 1 << 53


class StrategySource:
    """Makes each choice with a public strategy of Hypothesis."""

    backwards = False
    item = 0

    def __init__(self, draw: DrawFn, wishes: Wishes) -> None:
        self._draw = draw
        self.wishes = wishes
        self.pins = pins_of(wishes)

    def state(self, choices: SiteChoices, /) -> PropertyState:
        return cast(PropertyState, self.choose(choices.states))

    def plain(self, choices: SiteChoices, /) -> Any:
        return choices.plain

    def choose(self, options: Sequence[Any], /) -> Any:
        return options[self._draw(st.integers(0, len(options) - 1))]

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterator[int]:
        yield from range(self._draw(st.integers(low, min(high, low + 4))))

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        return edges[0] + self._draw(st.integers(low - edges[0], high - edges[0]))

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        value = self._draw(st.floats(low, high))
        return int(value) if _is_exact_integer(value) else value

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
        return self._draw(st.text(letters, min_size=low, max_size=high)).translate(_SWAPPED)

    def drawn(self, strategy: Any, /) -> Any:
        return self._draw(strategy)


class ChoiceSource(StrategySource):
    """Draws from Hypothesis's choice sequence (the choices that Hypothesis makes and records for an example).

    The first choice is the seed of a random source, which then proposes all other choices. While Hypothesis shrinks an
    example, it sets the seed to zero, the simplest number. Then it changes the recorded choices.
    """

    def __init__(self, data: Any, draw: DrawFn, wishes: Wishes, proposals: Proposals) -> None:
        super().__init__(draw, wishes)
        self._data = data
        self._spans = 0
        seed = data.draw_integer(0, (1 << 64) - 1)
        self._random = proposals(seed) if seed else None

    def state(self, choices: SiteChoices, /) -> PropertyState:
        states = choices.states
        forced = states.index(self._random.state(choices)) if self._random else None
        return cast(PropertyState, self._chosen(states, forced))

    def choose(self, options: Sequence[Any], /) -> Any:
        return self._chosen(options, self._random.index(options) if self._random else None)

    def _chosen(self, options: Sequence[Any], forced: int | None) -> Any:
        return options[self._data.draw_integer(0, len(options) - 1, forced=forced)]

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterator[int]:
        """Draws the number of items first: to remove an item, Hypothesis lowers this number and deletes one span."""
        most = min(high, max(low, LONGEST_ARRAY))
        forced = len([*self._random.repeat(low, high, often=often)]) if self._random else None
        self._start_span()
        for index in range(self._data.draw_integer(min(low, most), most, forced=forced)):
            self._start_span()
            yield index
            self._data.stop_span()
        self._data.stop_span()

    def _start_span(self) -> None:
        self._spans += 1
        self._data.start_span(self._spans)

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        plainest = edges[0]
        forced = self._random and self._random.integer(low, high, edges) - plainest
        return plainest + cast(int, self._data.draw_integer(low - plainest, high - plainest, forced=forced))

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        proposed = self._random.number(low, high, edges) if self._random else None
        # Hypothesis counts -0.0 as less than 0.0
        forced = None if proposed is None else float(proposed) + 0.0
        value = cast(float, self._data.draw_float(low, high, allow_nan=False, forced=forced))
        is_double = self._data.draw_integer(0, 1, forced=None if proposed is None else int(isinstance(proposed, float)))
        return value if is_double or not _is_exact_integer(value) else int(value)

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        forced = self._random and self._random.text(low, high, edges, often).translate(_SWAPPED)
        return cast(str, self._data.draw_string(_LETTERS, min_size=low, max_size=high, forced=forced)).translate(
            _SWAPPED
        )
