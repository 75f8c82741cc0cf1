"""Describes the cause of a problem: sites with certain values, and sites of missing properties. With these sites, a
campaign can find the same cause in other messages.

To check whether another message has the same problem, a campaign removes the cause from this message and sends the
message again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from brokerfuzz.campaign.cause_candidates import plain, with_property
from brokerfuzz.campaign.shrink_candidates import Schemas
from brokerfuzz.json_trees import JsonArray, JsonObject, Path, Tree, at, at_pointer, below, paths, site, sites
from brokerfuzz.pointers import site_of


@dataclass(frozen=True)
class Cause:
    """`present` contains sites with the values that cause the problem. `missing` contains the sites of properties whose
    absence causes the problem.
    """

    present: tuple[tuple[str, Tree], ...] = ()
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, places: Sequence[str], tree: Tree) -> "Cause":
        """Returns a cause that consists of the values at the JSON Pointers `places` in the message `tree`. If a pointer
        leads to no value, the missing property belongs to the cause.
        """
        present, missing = [], []
        for place in places:
            try:
                present.append((site_of(place), at_pointer(tree, place)))
            except LookupError:
                missing += [] if place.rpartition("/")[2].isdecimal() else [site_of(place)]
        return cls(tuple(present), tuple(missing))

    @property
    def sites(self) -> tuple[str, ...]:
        return tuple(sorted({*(where for where, _ in self.present), *self.missing}))

    def is_in(self, tree: Tree) -> bool:
        """Returns whether a message contains all values in `present` at the same sites, and lacks all properties in
        `missing`.
        """
        found = list(sites(tree)) if self.present else []
        return all(pair in found for pair in self.present) and all(any(_lacking(tree, where)) for where in self.missing)

    def removed_from(self, tree: Tree, schemas: Schemas) -> Iterator[Tree]:
        """Yields variants of the message without the cause. Each variant adds the missing properties, and removes all
        values at the sites of the cause, removes only the values that are equal to those of the cause, or replaces them
        with ordinary values. Variants that are equal to the message are skipped.
        """
        added = tree
        for where in self.missing:
            added = _with_missing(added, where, schemas)
        yield from (changed for changed in self._without_values(added, schemas) if changed != tree)

    def _without_values(self, tree: Tree, schemas: Schemas) -> Iterator[Tree]:
        present = {where for where, _ in self.present}
        yield _without(tree, lambda where, _: where in present)
        yield _without(tree, lambda where, value: (where, value) in self.present)
        usual = {where: plain(schemas.get(where, {})) for where in present}
        for choice in range(max(map(len, usual.values()), default=0)):
            yield _with_plain(tree, {where: values[min(choice, len(values) - 1)] for where, values in usual.items()})


def _lacking(tree: Tree, where: str) -> Iterator[Path]:
    """Yields the path of each object in which the property at the site `where` is missing."""
    above, _, name = where.rpartition(".")
    for path in paths(tree):
        there = at(tree, path)
        if (
            isinstance(there, JsonObject)
            and site(tree, path) == above
            and all(known != name for known, _ in there.pairs)
        ):
            yield path


def _with_missing(tree: Tree, where: str, schemas: Schemas) -> Tree:
    for path in list(_lacking(tree, where)):
        tree = with_property(tree, path, where.rpartition(".")[2], plain(schemas.get(where, {}))[0])
    return tree


def _without(tree: Tree, is_removed: Callable[[str, Tree], bool], above: str = "") -> Tree:
    """Removes the values for which `is_removed` returns True. The function gets the site and the value."""
    match tree:
        case JsonObject(pairs):
            places = [(name, prop, below(above, name)) for name, prop in pairs]
            return JsonObject(
                tuple(
                    (name, _without(prop, is_removed, place))
                    for name, prop, place in places
                    if not is_removed(place, prop)
                )
            )
        case JsonArray(items):
            place = f"{above}[]"
            return JsonArray(tuple(_without(item, is_removed, place) for item in items if not is_removed(place, item)))
        case _:
            return tree


def _with_plain(tree: Tree, values: Mapping[str, Tree], above: str = "") -> Tree:
    """Replaces the values at the sites that are keys of `values`."""
    if above in values:
        return values[above]
    match tree:
        case JsonObject(pairs):
            return JsonObject(tuple((name, _with_plain(prop, values, below(above, name))) for name, prop in pairs))
        case JsonArray(items):
            return JsonArray(tuple(_with_plain(item, values, f"{above}[]") for item in items))
        case _:
            return tree
