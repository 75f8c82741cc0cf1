"""Makes the choices of which a message consists. A node of the generator (see `nodes`) asks a source for each choice.

`RandomSource` chooses at random, `FixedSource` chooses as a setting says, and `strategies.hypothesis_source` lets
Hypothesis choose. A wish says what a message must have at a site. So all callers use the same generator: they differ
only in the source and the wishes.
"""

import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal, Protocol
from zlib import crc32

from brokerfuzz.schemas.keywords import Schema

PropertyState = Literal["absent", "plain", "null", "drawn"]
"""The state of a property: it is absent, has its plainest value, is null, or has a value that the source draws."""


@dataclass(eq=False, slots=True)
class SiteChoices:
    """The states and the values of the site at `path`.

    `options` contains the values of an enumeration, `edges` contains valid values that programs often handle
    incorrectly, and `find_realistic` finds realistic ones. `unusual` is a value that programs may treat as missing. If
    `is_free`, each string or number that the schema allows touches no ambiguity. Settings give identifiers different
    values. `is_deep` is that of the site. `states` and `often` contain the possible states, the simplest first.
    """

    path: str
    schema: Schema
    optional: bool = False
    nullable: bool = False
    plain: Any = None
    options: Sequence[Any] = ()
    edges: Sequence[Any] = ()
    find_realistic: Callable[[], Sequence[Any]] = tuple
    unusual: Any = None
    is_free: bool = False
    is_identifier: bool = False
    is_deep: bool = False
    states: Sequence[PropertyState] = ()
    often: Sequence[PropertyState] = ()
    _realistic: Sequence[Any] | None = None

    @property
    def realistic(self) -> Sequence[Any]:
        """Few sources use realistic values, and it takes time to find them."""
        if self._realistic is None:
            self._realistic = self.find_realistic()
        return self._realistic


@dataclass(frozen=True, slots=True)
class Wish:
    """What a message must have at a site.

    - `state`: `"drawn"` means any value except null (the default), and None means any state.
    - `options`: if not empty, the value is one of these.
    - `strategy`: the Hypothesis strategy that draws the value.
    - `least` and `most` limit the number of items of an array.
    - `index`: wishes below this array concern only the item with this index (None: all items).
    - `often`: the site is rarely absent, null or empty, and an array usually has several items.
    """

    state: PropertyState | None = "drawn"
    options: Sequence[Any] = ()
    strategy: Any = None
    least: int = 0
    most: int | None = None
    index: int | None = None
    often: bool = False

    def state_for(self, chosen: PropertyState) -> PropertyState:
        """Returns the state that the source has chosen, or another one if the wish demands it."""
        if self.state is None or (self.state == "drawn" and chosen == "plain"):
            return chosen
        return self.state


Wishes = Mapping[str, Wish]
"""Maps sites to wishes."""


@dataclass(frozen=True)
class Style:
    """`plausible` selects realistic values instead of unusual ones. `pinned` lists the sites whose values come from
    strategies of the user. `ambiguities` lists the IDs of the ambiguities that messages may touch.
    """

    plausible: bool = False
    pinned: frozenset[str] = frozenset()
    ambiguities: frozenset[str] = frozenset()


class Source(Protocol):
    """Chooses. `item` is the index of the array item that the generator currently draws. In items that the wishes do
    not concern, `wishes` has only the strategies of the user.
    """

    wishes: Wishes
    pins: Wishes
    item: int
    backwards: bool

    def state(self, choices: SiteChoices, /) -> PropertyState: ...

    def plain(self, choices: SiteChoices, /) -> Any: ...

    def choose(self, options: Sequence[Any], /) -> Any:
        """Chooses one of the options. The first option is the simplest."""
        ...

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        """Yields the indexes of `low` to `high` array items."""
        ...

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        """Chooses an integer from `low` to `high`. The simplest one is `edges[0]`."""
        ...

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        """Chooses a finite double from `low` to `high`, or an integer that a double can represent."""
        ...

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        """Chooses a string with `low` to `high` characters. Half of the edges are from `often`."""
        ...

    def drawn(self, strategy: Any, /) -> Any:
        """Draws a value from a strategy of Hypothesis."""
        ...


Draw = Callable[[Source], Any]
"""A function that draws a value."""


def pins_of(wishes: Wishes) -> Wishes:
    return {site: wish for site, wish in wishes.items() if wish.strategy is not None}


# ----------------------------------------------------------------------------------------------------------- random

