"""Lists all rules, ambiguities, techniques or seeded bugs, as JSON and as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, Contract, Rule
from brokerfuzz.service.bugs import BUGS

Row = dict[str, Any]
NOT_STATED = "a changed contract"
"""If a rule has no `source`, brokerfuzz prints this text as its source. The original contract does not contain such a
rule.
"""


def rule_rows(contract: Contract, message_types: Sequence[str] = MESSAGE_TYPES) -> list[Row]:
    return [_rule_row(rule) for message_type in message_types for rule in contract.rules[message_type]]


def _rule_row(rule: Rule) -> Row:
    return {
        "id": rule.id,
        "message": rule.message_type,
        "site": rule.site,
        "keyword": rule.keyword,
        "value": rule.value,
        "demand": rule.demand,
        "source": rule.source,
        "validation_rule": rule.validation_rule,
        "condition": rule.condition.label if rule.condition else None,
    }


def ambiguity_rows(contract: Contract, message_types: Sequence[str] = MESSAGE_TYPES) -> list[Row]:
    """Returns the ambiguities of these message types, and the ambiguities that do not concern the contents of
    messages.
    """
    return [
        _ambiguity_row(entry)
        for entry in contract.ambiguities
        if entry.detector is None or any(map(entry.concerns, message_types))
    ]


def _ambiguity_row(ambiguity: Ambiguity) -> Row:
    concerned = [message_type for message_type in MESSAGE_TYPES if ambiguity.concerns(message_type)]
    return {
        "id": ambiguity.id,
        "question": ambiguity.question,
        "interpretations": list(ambiguity.interpretations),
        "plain": ambiguity.plain,
        "source": ambiguity.source,
        "messages": concerned,
    }


def technique_rows() -> list[Row]:
    return [
        {"name": t.name, "text": t.text, "keywords": sorted(t.keywords), "family": t.family}
        for t in TECHNIQUES.values()
    ]


def bug_rows() -> list[Row]:
    return [{"name": bug.name, "kind": bug.kind, "text": bug.text, "rule": bug.rule} for bug in BUGS.values()]


# ----------------------------------------------------------------------------------------------- for the terminal


def rule_lines(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        yield row["id"]
        yield f"    {row['demand']} ({row['source'] or NOT_STATED})"


def ambiguity_lines(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        yield row["id"]
        yield f"    {row['question']}"
        yield f"    Unambiguous: {row['plain']} ({row['source']})"


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    cells = [
        [", ".join(row[column]) if isinstance(row[column], list) else str(row[column]) for column in columns]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[:-1]]
    for row in cells:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
