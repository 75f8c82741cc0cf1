"""Explains a single rule, technique, ambiguity or seeded bug, or finds all those whose names contain a text."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.message_diff import difference
from brokerfuzz.cases.records import encode
from brokerfuzz.cases.techniques import TECHNIQUES, Technique, techniques_for
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.explaining import examples
from brokerfuzz.explaining.contract_wording import at_site, rule_sentence, title
from brokerfuzz.schemas import MESSAGE_TYPES, Ambiguity, Contract, Rule, load_contract
from brokerfuzz.schemas.headers import OF_HEADERS
from brokerfuzz.schemas.judged_interpretations import AMBIGUITY_RULE
from brokerfuzz.service.bugs import BUGS, Bug
from brokerfuzz.wording import listed, with_article

MOST_NAMED = 20
"""The maximum number of techniques in the text about a rule. The JSON output lists all techniques."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of a name: sentences, the section of the contract, and an example with its twin (the valid
    counterpart).

    `names` contains related names:

    - For a rule, `names` contains the techniques that break the rule.
    - For a technique, `names` contains the keywords of the rules that the technique breaks.
    - For an ambiguity, `names` contains the message types to which the ambiguity applies.
    - For a bug, `names` contains the rule that the bug affects.
    """

    kind: Literal["rule", "technique", "ambiguity", "bug"]
    id: str
    sentences: tuple[str, ...]
    source: str | None
    names: tuple[str, ...]
    example: Case | None

    def data(self) -> dict[str, Any]:
        """Returns the explanation as JSON. The example and its twin have the same format as in a corpus."""
        called = {"rule": "techniques", "technique": "keywords", "ambiguity": "messages", "bug": "rules"}[self.kind]
        said = {
            "kind": self.kind,
            "id": self.id,
            "text": " ".join(self.sentences),
            "source": self.source,
            called: list(self.names),
        }
        pair = {"example": self.example, "twin": self.example.twin if self.example else None}
        return {**said, **{name: json.loads(encode(case)) if case else None for name, case in pair.items()}}

    def lines(self) -> Iterator[str]:
        yield f"{self.id} ({self.kind})"
        yield ""
        yield from self.sentences
        if self.source:
            yield f"Source in the contract: {self.source}."
        if self.example is not None:
            yield ""
            yield (
                "Example: - marks lines of the twin (the valid counterpart), + marks lines of the "
                f"{self._example_words(self.example)}."
            )
            if self.example.twin is not None:
                yield from difference(self.example.twin.body, self.example.body)

    def _example_words(self, case: Case) -> str:
        by = f" (technique {case.faults[0].technique})" if case.faults and self.kind == "rule" else ""
        of = f", which breaks {case.faults[0].rule}" if case.faults and self.kind == "technique" else ""
        return f"{case.label} {title(case.message_type)}{by}{of}"


def explain(name: str, *, contract: Contract | None = None, now: datetime | None = None) -> Explanation:
    """Explains a rule, a technique, an ambiguity, a group of ambiguities such as `timestamp-format`, or a seeded bug.
    Raises `UnknownNameError` if the name is unknown.

    `now` is the time for which the example is generated (default: the current time).
    """
    contract, instant = contract or load_contract(), clock(now)
    ambiguity = next((entry for entry in contract.ambiguities if entry.id == name.removeprefix(AMBIGUITY_RULE)), None)
    if name in contract.rules_by_id:
        return _of_rule(contract, contract.rules_by_id[name], instant)
    if name in TECHNIQUES:
        return _of_technique(contract, TECHNIQUES[name], instant)
    if ambiguity is not None:
        return _of_ambiguity(contract, ambiguity, instant)
    if group := contract.group(name):
        return _of_group(contract, name, group, instant)
    if name in BUGS:
        return _of_bug(BUGS[name])
    remedy = (
        "`brokerfuzz rules` lists rules and ambiguities, `brokerfuzz rules --techniques` lists techniques, "
        "`brokerfuzz serve --list-bugs` lists bugs"
    )
    raise UnknownNameError("name", name, [one.name for one in every_name(contract)], remedy)


class NamedThing(NamedTuple):
    """A rule, a technique, an ambiguity or a seeded bug: its name, its kind, and a short description."""

    name: str
    kind: str
    text: str


def every_name(contract: Contract) -> Iterator[NamedThing]:
    yield from (NamedThing(rule.id, "rule", rule.demand) for rule in contract.rules_by_id.values())
    yield from (NamedThing(technique.name, "technique", technique.text) for technique in TECHNIQUES.values())
    yield from (NamedThing(ambiguity.id, "ambiguity", ambiguity.question) for ambiguity in contract.ambiguities)
    yield from (NamedThing(bug.name, "bug", bug.text) for bug in BUGS.values())


def names_with(part: str, contract: Contract) -> list[NamedThing]:
    """Returns the rules, techniques, ambiguities and bugs whose names contain `part`, in upper or lower case. If `part`
    begins with a message type and a slash, this beginning is ignored.
    """
    message_type, _, rest = part.partition("/")
    wanted = (rest if message_type in MESSAGE_TYPES else part).casefold()
    return [one for one in every_name(contract) if wanted and wanted in one.name.casefold()]


def _of_rule(contract: Contract, rule: Rule, now: datetime) -> Explanation:
    ways = tuple(technique.name for technique in techniques_for(rule))
    contract.check_described(rule.message_type)
    site = contract.sites[rule.message_type][rule.site]
    description = f"{rule.site}: {site.schema['description']}" if rule.site and "description" in site.schema else None
    named = (*ways[:MOST_NAMED], f"{len(ways) - MOST_NAMED} others") if len(ways) > MOST_NAMED + 1 else ways
    broken = f"Techniques that break this rule: {listed(named)}." if ways else "No technique breaks this rule."
    sentences = (rule_sentence(rule), *([description] if description else []), broken)
    return Explanation("rule", rule.id, sentences, rule.source, ways, examples.of_rule(contract, rule, now))


def _of_technique(contract: Contract, technique: Technique, now: datetime) -> Explanation:
    example = examples.of_technique(contract, technique, now)
    keywords = tuple(sorted(technique.keywords))
    sentences = [
        technique.text,
        f"This technique breaks rules whose ID contains {listed((f':{word}' for word in keywords), 'or')}.",
    ]
    if example is None:
        sentences.append("This technique cannot break any rule of this contract.")
    return Explanation("technique", technique.name, tuple(sentences), None, keywords, example)


def _of_ambiguity(contract: Contract, ambiguity: Ambiguity, now: datetime) -> Explanation:
    example = examples.of_ambiguity(contract, ambiguity, now)
    concerned = tuple(message_type for message_type in contract.flat if ambiguity.concerns(message_type))
    sentences = [
        f"The contract leaves open: {ambiguity.question}",
        f"Unambiguous: {ambiguity.plain}.",
        *_places(ambiguity, concerned),
    ]
    if ambiguity.detector is None:
        sentences.append(
            "There is no example, because the contract alone does not say which messages touch this ambiguity."
        )
    else:
        sentences.append(
            f"To settle this question, use --policy {ambiguity.id}=INTERPRETATION. The interpretation can be "
            f"{ambiguity.choices}."
        )
    return Explanation("ambiguity", ambiguity.id, tuple(sentences), ambiguity.source, concerned, example)


def _of_group(contract: Contract, name: str, group: Sequence[Ambiguity], now: datetime) -> Explanation:
    first = _of_ambiguity(contract, group[0], now)
    each = (f"{ambiguity.id}: {ambiguity.question}" for ambiguity in group)
    settle = f"To settle all of them, use --policy {name}=INTERPRETATION. The interpretation can be {group[0].choices}."
    return replace(first, id=name, sentences=(f"The contract leaves open {len(group)} questions:", *each, settle))


def _of_bug(bug: "Bug") -> Explanation:
    sentences = [
        bug.text,
        f"Kind of the bug: {bug.kind}.",
        *([f"The bug affects the rule {bug.rule}."] if bug.rule else []),
    ]
    sentences.append(f"`brokerfuzz fire --demo --bug {bug.name}` tests the reference service with this bug.")
    return Explanation("bug", bug.name, tuple(sentences), None, (bug.rule,) if bug.rule else (), None)


def _places(ambiguity: Ambiguity, concerned: tuple[str, ...]) -> Iterator[str]:
    if ambiguity.detector in OF_HEADERS:
        yield "There is no example, because this ambiguity is about the headers of a request."
        return
    for message_type in concerned if ambiguity.sites else ():
        places = [
            at_site(where if isinstance(where, str) else where[0]) for where in (ambiguity.sites or {})[message_type]
        ]
        yield f"Places in {with_article(title(message_type))}: {', '.join(dict.fromkeys(places))}."
