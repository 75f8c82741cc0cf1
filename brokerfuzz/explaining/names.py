"""Lists and explains rules, techniques, ambiguities and seeded bugs, or finds those whose names contain a text."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from brokerfuzz.cases.case import Case, supported_time
from brokerfuzz.cases.message_diff import difference
from brokerfuzz.cases.techniques import TECHNIQUES, Technique, techniques_for
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.explaining import examples
from brokerfuzz.explaining.cases import case_as_json
from brokerfuzz.explaining.description import NOT_STATED, Description
from brokerfuzz.schemas import Ambiguity, Condition, Contract, Rule
from brokerfuzz.schemas.judged_interpretations import AMBIGUITY_RULE
from brokerfuzz.schemas.questions import Unsearched
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.schemas.verdicts import describe, must
from brokerfuzz.service.bugs import BUGS, Bug
from brokerfuzz.wording import listed, plural, printable, table, with_article

_MOST_NAMED = 20
"""The maximum number of techniques in the text about a rule. The JSON output lists all techniques."""


class Named(NamedTuple):
    """A rule, a technique, an ambiguity or a seeded bug: its name, its kind, a short description, and JSON."""

    name: str
    kind: str
    text: str
    data: dict[str, Any]


def every_name(contract: Contract, message_types: Sequence[str] | None = None) -> Iterator[Named]:
    """Yields all rules, techniques, ambiguities and bugs. With `message_types`, yields only the rules and ambiguities
    of these types, and the ambiguities that do not concern the contents of messages.
    """
    types = contract.message_types if message_types is None else message_types
    for rule in (rule for message_type in types for rule in contract.rules[message_type]):
        data = {
            "id": rule.id,
            "message": rule.message_type,
            **_attributes(rule, "site", "keyword", "value", "demand", "source", "validation_rule"),
            "condition": rule.condition.label if rule.condition else None,
        }
        yield Named(rule.id, "rule", f"{rule.demand} ({rule.source or NOT_STATED})", data)
    for technique in TECHNIQUES.values():
        keywords = sorted(technique.keywords)
        data = {**_attributes(technique, "name", "text"), "keywords": keywords, "family": technique.family}
        yield Named(technique.name, "technique", f"{technique.text} (breaks {', '.join(keywords)})", data)
    for ambiguity in contract.ambiguities:
        if message_types is None or ambiguity.kind is Unsearched or any(map(ambiguity.concerns, types)):
            data = {
                **_attributes(ambiguity, "id", "question", "plain", "source"),
                "interpretations": list(ambiguity.interpretations),
                "messages": [*filter(ambiguity.concerns, contract.message_types)],
            }
            text = f"{ambiguity.question} Unambiguous: {ambiguity.plain} ({ambiguity.source})"
            yield Named(ambiguity.id, "ambiguity", text, data)
    for bug in BUGS.values():
        yield Named(bug.name, "bug", bug.text, _attributes(bug, "name", "kind", "text", "rule"))


def _attributes(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def listing(contract: Contract, *kinds: str, message_types: Sequence[str] | None = None) -> Description:
    entries = [entry for entry in every_name(contract, message_types) if entry.kind in kinds]
    text = [line for entry in entries for line in (entry.name, f"    {entry.text}")]
    return Description(text, {plural(kind): [entry.data for entry in entries if entry.kind == kind] for kind in kinds})


def names_with(part: str, contract: Contract) -> list[Named]:
    """Returns the rules, techniques, ambiguities and bugs whose names contain `part`, in upper or lower case. If `part`
    begins with a message type and a slash, this beginning is ignored.
    """
    message_type, _, rest = part.partition("/")
    wanted = (rest if message_type in contract.message_types else part).casefold()
    return [entry for entry in every_name(contract) if wanted and wanted in entry.name.casefold()]


def matches(part: str, entries: Sequence[Named]) -> Description:
    """Lists the names that contain `part`."""
    rows = [entry[:3] for entry in entries]
    text = [f"These names contain {printable(part)!r}:", "", *table(rows)]
    return Description(text, {"matches": [_attributes(entry, "name", "kind", "text") for entry in entries]})


def explain(name: str, contract: Contract, now: datetime | None) -> Description:
    """Explains a rule, a technique, an ambiguity, a group of ambiguities such as `timestamp-format`, or a seeded bug,
    with an example and its twin (the valid counterpart). `now` is the time for which the example is generated.

    Raises `UnknownNameError` if the name is unknown.
    """
    instant = supported_time(now)
    ambiguity = next((entry for entry in contract.ambiguities if entry.id == name.removeprefix(AMBIGUITY_RULE)), None)
    if name in contract.rules_by_id:
        return _of_rule(contract, contract.rules_by_id[name], instant)
    if name in TECHNIQUES:
        return _of_technique(contract, TECHNIQUES[name], instant)
    if ambiguity is not None:
        return _of_ambiguities(contract, ambiguity.id, [ambiguity], instant)
    if group := contract.group(name):
        return _of_ambiguities(contract, name, group, instant)
    if name in BUGS:
        return _of_bug(BUGS[name])
    remedy = (
        "`brokerfuzz rules` lists rules and ambiguities, `brokerfuzz rules --techniques` lists techniques, "
        "`brokerfuzz serve --list-bugs` lists bugs"
    )
    raise UnknownNameError("name", name, [entry.name for entry in every_name(contract)], remedy)


def _of_rule(contract: Contract, rule: Rule, now: datetime) -> Description:
    ways = [technique.name for technique in techniques_for(rule)]
    contract.check_described(rule.message_type)
    site = contract.sites[rule.message_type][rule.site]
    described = [f"{rule.site}: {site.schema['description']}"] if rule.site and "description" in site.schema else []
    broken = "No technique breaks this rule."
    if ways:
        broken = f"Techniques that break this rule: {listed(ways, most=_MOST_NAMED)}."
    sentences = [_rule_sentence(rule), *described, broken]
    example = examples.of_rule(contract, rule, now)
    by = f" (technique {example.faults[0].technique})" if example else ""
    return _explanation("rule", rule.id, sentences, ("techniques", ways), rule.source, example, by)


def _of_technique(contract: Contract, technique: Technique, now: datetime) -> Description:
    keywords = sorted(technique.keywords)
    example = examples.of_technique(contract, technique, now)
    rules = listed((f":{word}" for word in keywords), "or")
    sentences = [technique.text, f"This technique breaks rules whose ID contains {rules}."]
    sentences += [] if example else ["This technique cannot break any rule of this contract."]
    of = f", which breaks {example.faults[0].rule}" if example else ""
    return _explanation("technique", technique.name, sentences, ("keywords", keywords), None, example, of)


def _of_ambiguities(contract: Contract, name: str, ambiguities: Sequence[Ambiguity], now: datetime) -> Description:
    """Explains an ambiguity, or a group of ambiguities."""
    first, *more = ambiguities
    concerned = [message_type for message_type in contract.flat if first.concerns(message_type)]
    choices = first.choices if first.interpretations else ""
    settle = f"use --policy {name}=INTERPRETATION. The interpretation can be {choices}."
    sentences = [f"The contract leaves open: {first.question}", f"Unambiguous: {first.plain}."]
    sentences += _places(first, concerned)
    if more:
        sentences = [f"The contract leaves open {len(ambiguities)} questions:"]
        sentences += [f"{ambiguity.id}: {ambiguity.question}" for ambiguity in ambiguities]
        sentences.append(f"To settle all of them, {settle}")
    elif first.kind is Unsearched:
        why = "because the contract alone does not say which messages touch this ambiguity"
        sentences.append(f"There is no example, {why}.")
    else:
        sentences.append(f"To settle this question, {settle}")
    example, related = examples.of_ambiguity(contract, first, now), ("messages", concerned)
    return _explanation("ambiguity", name, sentences, related, first.source, example)


def _of_bug(bug: Bug) -> Description:
    sentences = [
        bug.text,
        f"Kind of the bug: {bug.kind}.",
        *([f"The bug affects the rule {bug.rule}."] if bug.rule else []),
        f"`brokerfuzz fire --demo --bug {bug.name}` tests the reference service with this bug.",
    ]
    return _explanation("bug", bug.name, sentences, ("rules", [bug.rule] if bug.rule else []))


def _explanation(
    kind: str,
    name: str,
    sentences: Sequence[str],
    related: tuple[str, list[str]],
    source: str | None = None,
    example: Case | None = None,
    about_example: str = "",
) -> Description:
    """`related` contains names, such as those of the techniques that break a rule, and their name in JSON."""
    text = [f"{name} ({kind})", "", *sentences]
    text += [f"Source in the contract: {source}."] if source else []
    twin = example.twin if example else None
    if example and twin:
        what = f"{example.label} {_title(example.message_type)}{about_example}"
        text += ["", f"Example: - marks lines of the twin (the valid counterpart), + marks lines of the {what}."]
        text += difference(twin.body, example.body)
    data = {"kind": kind, "id": name, "text": " ".join(sentences), "source": source, related[0]: related[1]}
    return Description(text, {**data, "example": case_as_json(example), "twin": case_as_json(twin)})


# ----------------------------------------------------------------------------------------------------------- wording


def _rule_sentence(rule: Rule) -> str:
    if rule.keyword == JSON_RULE:
        return f"The whole message must be {rule.demand}."
    demand = must(rule.keyword, rule.demand)
    message = f"{with_article(_title(rule.message_type))}{_when(rule.condition) if rule.condition else ''}"
    return f"In {message}, {rule.site} {demand}." if rule.site else f"{message[0].upper()}{message[1:]} {demand}."


def _when(condition: Condition) -> str:
    tests = condition.when.get("properties", {})
    values = [
        f"{name} is {listed(map(describe, prop['enum']), 'or')}" for name, prop in tests.items() if "enum" in prop
    ]
    if len(values) != len(tests) or not values:
        return f" under the condition {condition.label}"
    return f" whose {' and whose '.join(values)}" if condition.holds else f" unless its {' and its '.join(values)}"


def _places(ambiguity: Ambiguity, concerned: Sequence[str]) -> Iterator[str]:
    if ambiguity.sites is None:
        return
    for message_type in concerned:
        places = dict.fromkeys(asked.path or "the message itself" for asked in ambiguity.sites_in(message_type))
        yield f"Places in {with_article(_title(message_type))}: {', '.join(places)}."


def _title(message_type: str) -> str:
    return message_type.replace("-", " ")
