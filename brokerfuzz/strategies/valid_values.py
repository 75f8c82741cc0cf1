"""Draws valid messages and valid parts of messages. Checks the options that all strategies for valid values share."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from hypothesis import reject
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.changes import Put, altered
from brokerfuzz.cases.fault_wishes import wishes_at
from brokerfuzz.errors import ContractError
from brokerfuzz.generation import ABSENT, RandomSource, Source, Style, Wish, Wishes, checked_draw, message, node_of
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Contract, MessageType, check
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.hypothesis_source import Proposals, hypothesis_source
from brokerfuzz.strategies.plausible_proposals import plausible_proposals

_PLAUSIBLE_RESPONSE: Wishes = {
    "data": Wish(),
    "failureMessages": Wish(least=1),
    "data.offers[].extendedPrice": Wish(state=None, options=[1]),
}
"""Plausible responses report no failure unless a user pins `data`, and a failure has a reason. They have no surcharges:
1 adds nothing to the sum that is calculated.
"""


@dataclass(frozen=True)
class ValidValues:
    """The options of a strategy for valid messages, or for their parts at a site, and its wishes."""

    contract: Contract
    message_type: MessageType
    site: str
    style: Style
    pins: Mapping[str, SearchStrategy[Any]]
    wishes: Wishes

    @classmethod
    def of(cls, message_type: MessageType, site: str = "", **options: Unpack[arguments.ValueOptions]) -> "ValidValues":
        """Raises `InvalidArgument` if an option is wrong."""
        contract = arguments.contract_of(options.get("contract"))
        message_type = arguments.message_type_of(message_type, contract)
        pins = arguments.pinned_sites(options.get("fields"), contract, message_type, site)
        style = Style(
            plausible=arguments.flag("plausible", options.get("plausible", False)),
            pinned=frozenset(pins),
            ambiguities=arguments.ambiguities_of(options.get("ambiguities"), contract, message_type),
        )
        wishes = {path: Wish(strategy=strategy) for path, strategy in pins.items()}
        values = cls(contract, message_type, site, style, pins, wishes)
        return values.wishing(_PLAUSIBLE_RESPONSE) if style.plausible and site in ("", "data") else values

    def wishing(self, wishes: Wishes) -> "ValidValues":
        """Adds wishes. Wishes of the user win."""
        return replace(self, wishes={**wishes, **self.wishes})

    def often(self, sites: Collection[str]) -> "ValidValues":
        """The values at these sites are rarely absent, null or empty. Plausible messages decide this themselves."""
        if self.style.plausible:
            return self
        return self.wishing({arguments.site_below(self.site, path): Wish(state=None, often=True) for path in sites})

    def sized(self, what: str, path: str, low: int, high: int | None, *, least: int = 0) -> "ValidValues":
        """Limits the number of items in the array at `path` to the range from `low` to `high`. If `low` is 0, the array
        may also be absent or null. The user specifies the limits as two arguments, such as `min_clusters` and
        `max_clusters`. In this example, `what` is `clusters`.
        """
        arguments.size_bounds(what, low, high, least=least)
        site = arguments.site_below(self.site, path)
        arguments.not_pinned(what, low, high, site, self.style.pinned, least=least)
        if (low == 0 and high is None) or arguments.is_within_one_of(site, self.style.pinned):
            return self
        array = self.contract.sites[self.message_type].get(site)
        if array is None:
            raise InvalidArgument(
                f"the contract has no place {site!r} in {self.message_type}: use a strategy for another part of the "
                "message"
            )
        if low and "array" not in types_of(array.schema):
            arguments.reject(f"min_{what}", low, f"the contract allows no array at {site}; use another strategy")
        arguments.possible_size(what, low, high, array.schema)
        before = self.wishes.get(site, Wish(state=None))
        sized = replace(before, state="drawn" if low else None, least=low, most=high)
        objects = [around.path for around in array.around if around.name and around not in array.arrays]
        present: Wishes = dict.fromkeys(objects, Wish()) if low else {}
        return replace(self, wishes={**self.wishes, **present, site: sized})

    def draws(self, *, judge: bool = True) -> Draws[Any]:
        """Raises `InvalidArgument` if no value complies with these options.

        If `judge` is true, pinned values that break the contract also raise `InvalidArgument`.
        """
        draw_from = self._draw_from()
        proposals = self.proposals()

        def draw_value(draw: DrawFn) -> Any:
            try:
                value = draw_from(hypothesis_source(draw, self.wishes, proposals))
            except ContractError:  # the rules of an own contract contradict each other
                reject()
            if self.pins and judge:
                self._check_pinned(value)
            return value

        return draw_value

    def proposals(self) -> Proposals:
        if not self.style.plausible:
            return RandomSource
        wishes = {path: wish for path, wish in self.wishes.items() if wish != _PLAUSIBLE_RESPONSE.get(path)}
        return plausible_proposals(self.message_type, self.site, wishes)

    @cached_property
    def _around(self) -> tuple[Any, Steps]:
        """A plain message that has a value at the site, and the path to this value."""
        around = message(
            self.contract, self.message_type, wishes=wishes_at(self.contract, self.message_type, self.site)
        )
        return around, self.contract.sites[self.message_type][self.site].places(around)[0][0]

    def _check_pinned(self, value: Any) -> None:
        """Raises `InvalidArgument` if a pinned value breaks the contract."""
        around, steps = self._around if self.site else (None, ())
        try:
            verdict = check(self.message_type, altered(around, steps, Put(value)), contract=self.contract)
        except TypeError as problem:
            raise InvalidArgument(f"fields={sorted(self.pins)}: {problem}") from problem
        if verdict.label == "invalid":
            raise InvalidArgument(
                f"fields={sorted(self.pins)}: a pinned value breaks the contract ({verdict.broken[0]}); "
                "pin values that the contract allows, or use a strategy for invalid messages"
            )

    def _draw_from(self) -> Callable[[Source], Any]:
        try:
            if self.site:
                draw_from = node_of(self.contract, self.message_type, self.site, self.style).draw
            else:
                draw_from = checked_draw(self.contract, self.message_type, self.style)
            if not self.contract.is_tested and not self.pins:
                self._check_possible(draw_from)
        except ContractError as problem:
            raise InvalidArgument(str(problem)) from problem
        return draw_from

    def _check_possible(self, draw_from: Callable[[Source], Any]) -> None:
        """Raises `ContractError` if an own contract allows no value."""
        if draw_from(RandomSource(0, self.wishes)) is ABSENT:
            raise ContractError(f"the contract allows no value other than null at {self.site}: change its schema")
