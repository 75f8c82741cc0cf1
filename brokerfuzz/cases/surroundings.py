"""What surrounds a fault: where in the arrays on the way it sits, and what the rest of the message looks like.

Weak code checks the first item and not the others, the first ten and not the eleventh; or it checks a member only where another one is
there, or is true. So a fault is tried at every `Placement`, and in every `Setting`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from brokerfuzz.cases.building import PLAIN, Choose, Plan, no_wish
from brokerfuzz.decoder.doubts import spelling_at
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema, strangers, types_of


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a fault sits: of the array at path `array`, which has `size` items, in the item `index`; in the only item of all others.

    No array at all (`array` is None): in the only item of each.
    """

    name: str
    array: str | None = None
    size: int = 1
    index: int = 0

    @property
    def tag(self) -> str:
        """What the case's tag says."""
        return f"at:{self.name}"


ONLY = Placement("only")
_SPOTS = (("last", 2, 1), ("middle", 3, 1), ("first", 3, 0), ("eleventh", 12, 10))


def placements(site: str) -> list[Placement]:
    """Where a fault at a site can sit: in only items; then in the last, a middle, the first item and the eleventh of each array on the way."""
    arrays = [site[:index] for index in range(len(site)) if site.startswith("[]", index)]
    return [ONLY, *(Placement(name, array, size, index) for name, size, index in _SPOTS for array in arrays)]


WishesOf = Callable[[Contract, MessageType], Choose]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a message around a fault looks like: every member in one state, as far as the fault lets it be."""

    name: str
    full: bool = True
    backwards: bool = False
    wishes: WishesOf = field(default=lambda contract, message_type: no_wish)

    @property
    def tag(self) -> str:
        """What the case's tag says."""
        return f"in:{self.name}"

    def plan(self, contract: Contract, message_type: MessageType, sizes: dict[str, int]) -> Plan:
        """The plan of such a message, with arrays of these sizes."""
        return Plan(full=self.full, backwards=self.backwards, sizes=sizes, choose=self.wishes(contract, message_type))


def null_where_allowed(path: str, schema: Schema) -> Any:
    """Null wherever it may be."""
    return None if "null" in types_of(schema) else PLAIN


def _unusual(contract: Contract, message_type: MessageType) -> Choose:
    """False for booleans, the last member of enumerations, the least of numbers, the shortest of texts."""

    def choose(path: str, schema: Schema) -> Any:
        if strangers(schema) or spelling_at(contract, message_type, path) is not None:
            return PLAIN
        if "enum" in schema:
            return schema["enum"][-1]
        match types_of(schema) - {"null"}:
            case types if types == {"boolean"}:
                return False
            case types if types == {"string"} and "maxLength" not in schema:
                return " " * max(schema.get("minLength", 0), 1)
            case types if types <= {"integer", "number"} and types and not {"multipleOf", "exclusiveMinimum"} & set(schema):
                return schema.get("minimum", -1)
        return PLAIN

    return choose


COMPLETE = Setting("complete")
BARE = Setting("bare", full=False)
BACKWARDS = Setting("backwards", backwards=True)
NULLS = Setting("nulls", wishes=lambda contract, message_type: null_where_allowed)
UNUSUAL = Setting("unusual", wishes=_unusual)
SETTINGS = (COMPLETE, BARE, NULLS, UNUSUAL, BACKWARDS)
"""All members; only those that have to be there; all others null; all others at an unusual value; all members, in reverse order."""
