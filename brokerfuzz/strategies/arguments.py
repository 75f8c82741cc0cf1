"""Checks the arguments of the strategies. Each error contains the name of the argument, its value, and what to do."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, Label, MessageType, Rule, check

Fields = Mapping[str, SearchStrategy[Any]]
"""Maps a site to the strategy that generates its values."""


def reject(name: str, value: object, remedy: str) -> NoReturn:
    """Raises `InvalidArgument` for the value of an argument."""
    raise InvalidArgument(f"{name}={value!r}: {remedy}")


def size_bounds(what: str, low: int, high: int | None, *, least: int = 0) -> None:
    """Raises `InvalidArgument` for size bounds that are not integers, are too small, or contradict each other."""
    for name, value in ((f"min_{what}", low), (f"max_{what}", high)):
        if value is None and name.startswith("max_"):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            reject(name, value, f"use a whole number of at least {least}")
    if high is not None and low > high:
        reject(f"min_{what}", low, f"this is greater than max_{what}={high!r}; lower min_{what} or raise max_{what}")


def tuple_of(name: str, values: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """Returns the values as a tuple with at least one value. Returns None for None."""
    return None if values is None else _several(name, values)


def all_known(name: str, values: Iterable[Any] | None, known: Collection[Any]) -> None:
    """Raises `InvalidArgument` for values that are not in `known`."""
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
    """Returns the pinned sites. Raises `InvalidArgument` for unknown sites, values that are not strategies, and sites inside other
    pinned sites.
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
            reject("fields", path, f"this site is inside {outer!r}, which is pinned, too; pin only one of them")
    return frozenset(fields)


def judged(message: Any, fields: Iterable[str], contract: Contract, message_type: MessageType) -> Any:
    """Returns the message if it breaks no rule. Raises `InvalidArgument` if the pinned values break a rule."""
    try:
        verdict = check(message_type, message, contract=contract)
    except TypeError as problem:
        raise InvalidArgument(f"fields={sorted(fields)}: {problem}") from problem
    if verdict.label == "invalid":
        raise InvalidArgument(
            f"fields={sorted(fields)}: a pinned value breaks the contract ({verdict.broken[0]}); "
            "pin values that the contract allows, or use a strategy of invalid messages"
        )
    return message


def known_type(message_type: Any) -> MessageType:
    """Returns the message type. Raises `InvalidArgument` for any other value."""
    if message_type not in MESSAGE_TYPES:
        error = UnknownNameError("message type", str(message_type), MESSAGE_TYPES, f"use one of {', '.join(MESSAGE_TYPES)}")
        reject("message_type", message_type, str(error))
    return message_type  # type: ignore[no-any-return]


def labels(verdicts: Iterable[Label] | None, known: tuple[Label, ...]) -> tuple[Label, ...]:
    """Returns the selected verdicts, in the usual order."""
    chosen = tuple_of("verdicts", verdicts)
    all_known("verdicts", chosen, known)
    return known if chosen is None else tuple(label for label in known if label in chosen)


def chosen_rules(rules: Iterable[str] | None, contract: Contract, message_type: MessageType) -> tuple[Rule, ...] | None:
    """Returns the rules with these ids; `*` matches any characters. Returns None for None."""
    if rules is None:
        return None
    found: dict[str, Rule] = {}
    for wanted in _several("rules", rules):
        pattern = re.compile(".*".join(map(re.escape, str(wanted).split("*"))))
        matching = [rule for rule in contract.rules[message_type] if pattern.fullmatch(rule.id)]
        if not matching:
            known = [rule.id for rule in contract.rules[message_type]]
            reject("rules", wanted, str(UnknownNameError("rule", str(wanted), known, "`brokerfuzz rules` lists them all")))
        found |= {rule.id: rule for rule in matching}
    return tuple(found.values())


def chosen_techniques(techniques: Iterable[str] | None) -> frozenset[str] | None:
    """Returns the names of the techniques. Returns None for None."""
    if techniques is None:
        return None
    chosen = _several("techniques", techniques)
    for name in chosen:
        if name not in TECHNIQUES:
            reject("techniques", name, str(UnknownNameError("technique", str(name), TECHNIQUES, "`brokerfuzz rules --techniques` lists them all")))
    return frozenset(chosen)
