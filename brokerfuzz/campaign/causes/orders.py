"""The order of the properties of a message. Some programs need one property, such as a type, before others.

smallest         {"offerType": "Email", "number": "A"}                      rejected
in other order   {"number": "A", "offerType": "Email"}                      accepted: the order is the cause
number second    {"comments": "", "number": "A", "offerType": "Email"}      rejected: number must be the first
"""

from collections.abc import Callable, Mapping

from brokerfuzz.campaign.causes.attributes import MessageAttribute, test_of_value
from brokerfuzz.campaign.problem import Problem
from brokerfuzz.campaign.shrinking import inversions
from brokerfuzz.json_trees import JsonObject, Tree, tree_of
from brokerfuzz.schemas import Site


async def proven_orders(problem: Problem, plain: Tree, sites: Mapping[str, Site]) -> list[MessageAttribute]:
    """Returns what is wrong with the order of the properties of the smallest message. The shrinker has sorted them, as
    far as the problem allows it. `plain` is an accepted message.
    """
    message = tree_of(problem.failure.body)
    if not isinstance(message, JsonObject) or not isinstance(plain, JsonObject):
        return []
    orders = []
    for position in inversions(message, sites):
        (other, _), (name, _) = message.pairs[position : position + 2]
        values = {**dict(plain.pairs), **dict(message.pairs)}
        between = {name: values.pop(name), other: values.pop(other)}
        others = list(values.items())
        second = JsonObject((*others[:1], *between.items(), *others[1:]))
        must_be_first = bool(others) and await problem.outcome(second) == "same problem"
        orders.append(_is_not_first(name) if must_be_first else _comes_after(other, name))
    return orders


def _comes_after(other: str, name: str) -> MessageAttribute:
    def comes_after(names: list[str]) -> bool:
        return name in names and other in names and names.index(other) < names.index(name)

    return _order(name, f"comes after {other}", comes_after)


def _is_not_first(name: str) -> MessageAttribute:
    return _order(name, "is not the first property", lambda names: name in names[1:])


def _order(name: str, predicate: str, is_order: Callable[[list[str]], bool]) -> MessageAttribute:
    holds = test_of_value(lambda value: isinstance(value, dict) and is_order(list(value)))
    return MessageAttribute(predicate, f"{name}: it {predicate}", holds, place=name)
