"""Gives each rule a short name that is easy to read: `products.pageCount minimum`.

A short name consists of the end of the rule's site and the keyword of the rule. The end of the site is as short as
possible, but different from the ends of all other sites. If the message type is known, only the sites of this type must
be different. If necessary, the name begins with the message type: `offer-creation-request.surcharge type`. In a site,
`[]` means the items of an array.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import chain, takewhile

from brokerfuzz.errors import UnknownNameError
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.rule import parts_of_id


@cache
def rule_names(contract: Contract, message_type: MessageType | None = None) -> Mapping[str, str]:
    """Maps rule IDs to short names, which are shorter for the rules of a single message type."""
    rules = contract.rules[message_type] if message_type else contract.rules_by_id.values()
    sites = dict.fromkeys((rule.message_type, rule.site) for rule in rules)
    ends = {(message_type, site): _ends(contract, message_type, site) for message_type, site in sites}
    counts = Counter(chain.from_iterable(ends.values()))
    short = {site: next((end for end in ends[site] if counts[end] == 1), "/".join(site)) for site in sites}
    return {
        rule.id: f"{short[rule.message_type, rule.site]} {parts_of_id(rule.id).keyword_with_condition}"
        for rule in rules
    }


@cache
def _ids(contract: Contract, message_type: MessageType | None) -> Mapping[str, str]:
    """Maps short names to rule IDs, also those that are unique only within the message type."""
    names = [rule_names(contract), *([rule_names(contract, message_type)] if message_type else [])]
    return {name: rule_id for named in names for rule_id, name in named.items()}


def rule_named(name: str, contract: Contract, message_type: MessageType | None = None) -> Rule:
    """Returns the rule with this short name or this ID. Raises `UnknownNameError`."""
    ids = _ids(contract, message_type)
    if name in ids or name in contract.rules_by_id:
        return contract.rules_by_id[ids.get(name, name)]
    raise UnknownNameError("rule", name, ids, "`brokerfuzz rules` lists the IDs of all rules")


def _ends(contract: Contract, message_type: MessageType, path: str) -> list[str]:
    """Returns the possible ends of a site, the shortest first: `pageCount`, `products.pageCount`, and so on."""
    site = contract.sites[message_type].get(path)
    if site is None:  # a required property that no schema describes
        return [path, f"{message_type}.{path}"]
    names = [message_type, *(step for step in site.steps if step != 0)]
    last_items = list(takewhile(lambda step: step == 0, reversed(site.steps)))
    return [path_to([*names[start:], *last_items]) for start in reversed(range(len(names)))]
