"""Proposes plausible messages to Hypothesis, which records the choices that lead to them and can shrink each choice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from brokerfuzz.generation import ABSENT, PropertyState, RandomSource, SiteChoices, Wish, Wishes
from brokerfuzz.generation.realistic_values import plausible_messages
from brokerfuzz.generation.sources import LONGEST_ARRAY
from brokerfuzz.schemas import MessageType, Site, load_contract
from brokerfuzz.strategies.hypothesis_source import Proposals


def plausible_proposals(message_type: MessageType, path: str, wishes: Wishes) -> Proposals:
    """Proposes the values that a site has in plausible messages that fulfil the wishes, or in all if none does.
    Messages with longer arrays than Hypothesis chooses are left out. Own message types have no plausible messages.
    """
    sites = load_contract().sites.get(message_type, {})
    if path not in sites:
        return RandomSource
    limits = [(sites[place], wish) for place, wish in wishes.items() if place in sites and wish.strategy is None]
    messages = [message for message in plausible_messages(message_type) if _most_items(message) <= LONGEST_ARRAY]
    fulfilling = [message for message in messages if all(_is_fulfilled(message, site, wish) for site, wish in limits)]
    parts = [part for message in fulfilling or messages for _, part in sites[path].places(message)]
    return partial(PlausibleProposals, sites, path, parts, [site for site, wish in limits if wish.options])


def _most_items(value: Any) -> int:
    """Returns the length of the longest array in a value."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(len(value) if isinstance(value, list) else 0, *map(_most_items, parts), 0)


def _is_fulfilled(message: Any, site: Site, wish: Wish) -> bool:
    values = [value for _, value in site.places(message)]
    if wish.options:
        return all(value in wish.options for value in values)
    if wish.state == "drawn" and not values:
        return False
    most = float("inf") if wish.most is None else wish.most
    return all(wish.least <= len(value) <= most for value in values if isinstance(value, list))


class PlausibleProposals(RandomSource):
    """Proposes the values of one part of a plausible message, so that they belong together. Proposes random ones where
    this part has none.
    """

    def __init__(
        self, sites: Mapping[str, Site], path: str, parts: Sequence[Any], limited: Sequence[Site], seed: int
    ) -> None:
        super().__init__(seed)
        part = parts[super().index(parts)]
        self._sites = sites
        self._expected = [] if path else [value for site in limited for _, value in site.places(part)]
        """The values of the message at the sites for which a wish lists the options."""
        self._values: dict[str, Any] = {path: part}
        """Maps the paths of sites to their latest values."""
        self._items: dict[str, Iterator[Any]] = {}
        """Maps the paths of arrays to the items that have not been proposed yet."""
        self._value: Any = ABSENT
        """The value of the site at which the next choice is made."""

    def state(self, choices: SiteChoices, /) -> PropertyState:
        site = self._sites.get(choices.path)
        if site is None:  # an own contract can have more properties
            self._value = ABSENT
            return super().state(choices)
        self._value = self._next_value(site)
        state: PropertyState = "absent" if self._value is ABSENT else "null" if self._value is None else "drawn"
        return state if state in choices.states else super().state(choices)

    def _next_value(self, site: Site) -> Any:
        around = "" if site.parent is None else site.parent.path
        if not site.name:
            value = next(self._items.get(around, iter(())), ABSENT)
        else:
            outer = self._values.get(around)
            value = outer.get(site.name, ABSENT) if isinstance(outer, dict) else ABSENT
        self._values[site.path] = value
        self._items[site.path] = iter(value if isinstance(value, list) else ())
        return value

    def index(self, options: Sequence[Any], /) -> int:
        proposed = next((value for value in (self._value, *self._expected) if value in options), ABSENT)
        self._value = ABSENT
        return super().index(options) if proposed is ABSENT else options.index(proposed)

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Iterable[int]:
        if isinstance(self._value, list):
            return range(min(max(len(self._value), low), high))
        return super().repeat(low, high, often=often)
