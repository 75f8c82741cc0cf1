"""Recommends what helps most if a target rejects valid messages for a reason that the contract leaves open: it knows
only certain values, or no value twice, or it has a limit. If it accepts everything, bodies may report the results.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.causes.acceptances import EVERYTHING
from brokerfuzz.campaign.causes.attributes import Attribute, MessageAttribute
from brokerfuzz.campaign.causes.conditions import HAS_VALUE, LONGER, MORE_BYTES, MORE_ITEMS, MORE_UNITS, PRESENT
from brokerfuzz.campaign.causes.evidence import Evidence
from brokerfuzz.campaign.causes.explanation import Cause, Explanation
from brokerfuzz.campaign.usual_answers import CONFLICT
from brokerfuzz.cases.fresh_values import fresh_properties
from brokerfuzz.json_trees import paths, site_at, subtree, tree_of
from brokerfuzz.pointers import is_within
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.targets import Target
from brokerfuzz.wording import listed

_ID: Final = re.compile(r"[a-z0-9][\w.-]*", re.ASCII | re.IGNORECASE)
_MOST_SITES: Final = 3
_ONCE: Final = re.compile("idempotency|request-?id|nonce", re.IGNORECASE)
"""Names of headers by which servers recognise a request that they have already answered."""
_LIMITS: Final = {
    **dict.fromkeys((LONGER, MORE_UNITS, MORE_BYTES), ("how long a string may be (string-length)", "maxLength")),
    MORE_ITEMS: ("how many items an array may contain (item-count)", "maxItems"),
}


def advice_about(explanations: Sequence[Explanation], evidence: Evidence, target: Target, fresh: str | None) -> str:
    """Returns the advice, or an empty string. `fresh` are the properties that get a new value in each message."""
    if any(explanation.text == EVERYTHING for explanation in explanations):
        return _about_bodies(evidence)
    contract = evidence.contract
    rejections = [explanation for explanation in explanations if explanation.kind == "valid-rejected"]
    constant = [name for name, _ in target.headers if _ONCE.search(name)]
    if constant and any(not explanation.sites for explanation in rejections):
        return f"the header {constant[0]} is the same in all requests: give each its own with the hook before_request"
    for explanation in rejections:
        if explanation.failure.answer.status == CONFLICT:
            return _about_conflicts(explanation, contract, fresh)
    unknown = list(dict.fromkeys(place for rejection in rejections for place in _possibly_unknown(rejection, contract)))
    advices = list(dict.fromkeys(advice for rejection in rejections for advice in _about_limits(rejection, contract)))
    if unknown:
        places = listed(unknown[:_MOST_SITES], "or")
        advices.insert(0, f"if the target knows only certain values of {places}, list them: --values FILE")
    return "; ".join(advices)


def _about_bodies(evidence: Evidence) -> str:
    """Compares the answers to invalid messages with those to valid ones. Texts of both are no evidence."""
    texts: dict[str, set[tuple[str, ...]]] = {"valid": set(), "invalid": set(), "unspecified": set()}
    for trial in evidence.trials:
        texts[trial.verdict.label].add(text_of(trial.answer, trial.case.body).key)
    if not texts["invalid"] or texts["invalid"] & texts["valid"]:
        return ""
    return (
        "the answers to invalid messages differ from those to valid ones: if the body reports the result, use the hook "
        "classify"
    )


def fresh_advice(names: Sequence[str], fresh: str | None) -> str:
    """Recommends new values of these properties in each message, in addition to `fresh`."""
    already = fresh.split(",") if fresh else []
    added = [name for name in names if name not in already]
    return f": use --fresh {','.join([*already, *added])}" if added else ""


def _about_conflicts(explanation: Explanation, contract: Contract, fresh: str | None) -> str:
    """The answer may name the property whose value the target already knows. Otherwise, it is probably the number."""
    answer = explanation.failure.answer
    words = set(re.findall(r"\w+", f"{answer.reason} {answer.body.decode(errors='replace')}"))
    possible = fresh_properties(explanation.failure.case.message_type, contract)
    named = [name for name in possible if name in words] or possible[:1]
    advice = fresh_advice(named, fresh)
    return advice and f"the target may reject values that it already knows (status {CONFLICT}){advice}"


def _about_limits(explanation: Explanation, contract: Contract) -> Iterator[str]:
    """Yields how to settle the open questions about lengths, numbers of items and sizes of messages."""
    sites = contract.sites[explanation.failure.case.message_type]
    for attribute in [attribute for cause in explanation.causes for attribute in cause.attributes]:
        if isinstance(attribute, MessageAttribute) and attribute.limit is not None:
            yield (
                "the contract leaves open how large a message may be (message-size): if the limit of the target is "
                f'right, state it in a contract of your own, with {{"id": "message-size", "limit": {attribute.limit}}} '
                "in ambiguities.json"
            )
        if isinstance(attribute, Attribute) and (limit := _LIMITS.get(attribute.condition.kind)):
            question, keyword = limit
            limited = sites.get(attribute.site or "")
            if limited is None or keyword not in limited.schema:
                yield (
                    f"the contract leaves open {question}: if the limit of the target is right, state it in a contract "
                    f"of your own, with {keyword}"
                )


def _possibly_unknown(explanation: Explanation, contract: Contract) -> Iterator[str]:
    """Yields the sites of strings that look like IDs, if only their values can be the cause."""
    sites = contract.sites[explanation.failure.case.message_type]
    tree = tree_of(explanation.failure.body)
    for cause in explanation.causes:
        for path in paths(tree) if _is_about_any_value(cause) else ():
            place, value = site_at(tree, path), subtree(tree, path)
            is_inside = any(is_within(place, above) for above in cause.sites)
            is_free = place in sites and {"enum", "const", KNOWN}.isdisjoint(sites[place].schema)
            if is_inside and is_free and isinstance(value, str) and _ID.fullmatch(value):
                yield place


def _is_about_any_value(cause: Cause) -> bool:
    first = cause.attributes[0] if cause.attributes else None
    return first is None or (isinstance(first, Attribute) and first.condition.kind in (HAS_VALUE, PRESENT))
