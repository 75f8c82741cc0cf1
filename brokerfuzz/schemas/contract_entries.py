"""Reads the entries of `ambiguities.json` and `semantics.json`, and says what is wrong with an entry."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from jsonschema_rs import Validator, validator_for

from brokerfuzz.errors import ContractError
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions import QUESTION_KINDS, REJECTED, Question
from brokerfuzz.schemas.questions.question import Types
from brokerfuzz.schemas.rule import Rule, sources_of
from brokerfuzz.schemas.sites import Site
from brokerfuzz.shapes import problem_in

NOT_IN_FUTURE = "not-in-future"
"""The only keyword that `semantics.json` can contain."""


@dataclass(frozen=True)
class Ambiguity:
    """A question that the contract leaves open. A message touches the ambiguity if the question concerns this message.

    - `interpretations`: the possible answers. `rejected` means that the message is invalid. Some other answers decide
      which value counts: for example, the `first` or the `last` of two properties with the same name. For a clock
      tolerance, the answers are numbers of seconds. `interpretations` is empty if no policy can answer the question.
    - `plain`: the usual values, to which the question does not apply.
    - `source`: the part of the contract that is unclear.
    - `kind`: the kind of question. None: brokerfuzz does not search messages for the ambiguity.
    - `sites`: the sites of the ambiguity, for each message type. None means all sites.

    >>> from brokerfuzz import load_contract
    >>> load_contract().ambiguity("duplicate-properties").interpretations
    ('first', 'last', 'both', 'rejected')
    """

    id: str
    question: str
    plain: str
    source: str
    kind: type[Question] | None
    interpretations: tuple[str, ...] = ("accepted", REJECTED)
    sites: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def choices(self) -> str:
        """The interpretations that a policy can contain, as text."""
        return (self.kind or Question).choices(self.interpretations)

    def has(self, interpretation: str) -> bool:
        """Returns whether a policy can contain this interpretation."""
        return (self.kind or Question).has(interpretation, self.interpretations)

    def concerns(self, message_type: str) -> bool:
        """Returns whether the verdict on a message of this type can depend on the ambiguity."""
        return self.kind is not None and (self.sites is None or message_type in self.sites)

    def question_at(self, where: Any, schema: Schema | None = None) -> Question:
        """Returns the question at an entry of `sites`, or at another site with this schema."""
        assert self.kind is not None
        _, *names = [where] if isinstance(where, str) else where
        return self.kind(names, self.options, schema)

    def reads_at(self, where: Any) -> Types:
        return self.question_at(where).reads if self.kind else {}

    @property
    def relates_values(self) -> bool:
        """Returns whether the question is about several values together."""
        return any(map(self.reads_at, chain.from_iterable((self.sites or {}).values())))

    def read_at(self, where: Any) -> list[str]:
        """Returns the site of an entry of `sites`, and the sites of the properties that the question relates there."""
        site = path_of(where)
        return [site, *(path_to(steps, site) for steps in self.reads_at(where) if steps and steps[-1] != 0)]

    @property
    def read_sites(self) -> Iterator[tuple[str, str]]:
        """Yields each site of the ambiguity, and each site that its question reads, with its message type."""
        for message_type, entries in (self.sites or {}).items():
            yield from ((message_type, site) for where in entries for site in self.read_at(where))

    def at_sites_of(self, sites: Mapping[str, Mapping[str, Site]]) -> "Ambiguity":
        """Returns the ambiguity without the sites that a changed contract lacks, or whose schemas answer the question.
        `sites` maps each message type to its sites.
        """
        if self.sites is None:
            return self
        remaining = {of: [*self._left(entries, sites[of])] for of, entries in self.sites.items() if of in sites}
        return replace(self, sites={of: entries for of, entries in remaining.items() if entries or not self.sites[of]})

    def _left(self, entries: Any, sites: Mapping[str, Site]) -> Iterator[Any]:
        for where in entries:
            site, *read = self.read_at(where)
            is_about_notation = self.kind is not None and self.kind.plain is not None
            if site not in sites or (is_about_notation and _ANSWERS & sites[site].schema.keys()):
                continue
            if all(path in sites for path in read):
                yield where
            elif self.kind is not None and self.kind.makes_sense_without_names:
                yield (site,)


def path_of(where: Any) -> str:
    """Returns the path of an entry of `sites`, which can be followed by names of properties."""
    return where if isinstance(where, str) else str(where[0])


_ANSWERS = {"format", "pattern", "enum"}
"""The keywords that define the notation of a string, so that it is no longer ambiguous."""


def _entry_of(name: str, kind: type[Question]) -> dict[str, Any]:
    """Returns a schema for the properties that an entry of this kind must have."""
    properties = {"interpretations": kind.interpretations_schema, **kind.options_schema}
    if kind.numbers_of_names is not None:
        properties["sites"] = _sites_with(kind.numbers_of_names)
    return {
        "if": {"properties": {"kind": {"const": name}}},
        "then": {"required": [*properties], "properties": properties},
    }


def _sites_with(counts: Collection[int]) -> dict[str, Any]:
    """Returns a schema for sites with so many names of properties. A site without names can be a string."""
    lists = {"type": "array", "items": {"type": "string"}, "minItems": 1 + min(counts), "maxItems": 1 + max(counts)}
    return {"additionalProperties": {"items": {**lists, "type": ["array", "string"] if 0 in counts else "array"}}}


_TEXT = {"type": "string", "minLength": 1}
_SITE = {"type": ["string", "array"], "minItems": 1, "items": {"type": "string"}}
_SITES = {"type": "object", "additionalProperties": {"type": "array", "items": _SITE}}
_REQUIRED = ("id", "question", "plain", "source", "kind", "interpretations")
_AMBIGUITY = validator_for(
    {
        "required": _REQUIRED,
        "properties": {
            **dict.fromkeys(("id", "question", "plain", "source"), _TEXT),
            "kind": {"enum": [None, *sorted(QUESTION_KINDS)]},
            "interpretations": {"type": ["array", "object"], "items": {"type": "string"}, "uniqueItems": True},
            "sites": _SITES,
        },
        "allOf": [_entry_of(name, kind) for name, kind in QUESTION_KINDS.items()],
    }
)
"""The shape of an entry of `ambiguities.json`."""
_SEMANTIC_RULES = validator_for(
    {
        "required": ["id", "keyword", "sites", "demand"],
        "properties": {
            **dict.fromkeys(("id", "demand", "source"), _TEXT),
            "keyword": {"enum": [NOT_IN_FUTURE]},
            "sites": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        },
    }
)
"""The shape of an entry of `semantics.json`."""


def _check(entry: Mapping[str, Any], expected: Validator, file: str) -> None:
    """Raises `ContractError` if an entry of a table has another shape than the expected one."""
    if problem := problem_in(entry, expected):
        raise ContractError(
            f"{file} contains {entry['id']!r}, which is wrong ({problem}): compare it with the built-in file"
        )


def ambiguity_of(entry: Mapping[str, Any]) -> Ambiguity:
    """Converts an entry of `ambiguities.json`. Raises `ContractError` if the entry is wrong."""
    _check(entry, _AMBIGUITY, "ambiguities.json")
    interpretation_entry = entry["interpretations"]
    interpretations = tuple(
        map(str, interpretation_entry["seconds"] if isinstance(interpretation_entry, dict) else interpretation_entry)
    )
    options = {key: value for key, value in entry.items() if key not in (*_REQUIRED, "sites")}
    about = entry["id"], entry["question"], entry["plain"], entry["source"], QUESTION_KINDS.get(str(entry["kind"]))
    return Ambiguity(*about, interpretations, entry.get("sites"), options)


def semantic_rules_of(entry: Mapping[str, Any]) -> list[Rule]:
    """Converts an entry of `semantics.json`: one rule for each site. Raises `ContractError` if the entry is wrong."""
    _check(entry, _SEMANTIC_RULES, "semantics.json")
    keyword, sources = entry["keyword"], sources_of(entry.get("source", ""), entry["keyword"])
    return [
        Rule(message_type, site, keyword, True, entry["demand"], None, *sources)
        for message_type, sites in entry["sites"].items()
        for site in sites
    ]
