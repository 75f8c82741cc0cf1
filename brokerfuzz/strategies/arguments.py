"""Checks the arguments that users give to the strategies. Each error names the argument, its value, and a remedy."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, Label, MessageType, Rule, check

Fields = Mapping[str, SearchStrategy[Any]]
"""Maps sites (positions in a message type) to the strategies that generate their values."""


def reject(name: str, value: object, remedy: str) -> NoReturn:
    """Raises `InvalidArgument` with the name of the argument, its wrong value, and the remedy."""
    raise InvalidArgument(f"{name}={value!r}: {remedy}")


def size_bounds(what: str, low: int, high: int | None, *, least: int = 0) -> None:
    """Raises `InvalidArgument` if a size bound is not an integer, is too small, or contradicts the other bound."""
    for name, value in ((f"min_{what}", low), (f"max_{what}", high)):
        if value is None and name.startswith("max_"):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            reject(name, value, f"use a whole number of at least {least}")
    if high is not None and low > high:
        reject(f"min_{what}", low, f"this is greater than max_{what}={high!r}; lower min_{what} or raise max_{what}")


def tuple_of(name: str, values: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """Converts an argument with several values to a tuple. Raises `InvalidArgument` if there are no values."""
    return None if values is None else _several(name, values)


def all_known(name: str, values: Iterable[Any] | None, known: Collection[Any]) -> None:
    """Raises `InvalidArgument` if a value is not in `known`."""
    for value in values or ():
        if value not in known:
            reject(name, value, f"use values from {', '.join(map(repr, known))}")


def _several(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        reject(name, values, "use a list or tuple, also for a single value")
    chosen = tuple(values)
    if not chosen:
        reject(name, values, "the list is empty; add at least one value, or omit the argument to allow all values")
    return chosen


def pinned_sites(fields: Fields | None, contract: Contract, message_type: MessageType) -> frozenset[str]:
    """Returns the sites that the user pinned: the sites for whose values the user gave strategies in `fields`.

    Raises `InvalidArgument` if a site is unknown, if its value is not a strategy, or if the site is inside another pinned site.
    """
    if fields is None:
        return frozenset()
    if not isinstance(fields, Mapping):
        reject("fields", fields, "use a mapping from property names or sites to strategies")
    known = contract.sites[message_type]
    for path, strategy in fields.items():
        if not path or path not in known:
            error = UnknownNameError(f"property of {message_type}", str(path), known, "`brokerfuzz rules` shows every site")
            reject("fields", path, str(error))
        if not isinstance(strategy, SearchStrategy):
            reject(f"fields[{path!r}]", strategy, "use a strategy; for a single value, st.just(value)")
        if outer := next((other for other in fields if path.startswith((f"{other}.", f"{other}["))), None):
            reject("fields", path, f"this site is inside {outer!r}, which is also pinned; pin only one of them")
    return frozenset(fields)


def judged(message: Any, fields: Iterable[str], contract: Contract, message_type: MessageType) -> Any:
    """Raises `InvalidArgument` if a message breaks a rule because of the values that the user pinned; returns the message otherwise."""
    try:
        verdict = check(message_type, message, contract=contract)
    except TypeError as problem:
        raise InvalidArgument(f"fields={sorted(fields)}: {problem}") from problem
    if verdict.label == "invalid":
        raise InvalidArgument(
            f"fields={sorted(fields)}: a pinned value breaks the contract ({verdict.broken[0]}); "
            "pin values that the contract allows, or use a strategy for invalid messages"
        )
    return message


def known_type(message_type: Any) -> MessageType:
    """Raises `InvalidArgument` if the value is not the name of a message type."""
    if message_type not in MESSAGE_TYPES:
        error = UnknownNameError("message type", str(message_type), MESSAGE_TYPES, f"use one of {', '.join(MESSAGE_TYPES)}")
        reject("message_type", message_type, str(error))
    return message_type  # type: ignore[no-any-return]


def labels(verdicts: Iterable[Label] | None, known: tuple[Label, ...]) -> tuple[Label, ...]:
    chosen = tuple_of("verdicts", verdicts)
    all_known("verdicts", chosen, known)
    return known if chosen is None else tuple(label for label in known if label in chosen)


def chosen_rules(rules: Iterable[str] | None, contract: Contract, message_type: MessageType) -> tuple[Rule, ...] | None:
    """Returns the rules whose IDs match a pattern. In a pattern, `*` matches any characters."""
    if rules is None:
        return None
    found: dict[str, Rule] = {}
    for wanted in _several("rules", rules):
        pattern = re.compile(".*".join(map(re.escape, str(wanted).split("*"))))
        matching = [rule for rule in contract.rules[message_type] if pattern.fullmatch(rule.id)]
        if not matching:
            known = [rule.id for rule in contract.rules[message_type]]
            reject("rules", wanted, str(UnknownNameError("rule", str(wanted), known, "`brokerfuzz rules` lists all rules")))
        found |= {rule.id: rule for rule in matching}
    return tuple(found.values())


def chosen_techniques(techniques: Iterable[str] | None) -> frozenset[str] | None:
    if techniques is None:
        return None
    chosen = _several("techniques", techniques)
    for name in chosen:
        if name not in TECHNIQUES:
            reject(
                "techniques", name, str(UnknownNameError("technique", str(name), TECHNIQUES, "`brokerfuzz rules --techniques` lists all techniques"))
            )
    return frozenset(chosen)
