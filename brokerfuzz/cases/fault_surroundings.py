"""The surroundings of a fault.

Buggy code may check the first item of an array but not the others, or the first ten but not the eleventh. So brokerfuzz tries
faults at different positions in arrays (`Placement`). Buggy code may also check a property only if another property is present or
true. So brokerfuzz also varies the rest of the message (`Setting`).
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
    """The position of a fault: in item `index` of the arrays at `paths`. These arrays have `size` items. All other arrays have one
    item.
    """

    name: str
    arrays: tuple[str, ...] = ()
    size: int = 1
    index: int = 0

    @property
    def tag(self) -> str:
        """The tag of the case."""
        return f"at:{self.name}"

    def indices(self, site: str) -> list[int]:
        """Returns the item index in each array on the path to a site."""
        return [self.index if array in self.arrays else 0 for array in arrays_above(site)]


def arrays_above(site: str) -> list[str]:
    """Returns the paths of the arrays on the path to a site, the outermost first."""
    return [site[:index] for index in range(len(site)) if site.startswith("[]", index)]


ONLY = Placement("only")
_SPOTS = (("last", 2, 1), ("middle", 3, 1), ("first", 3, 0))


def placements(site: str) -> list[Placement]:
    """Returns the possible positions of a fault at a site.

    At the first position, every array has only one item. At the second position, the fault is in the eleventh of twelve items of
    every array. These two positions find most code that checks only some items: the only item is both the first and the last one,
    and the eleventh is neither, nor is it one of the first ten. After these two come the last, a middle and the first item of each
    array.
    """
    arrays = arrays_above(site)
    eleventh = [Placement("eleventh", tuple(arrays), 12, 10)] if arrays else []
    return [ONLY, *eleventh, *(Placement(name, (array,), size, index) for name, size, index in _SPOTS for array in arrays)]


@dataclass(frozen=True, slots=True)
class Setting:
    """The rest of the message around a fault. All other properties are in the same state (for example null), unless the fault needs
    another state.

    `full` is True to include the optional properties, and `backwards` to write the properties in reverse order. `prop` is the index
    of the value that is used for enumerations. It differs between settings.
    """

    name: str
    full: bool = True
    backwards: bool = False
    prop: int = 0
    state: Callable[[Schema], Any] = field(default=lambda schema: PLAIN)

    @property
    def tag(self) -> str:
        """The tag of the case."""
        return f"in:{self.name}"

    def plan(self, contract: Contract, message_type: MessageType, sizes: dict[str, int], within: int) -> MessagePlan:
        """Returns the `MessagePlan` of a message in this setting. `sizes` are the sizes of the arrays."""

        def choose(path: str, schema: Schema) -> Any:
            if "enum" in schema and (self.full or contract.sites[message_type][path].required):
                return schema["enum"][self.prop % len(schema["enum"])]
            state = self.state(schema)
            as_it_comes = path in sizes or unsupported_keywords_of(schema) or notation_detector_at(contract, message_type, path) is not None
            return PLAIN if as_it_comes and state is not None else state

        return MessagePlan(full=self.full, backwards=self.backwards, sizes=sizes, within=within, choose=choose)


def null_where_allowed(path: str, schema: Schema) -> Any:
    """Chooses null for each place that allows it."""
    return _null(schema)


def _null(schema: Schema) -> Any:
    return None if "null" in types_of(schema) else PLAIN


def _unusual(schema: Schema) -> Any:
    """Returns false for a boolean, the minimum for a number, spaces for a string, and an empty array."""
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


COMPLETE = Setting("complete")
UNUSUAL = Setting("unusual", prop=-1, state=_unusual)
BARE = Setting("bare", full=False, prop=1)
NULLS = Setting("nulls", prop=2, state=_null)
BACKWARDS = Setting("backwards", backwards=True, prop=3)
SETTINGS = (COMPLETE, UNUSUAL, BARE, NULLS, BACKWARDS)
"""The settings, in order. Apart from the fault, the message has: all properties; unusual values; only the required properties; null
everywhere; all properties in reverse order.
"""


def surroundings(site: str) -> list[tuple[Placement, Setting]]:
    """Returns pairs of a placement and a setting. Each placement occurs in a complete message, and each setting occurs with the
    fault in the only item. Placements and settings alternate.
    """
    placed = [(placement, COMPLETE) for placement in placements(site)]
    in_settings = [(ONLY, setting) for setting in SETTINGS[1:]]
    return [*placed[:2], *(one for pair in zip_longest(in_settings, placed[2:]) for one in pair if one is not None)]