LONGEST_ARRAY = 11
"""The largest number of items, unless more are required. It detects code that checks only the first ten items."""
_SIZES = (*[1] * 13, *[2] * 8, *[3] * 4, 4, *[0] * 4, LONGEST_ARRAY, LONGEST_ARRAY)
"""Numbers of array items."""
_SEVERAL = (*[1] * 6, *[2] * 14, *[3] * 8, 4, 4, 4, LONGEST_ARRAY)
"""Numbers of array items at the sites with `Wish.often`."""
_LENGTHS = (1, 2, 3, 3, 4, 5, 6, 8, 9, 12, 20, 60)
_AMOUNT = 1e6
"""The largest random amount with two decimal places."""


class RandomSource:
    """Chooses at random. The same seed gives the same choices on every Python version and platform."""

    backwards = False
    item = 0

    def __init__(self, seed: int, wishes: Wishes | None = None) -> None:
        self._random = Random(seed)
        self._bits = self._random.getrandbits
        self.wishes = wishes or {}
        self.pins = pins_of(self.wishes)

    def state(self, choices: SiteChoices, /) -> PropertyState:
        return choices.states[self._bits(4)]

    def plain(self, choices: SiteChoices, /) -> Any:
        return self.identifier(choices.plain) if choices.is_identifier else choices.plain

    def identifier(self, start: Any) -> str:
        """Returns an identifier that no other message has."""
        return f"{start}-{self._bits(32)}"

    def choose(self, options: Sequence[Any], /) -> Any:
        return options[self.index(options)]

    def index(self, options: Sequence[Any], /) -> int:
        return self._bits(18) % len(options)

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        return range(min(max(self.choose(_SEVERAL if often else _SIZES), low), high))

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        """Half of the integers are edges. In the other half, small and large numbers occur about equally often."""
        bits = self._bits(36)
        if bits >> 35:
            return edges[bits % len(edges)]
        size = (high - low).bit_length()
        offset = (bits >> 4) if size <= 32 else self._bits(size)
        offset &= (1 << ((bits & 15) * (size + 3) // 16)) - 1
        start = min(max(0, low), high)
        number = start + (offset if bits & 16 or low >= 0 else -offset)
        return number if low <= number <= high else low + offset % (high - low + 1)

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        """Half of the numbers are edges. An eighth are integers, an eighth are amounts with two decimal places, and a
        quarter have any bits.
        """
        bits = self._bits(16)
        if bits >> 15 and edges:
            return edges[bits % len(edges)]
        if bits >> 14 and low < _AMOUNT and high > -_AMOUNT:
            amount = round(self._double(max(low, -_AMOUNT), min(high, _AMOUNT)), None if bits & 1 else 2)
            return min(max(amount, low), high)
        return self._double(low, high)

    def _double(self, low: float, high: float) -> float:
        value: float = struct.unpack(">d", self._random.randbytes(8))[0]
        value = value if math.isfinite(value) else 0.0
        if low <= value <= high:
            return value
        return -value if low <= -value <= high else low if value < low else high

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        """Half of the strings are edges. In most others, all characters come from a list of 256 characters, otherwise
        from all of Unicode.
        """
        bits = self._bits(16)
        if bits >> 15:
            chosen = often if bits >> 14 & 1 else edges
            return chosen[bits % len(chosen)]
        size = min(high, max(low, low - 1 + _LENGTHS[bits % len(_LENGTHS)]))
        if bits >> 13:
            return self._random.randbytes(size).decode("latin-1").translate(_ALPHABET)
        codes = [self._bits(21) % 0x10F7FF + 1 for _ in range(size)]
        return "".join([chr(code if code < 0xD800 else code + 0x800) for code in codes])

    def drawn(self, strategy: Any, /) -> Any:
        raise TypeError(f"only Hypothesis can draw from {strategy!r}")


def _letters() -> Iterator[str]:
    """Yields at least 256 Unicode characters from many scripts, without surrogates and NUL."""
    yield from (chr(code) for code in range(0x20, 0x7F))
    yield from (chr(0xA1 + 3 * i) for i in range(60))
    yield from "\x01\t\n\r\x1f\x7f\x85\u0300\u200b\u200d\u202e\u2028\ufeff\ufffd\uffff"
    yield from (chr(0x370 + 97 * i) for i in range(47))
    yield from (chr(0x10000 + 0xF1B * i) for i in range(256))


_ALPHABET: Final = dict(enumerate(list(dict.fromkeys(_letters()))[:256]))


# ------------------------------------------------------------------------------------------------------------ fixed


@dataclass(frozen=True, slots=True)
class Setting:
    """Describes a message: which properties it has, and with which values.

    `full` includes the optional properties; with `narrow`, only those of nested objects. `nulls` makes properties null,
    and `unusual` chooses false, minimums, strings of spaces and empty arrays. `backwards` reverses the order of
    properties. `realistic` selects realistic values instead of the simplest ones. `turn` is the index of the value in
    enumerations. With `edge`, each value is an edge, and other numbers give other edges. Different properties usually
    have different edges, so that the reason for a rejection can be found.
    """

    name: str
    full: bool = True
    narrow: bool = False
    nulls: bool = False
    unusual: bool = False
    backwards: bool = False
    realistic: bool = True
    turn: int = 0
    edge: int | None = None

    def has_optional(self, *, is_deep: bool) -> bool:
        return self.full and (is_deep or not self.narrow)

    def fulfils(self, wish: Wish, *, is_deep: bool) -> bool:
        """Returns whether messages of this setting fulfil a wish at each site that is deep, or not."""
        if not self.has_optional(is_deep=is_deep) or self.nulls or wish.least > (0 if self.unusual else 1):
            return False
        return wish.state == "drawn" and not wish.options and wish.most is None


COMPLETE = Setting("complete")
NARROW = Setting("narrow", narrow=True)
SMALLEST = Setting("smallest", full=False, realistic=False)
REQUIRED = Setting("required", full=False)
SETTINGS = (
    COMPLETE,
    Setting("unusual", unusual=True, turn=-1),
    Setting("bare", full=False, turn=1),
    Setting("nulls", nulls=True, turn=2),
    Setting("backwards", backwards=True, turn=3),
)
"""The properties around a fault. Some programs check a property only if another property is present or true."""


class FixedSource:
    """Chooses as a setting says, so it always gives the same message. Other settings or wishes give other identifiers,
    because a target may accept each of them only once.
    """

    def __init__(self, setting: Setting, wishes: Wishes | None = None) -> None:
        self.wishes: Wishes = wishes or {}
        self.pins: Wishes = {}
        self.item = 0
        self.backwards = setting.backwards
        self._setting = setting
        self._shift = 0
        self._number = crc32(f"{setting.name} {sorted(self.wishes.items())}".encode()) % 1_000_000

    def state(self, choices: SiteChoices, /) -> PropertyState:
        if "drawn" not in choices.states:  # an own contract can forbid a property
            return choices.states[-1]
        if choices.optional and not self._setting.has_optional(is_deep=choices.is_deep):
            return "absent"
        if self._setting.nulls and choices.nullable:
            return "null"
        self._shift = len(choices.path)
        return "plain" if self._setting.edge is None else "drawn"

    def plain(self, choices: SiteChoices, /) -> Any:
        setting = self._setting
        if choices.options:
            return choices.options[setting.turn % len(choices.options)]
        realistic = choices.realistic if setting.realistic else ()
        if realistic and choices.is_identifier:
            return f"{realistic[0]}-{self._number}"
        if setting.unusual and choices.unusual is not None:
            return choices.unusual
        return _numbered(choices, self.item) if realistic else choices.plain

    def choose(self, options: Sequence[Any], /) -> Any:
        setting = self._setting
        return options[(setting.turn if setting.edge is None else setting.edge + self._shift) % len(options)]

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        setting = self._setting
        return range(min(max(low, int(setting.full and not setting.unusual)), high))

    def _edge(self, edges: Sequence[Any]) -> Any:
        edge = self._setting.edge
        return edges[0 if edge is None else (edge + self._shift) % len(edges)]

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        number: int = self._edge(edges)
        return number

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        number: float = self._edge(edges)
        return number

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        text: str = self._edge(edges)
        return text

    def drawn(self, strategy: Any, /) -> Any:
        raise TypeError(f"only Hypothesis can draw from {strategy!r}")


def _numbered(choices: SiteChoices, item: int) -> Any:
    """Returns a realistic value. If possible, different items get different strings and integers."""
    turns, place = divmod(item, len(choices.realistic))
    value = choices.realistic[place]
    if not turns or isinstance(value, float) or not choices.is_free:
        return value
    other = f"{value}-{item}" if isinstance(value, str) else value + 10_000 * turns
    return value if not isinstance(other, str) and other > choices.schema.get("maximum", other) else other
