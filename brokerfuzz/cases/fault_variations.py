"""Varies the messages that contain a fault.

Some programs check only the first item of an array, or only the first ten items. To detect checks that skip items, brokerfuzz puts
the fault into different items (`Placement`). Some programs check a property only if another property is present or true. To detect
such checks, brokerfuzz varies the neighbouring properties (`Neighbours`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from brokerfuzz.cases.message_builder import PLAIN, MessagePlan
from brokerfuzz.decoder.ambiguity_sites import notation_detector_at
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema, types_of, unsupported_keywords_of


@dataclass(frozen=True, slots=True)
class Placement:
    """The position of a fault in arrays. Each array in `arrays` (a list of paths) has `size` items. In these arrays, the fault is
    in the item with the index `index`. All other arrays have one item.
    """

    name: str
    arrays: tuple[str, ...] = ()
    size: int = 1
    index: int = 0

    @property
    def tag(self) -> str:
        return f"at:{self.name}"

    def indices(self, site: str) -> list[int]:
        """Returns an index for each array around the site, outermost first: the index of the item that contains the fault."""
        return [self.index if array in self.arrays else 0 for array in arrays_above(site)]


def arrays_above(site: str) -> list[str]:
    """Returns the paths of the arrays that contain the site, outermost first."""
    return [site[:index] for index in range(len(site)) if site.startswith("[]", index)]


ONLY = Placement("only")
_SPOTS = (("last", 2, 1), ("third", 3, 2), ("middle", 3, 1), ("first", 3, 0))
_BEHIND_THE_FIRST = ("last", "third", "eleventh")


def placements(site: str) -> list[Placement]:
    """Returns the possible positions of a fault at a site.

    First, the fault is in the only item of an array. Second, the fault is in the eleventh of twelve items. These two messages
    detect most programs that do not check every item. The other positions are the last item of two, the third item, a middle item
    and the first item.
    """
    arrays = arrays_above(site)
    eleventh = [Placement("eleventh", tuple(arrays), 12, 10)] if arrays else []
    return [ONLY, *eleventh, *(Placement(name, (array,), size, index) for name, size, index in _SPOTS for array in arrays)]


def later_placements(site: str) -> list[Placement]:
    """Returns the positions in the second item, the third item and the eleventh item. Some programs treat only one of them wrongly."""
    return [placement for placement in placements(site) if placement.name in _BEHIND_THE_FIRST]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Describes the properties that surround a fault: for example, all of them are null.

    `full` includes the optional properties, and `backwards` reverses the order of the properties. A property with an
    enumeration has the enumeration's value at the index `enum_index`. For any other property, the function `state` returns a value
    or `PLAIN`. `PLAIN` means a realistic value if `realistic` is true, otherwise the simplest valid value.
    """

    name: str
    full: bool = True
    backwards: bool = False
    enum_index: int = 0
    realistic: bool = True
    state: Callable[[Schema], Any] = field(default=lambda schema: PLAIN)

    @property
    def tag(self) -> str:
        return f"in:{self.name}"

    def plan(self, contract: Contract, message_type: MessageType, sizes: dict[str, int], within: int) -> MessagePlan:
        """For `sizes` and `within`, see `MessagePlan`."""

        def choose(path: str, schema: Schema) -> Any:
            if schema.get("enum") and (self.full or contract.sites[message_type][path].required):
                return schema["enum"][self.enum_index % len(schema["enum"])]
            state = self.state(schema)
            as_it_comes = path in sizes or unsupported_keywords_of(schema) or notation_detector_at(contract, message_type, path) is not None
            return PLAIN if as_it_comes and state is not None else state

        return MessagePlan(full=self.full, backwards=self.backwards, sizes=sizes, within=within, choose=choose, realistic=self.realistic)


def null_where_allowed(path: str, schema: Schema) -> Any:
    return _null(schema)


def _null(schema: Schema) -> Any:
    return None if "null" in types_of(schema) else PLAIN


def _unusual(schema: Schema) -> Any:
    """Chooses an unusual value: false, the minimum of a number, a string of spaces, or an empty array."""
    match types_of(schema) - {"null"}:
        case types if types == {"boolean"}:
            return False
        case types if types == {"string"} and "maxLength" not in schema:
            return " " * max(schema.get("minLength", 0), 1)
        case types if types <= {"integer", "number"} and types and not {"multipleOf", "exclusiveMinimum"} & set(schema):
            return schema.get("minimum", -1)
        case types if types == {"array"} and not schema.get("minItems"):
            return []
    return PLAIN


SMALLEST = Neighbours("smallest", full=False, realistic=False)
REQUIRED = Neighbours("required", full=False)
COMPLETE = Neighbours("complete")
UNUSUAL = Neighbours("unusual", enum_index=-1, state=_unusual)
BARE = Neighbours("bare", full=False, enum_index=1)
NULLS = Neighbours("nulls", enum_index=2, state=_null)
BACKWARDS = Neighbours("backwards", backwards=True, enum_index=3)
NEIGHBOURS = (COMPLETE, UNUSUAL, BARE, NULLS, BACKWARDS)
"""Variations of the neighbouring properties: all ordinary, all unusual, only the required ones, all null, and in reverse order."""


def variations(site: str) -> list[tuple[Placement, Neighbours]]:
    """Returns pairs: the position of a fault in arrays, and the properties that surround the fault. Each position and each of the
    `NEIGHBOURS` is in at least one pair.
    """
    placed = [(placement, COMPLETE) for placement in placements(site)]
    with_neighbours = [(ONLY, neighbours) for neighbours in NEIGHBOURS[1:]]
    return [*placed[:2], *(one for pair in zip_longest(with_neighbours, placed[2:]) for one in pair if one is not None)]
