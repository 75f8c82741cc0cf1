"""Defines dictionaries and lists that cannot change. A contract consists of such dictionaries and lists, because many
parts of a program share the same contract.
"""

from typing import Any, NoReturn


def _reject(self: object, *arguments: object, **options: object) -> NoReturn:
    raise TypeError("a loaded contract is read-only: use copy.deepcopy() to get a schema that you can change")


class ReadOnlyDict(dict[str, Any]):
    """A dictionary that cannot change. JSON libraries accept such a dictionary, unlike a mapping proxy. `copy.deepcopy`
    returns an ordinary dictionary.
    """

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _reject

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class ReadOnlyList(list[Any]):
    """A list that cannot change. `copy.deepcopy` returns an ordinary list."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _reject
    append = clear = extend = insert = pop = remove = reverse = sort = _reject

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


def frozen(value: Any) -> Any:
    """Returns a JSON value in which no dictionary and no list can change."""
    if isinstance(value, dict):
        return ReadOnlyDict({name: frozen(prop) for name, prop in value.items()})
    return ReadOnlyList(map(frozen, value)) if isinstance(value, list) else value
