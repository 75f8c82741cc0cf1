"""Finds the parts of a valid message that make the target reject the message.

The target accepts the plain message, and rejects the valid message. The search copies parts of the plain message into
the valid message until the target accepts the result. The search copies as few parts as possible, and each part is as
small as possible. A part is a site: a property, or the items of an array.

    plain      comments: "Replaces version 3", priceClasses: [{"name": "Standard"}]    accepted message    comments:
    "a",                  priceClasses: [{"name": "it's"}]        rejected attempt    comments: "a",
    priceClasses: [{"name": "Standard"}]    accepted: the part is priceClasses[].name
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from brokerfuzz.campaign.bounded_sending import BoundedSender, LimitReachedError
from brokerfuzz.campaign.sending import UnsendableError
from brokerfuzz.campaign.shrink_candidates import fewest
from brokerfuzz.campaign.shrinking import VerdictOf
from brokerfuzz.json_trees import JsonArray, JsonObject, Tree, below, first_values, read_tree, tree_of, write_tree
from brokerfuzz.json_trees import sites as every_site

Sites = tuple[str, ...]  # such as `priceClasses[].name`


class RejectedParts:
    """Searches for the sites that make the target reject a message. The attribute `sites` contains the sites found so
    far (at first, none).
    """

    def __init__(self, body: bytes, plain: "PlainParts", sender: BoundedSender, judge: VerdictOf) -> None:
        self.sites: Sites = ()
        self._body, self._plain, self._sender, self._judge = body, plain, sender, judge
        self._known: dict[bytes, bool] = {body: False}

    async def run(self) -> None:
        with suppress(ValueError, LimitReachedError):
            await self._search(read_tree(self._body))

    async def _search(self, tree: Tree) -> None:
        every = self._plain.parts(tree)
        if not await self._is_accepted_with(every):
            return
        waiting, done = await fewest(every, self._is_accepted_with), Sites()
        while waiting:
            part, others = waiting[0], (*done, *waiting[1:])
            smaller = self._plain.parts(tree, part)
            if smaller and await self._is_accepted_with(others, smaller):
                waiting = (*waiting[1:], *await fewest(smaller, partial(self._is_accepted_with, others)))
            else:
                waiting, done = waiting[1:], (*done, part)

    async def _is_accepted_with(self, *parts: Sites) -> bool:
        """Replaces these parts with the parts of the plain message. Returns whether the new message is valid and the
        target accepts it.
        """
        await self._sender.pause()
        sites = tuple(chain(*parts))
        body = write_tree(self._plain.copied(read_tree(self._body), sites))
        if body not in self._known:
            self._known[body] = self._judge(body).label == "valid" and await self._answer_is_accepted(body)
        if self._known[body]:
            self.sites = tuple(sorted(sites))
        return self._known[body]

    async def _answer_is_accepted(self, body: bytes) -> bool:
        try:
            return (await self._sender.answer(body)).kind == "accepted"
        except UnsendableError:
            return False


class PlainParts:
    """The parts of the plain message. `values` maps each site to the first value at this site."""

    def __init__(self, plain: bytes) -> None:
        self.values = first_values(read_tree(plain))

    def copied(self, tree: Tree, sites: Sequence[str], here: str = "") -> Tree:
        """Replaces the parts of the message at these sites with the parts of the plain message. If the plain message
        has no value at a site, this part is removed from the message.
        """
        if not any(part.startswith(here) for part in sites):
            return tree
        match tree:
            case JsonObject(pairs):
                return JsonObject((*self._props(pairs, sites, here), *self._missing(pairs, sites, here)))
            case JsonArray(items) if f"{here}[]" in sites:
                return JsonArray((self.values[f"{here}[]"],) * len(items) if f"{here}[]" in self.values else ())
            case JsonArray(items):
                return JsonArray(tuple(self.copied(item, sites, f"{here}[]") for item in items))
            case _:
                return tree

    def _props(self, pairs: Sequence[tuple[str, Tree]], sites: Sequence[str], here: str) -> Iterator[tuple[str, Tree]]:
        for name, value in pairs:
            place = below(here, name)
            if place not in sites:
                yield name, self.copied(value, sites, place)
            elif place in self.values:
                yield name, self.values[place]

    def _missing(
        self, pairs: Sequence[tuple[str, Tree]], sites: Sequence[str], here: str
    ) -> Iterator[tuple[str, Tree]]:
        names = {name for name, _ in pairs}
        for place in sites:
            name = place.removeprefix(below(here, ""))
            if place in self.values and _above(place) == here and not place.endswith("[]") and name not in names:
                yield name, self.values[place]

    def parts(self, tree: Tree, above: str = "") -> Sites:
        """Returns the sites directly inside `above` at which the message `tree` differs from the plain message."""
        every = dict.fromkeys((*(site for site, _ in every_site(tree)), *self.values))
        return tuple(part for part in every if part and _above(part) == above and self.copied(tree, [part]) != tree)

    def concerned(self, body: bytes, sites: Sequence[str]) -> Sites:
        """Returns only the sites at which the message differs from the plain message."""
        tree = tree_of(body)
        return () if tree is None else tuple(part for part in sites if self.copied(tree, [part]) != tree)

    def copied_into(
        self, twin: bytes, fault: bytes, sites: Sites | None, allows: Callable[[bytes, bytes], bool]
    ) -> tuple[bytes, bytes]:
        """Copies the parts at `sites` (None: all parts) from the plain message into `twin` and into `fault`, the
        message with the fault. Returns both new messages. If a part contains the fault, or if `allows` rejects the new
        messages, the method copies only smaller parts inside this part. If a part is the faulty value itself, the
        method copies this part only into the twin, so that the fault remains.
        """
        tree = tree_of(twin)
        if tree is None:
            return twin, fault
        waiting = list(self.parts(tree) if sites is None else sites)
        while waiting:
            part = waiting.pop(0)
            new = self.copied(tree, [part])
            changed = write_tree(new)
            if (merged := _merged(twin, changed, fault)) is not None and allows(changed, merged):
                tree, twin, fault = new, changed, merged
            elif smaller := self.parts(tree, part):
                waiting += smaller
            elif allows(changed, fault):  # the part is the faulty value itself
                tree, twin = new, changed
        return twin, fault


def _above(place: str) -> str:
    return place.removesuffix("[]") if place.endswith("[]") else place.rpartition(".")[0]


def _merged(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Applies two changes to `base`: the change from `base` to `one`, and the change from `base` to `other`. Returns
    None if the changes overlap.
    """
    start, end, new = _difference(base, one)
    other_start, other_end, other_new = _difference(base, other)
    if end <= other_start:
        return base[:start] + new + base[end:other_start] + other_new + base[other_end:]
    if other_end <= start:
        return base[:other_start] + other_new + base[other_end:start] + new + base[end:]
    return None


def _difference(base: bytes, changed: bytes) -> tuple[int, int, bytes]:
    """Returns the start and the end of the part of `base` that differs, and the bytes that replace this part."""
    start = _common_prefix_length(base, changed)
    most = min(len(base), len(changed)) - start
    end = min(_common_prefix_length(base[::-1], changed[::-1]), most)
    return start, len(base) - end, changed[start : len(changed) - end]


def _common_prefix_length(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
