"""Draws valid messages and valid parts of messages. Checks the options that all strategies for valid values share."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from hypothesis import reject
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn

from brokerfuzz.cases.changes import Put, altered
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.errors import ContractError
from brokerfuzz.generation import (
    ABSENT,
    RandomSource,
    Source,
    Style,
    Wish,
    Wishes,
    checked_draw,
    message,
    node_of,
    plausible,
)
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Contract, MessageType, Site, check
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.hypothesis_source import Proposals, hypothesis_source
from brokerfuzz.strategies.plausible_proposals import plausible_proposals


@dataclass(frozen=True)
class DrawnValues:
    """The options of a strategy for valid messages, or for their parts at a site, and its wishes."""

    contract: Contract
    message_type: MessageType
    site: Site
    style: Style
    wishes: Wishes

    @classmethod
    def of(cls, message_type: MessageType, site: str = "", **options: Unpack[arguments.ValueOptions]) -> "DrawnValues":
        """Raises `InvalidArgument` if an option is wrong."""
        contract = known_contract(options.get("contract"))
        contract.known_message_type(message_type)
        above = arguments.existing(site, contract.sites[message_type], message_type)
        pinned = arguments.pinned_sites(options.get("fields"), message_type, above)
        style = Style(
            plausible=arguments.flag("plausible", options.get("plausible", False)),
            pinned=frozenset(pinned),
            ambiguities=arguments.ambiguities_of(options.get("ambiguities"), contract, message_type),
        )
        wishes = {path: Wish(strategy=strategy) for path, strategy in pinned.items()}
        values = cls(contract, message_type, above, style, wishes)
        return values.wishing(plausible.WISHES) if style.plausible and site in ("", *plausible.WISHES) else values

    def wishing(self, wishes: Wishes) -> "DrawnValues":
        """Adds wishes. Wishes of the user win."""
        return replace(self, wishes={**wishes, **self.wishes})

    def often(self, sites: Collection[str]) -> "DrawnValues":
        """The values at these sites are rarely absent, null or empty. Plausible messages decide this themselves."""
        if self.style.plausible:
            return self
        below = self.site.below
        return self.wishing({below[path].path: Wish(state=None, often=True) for path in sites if path in below})

    def sized(self, what: str, path: str, low: int, high: int | None, *, least: int = 0) -> "DrawnValues":
        """Limits the number of items in the array at `path` to the range from `low` to `high`. If `low` is 0, the array
        may also be absent or null. The user specifies the limits as two arguments, such as `min_clusters` and
        `max_clusters`. In this example, `what` is `clusters`.
        """
        arguments.check_limits(what, low, high, least=least)
        if low == 0 and high is None:
            return self
        array = arguments.existing(path, self.site.below, self.message_type)
        sites = self.contract.sites[self.message_type]
        outer = next((pin for pin in self.style.pinned if array.is_below(sites[pin])), None)
        if outer is not None:
            arguments.check_not_pinned(what, low, high, outer, least=least)
            return self
        arguments.check_possible(what, low, high, array)
        before = self.wishes.get(array.path, Wish(state=None))
        sized = replace(before, state="drawn" if low else None, least=low, most=high)
        objects = [around.path for around in array.around if around.name and around not in array.arrays]
        present: Wishes = dict.fromkeys(objects, Wish()) if low else {}
        return replace(self, wishes={**self.wishes, **present, array.path: sized})

    def draws(self, *, judge: bool = True) -> Draws[Any]:
        """Returns a function that draws a value. Unless `judge` is false, it raises `InvalidArgument` if a pinned value
        breaks the contract.
        """
        draw_from = self._draw_from()
        proposals = self.proposals()

        def draw_value(draw: DrawFn) -> Any:
            try:
                value = draw_from(hypothesis_source(draw, self.wishes, proposals))
            except ContractError:  # the rules of an own contract contradict each other
                reject()
            if self.style.pinned and judge:
                self._check_pinned(value)
            return value

        return draw_value

    def proposals(self) -> Proposals:
        if not self.style.plausible:
            return RandomSource
        wishes = {path: wish for path, wish in self.wishes.items() if wish != plausible.WISHES.get(path)}
        return plausible_proposals(self.message_type, self.site.path, wishes)

    @cached_property
    def _around(self) -> tuple[Any, Steps]:
        """A plain message that has a value at the site, and the path to this value."""
        around = message(
            self.contract, self.message_type, wishes=wishes_at(self.contract, self.message_type, self.site.path)
        )
        return around, self.site.places(around)[0][0]

    def _check_pinned(self, value: Any) -> None:
        """Raises `InvalidArgument` if a pinned value breaks the contract."""
        around, steps = self._around if self.site.path else (None, ())
        try:
            verdict = check(self.message_type, altered(around, steps, Put(value)), contract=self.contract)
        except TypeError as problem:
            raise InvalidArgument(f"fields={sorted(self.style.pinned)}: {problem}") from problem
        if verdict.label == "invalid":
            raise InvalidArgument(
                f"fields={sorted(self.style.pinned)}: a pinned value breaks the contract ({verdict.broken[0]}); "
                "pin values that the contract allows, or use a strategy for invalid messages"
            )

    def _draw_from(self) -> Callable[[Source], Any]:
        """Raises `ContractError` if an own contract allows no value."""
        if self.site.path:
            draw_from = node_of(self.contract, self.message_type, self.site.path, self.style).draw
        else:
            draw_from = checked_draw(self.contract, self.message_type, self.style)
        if not self.contract.is_tested and not self.style.pinned and draw_from(RandomSource(0, self.wishes)) is ABSENT:
            raise ContractError(f"the contract allows no value other than null at {self.site.path}: change its schema")
        return draw_from
