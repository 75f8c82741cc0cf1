"""Completes the findings at the end of a campaign: how to reproduce them, and what the target may not know."""

import re
from collections.abc import Iterable, Iterator

from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import IdentityKey, identity_key
from brokerfuzz.cases.fresh_values import MARK, FreshValues, marked
from brokerfuzz.json_trees import at, paths, pointer, site, tree_of
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.targets.target import Target

_NEW_IN_QUOTES = "-'\"$NEW\"'"
"""In all commands, the message is between single quotes."""
_ID = re.compile(r"[a-z0-9][\w.-]*", re.ASCII | re.IGNORECASE)


def _merged(suspicions: Iterable[Finding]) -> list[Finding]:
    """Combines the contradictions that belong to the same finding, and sets their `identity`. The result is sorted by
    the number of the first case that showed the contradiction.
    """
    found: dict[IdentityKey, Finding] = {}
    for suspicion in sorted(suspicions, key=lambda one: (one.flaky, len(one.reasons), one.index)):
        key = identity_key(suspicion)
        if key in found:
            found[key].merge(suspicion)
        else:
            found[key] = suspicion.copy()
            found[key].identity = key
    return sorted(found.values(), key=lambda one: one.index)


def findings_of(
    suspicions: Iterable[Finding],
    target: Target,
    contract: Contract,
    fresh: FreshValues | None = None,
) -> tuple[Finding, ...]:
    found = _merged(suspicions)
    for finding in found:
        _complete(finding, target, contract, fresh)
    return tuple(found)


def _complete(finding: Finding, target: Target, contract: Contract, fresh: FreshValues | None) -> None:
    if finding.reasons:
        finding.source = source_of(finding.reasons[0].rule, contract) or ""
    if fresh is not None and fresh.changes(finding.case, finding.body):
        finding.fresh = fresh.name
    finding.reproduction = _reproduction(finding, target)
    finding.possibly_unknown = tuple(dict.fromkeys(_possibly_unknown(finding, contract)))


def _possibly_unknown(finding: Finding, contract: Contract) -> Iterator[str]:
    """Yields the sites of strings among the causes that look like IDs."""
    known, tree = contract.sites[finding.message_type], tree_of(finding.body)
    for path in paths(tree):
        place, where, value = pointer(tree, path), site(tree, path), at(tree, path)
        is_cause = any(place == cause or place.startswith(f"{cause}/") for cause in finding.places)
        is_free = where in known and {"enum", "const", KNOWN}.isdisjoint(known[where].schema)
        if is_cause and is_free and isinstance(value, str) and _ID.fullmatch(value):
            yield where


def _reproduction(finding: Finding, target: Target) -> str:
    """Returns a command that sends the smallest message. If a property gets a new value each time, the shell
    variable `NEW` contains a part of this value.
    """
    if finding.fresh is not None and target.runs_in_shell:
        line = _command(finding, target, marked(finding.body, finding.fresh))
        if MARK in line:
            return f"NEW=$(date +%s%N); {line.replace(MARK, _NEW_IN_QUOTES)}"
    return _command(finding, target, finding.body)


def _command(finding: Finding, target: Target, body: bytes) -> str:
    headers = finding.case.headers
    line = target.reproduction(body, headers) if headers else target.reproduction(body)
    if finding.kind == "repeated-crash":
        line = f"{line}; {line}"
    return line
