"""Reads the entries of `ambiguities.json` and `semantics.json`, and says what is wrong with an entry."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from jsonschema_rs import Validator, validator_for

from brokerfuzz.errors import ContractError
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions import QUESTION_KINDS, REJECTED, Question, Unsearched
from brokerfuzz.schemas.questions.question import Types
from brokerfuzz.schemas.rule import Rule, sources_of
from brokerfuzz.schemas.sites import Site
from brokerfuzz.shapes import problem_in

NOT_IN_FUTURE = "not-in-future"
"""The only keyword that `semantics.json` can contain."""


class AskedSite(NamedTuple):
    """A site at which a question is asked. `names` are the properties that it relates there, or for reference data the
    known values.
    """

    path: str
    names: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Ambiguity:
    """A question that the contract leaves open. A message touches the ambiguity if the question concerns this message.

    - `interpretations`: the possible answers. `rejected` means that the message is invalid. Some other answers decide
      which value counts: for example, the `first` or the `last` of two properties with the same name. For a clock
      tolerance, the answers are numbers of seconds. `interpretations` is empty if no policy can answer the question.
    - `plain`: the usual values, to which the question does not apply.
    - `source`: the part of the contract that is unclear.
    - `kind`: the kind of question. `Unsearched`: brokerfuzz does not search messages for the ambiguity.
    - `sites`: the sites of the ambiguity, for each message type. None means all sites.

    >>> from brokerfuzz import load_contract
    >>> load_contract().ambiguity("duplicate-properties").interpretations
    ('first', 'last', 'both', 'rejected')
    """

    id: str
    question: str
    plain: str
    source: str
    kind: type[Question]
    interpretations: tuple[str, ...] = ("accepted", REJECTED)
    sites: Mapping[str, Sequence[AskedSite]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def choices(self) -> str:
        """The interpretations that a policy can contain, as text."""
        return self.kind.choices(self.interpretations)

    def has(self, interpretation: str) -> bool:
        """Returns whether a policy can contain this interpretation."""
        return self.kind.has(interpretation, self.interpretations)

    def concerns(self, message_type: str) -> bool:
        """Returns whether the verdict on a message of this type can depend on the ambiguity."""
        return self.kind is not Unsearched and (self.sites is None or message_type in self.sites)

    def sites_in(self, message_type: str) -> Sequence[AskedSite]:
        """Returns the sites of a message type at which the question is asked. Without sites, it concerns them all."""
        return (self.sites or {}).get(message_type, ())

    def question_at(self, asked: AskedSite, schema: Schema | None = None) -> Question:
        """Returns the question at one of the sites, or at another site with this schema."""
        return self.kind(asked.names, self.options, schema)

    def reads_at(self, asked: AskedSite) -> Types:
        return self.question_at(asked).reads

    @property
    def relates_values(self) -> bool:
        """Returns whether the question is about several values together."""
        return any(map(self.reads_at, chain.from_iterable((self.sites or {}).values())))

    def paths_read_at(self, asked: AskedSite) -> list[str]:
        """Returns the path of a site, and those of the properties that the question relates there."""
        steps_read = [steps for steps in self.reads_at(asked) if steps and steps[-1] != 0]
        return [asked.path, *(path_to(steps, asked.path) for steps in steps_read)]

    @property
    def read_sites(self) -> Iterator[tuple[str, str]]:
        """Yields each site of the ambiguity, and each site that its question reads, with its message type."""
        for message_type, asked_sites in (self.sites or {}).items():
            for asked in asked_sites:
                yield from ((message_type, path) for path in self.paths_read_at(asked))

    def at_sites_of(self, sites: Mapping[str, Mapping[str, Site]]) -> "Ambiguity":
        """Returns the ambiguity without the sites that a changed contract lacks, or whose schemas answer the question.
        `sites` maps each message type to its sites.
        """
        if self.sites is None:
            return self
        remaining = {of: [*self._left(entries, sites[of])] for of, entries in self.sites.items() if of in sites}
        return replace(self, sites={of: entries for of, entries in remaining.items() if entries or not self.sites[of]})

    def _left(self, asked_sites: Sequence[AskedSite], sites: Mapping[str, Site]) -> Iterator[AskedSite]:
        for asked in asked_sites:
            path, *read = self.paths_read_at(asked)
            if path not in sites or (self.kind.plain is not None and _ANSWERS & sites[path].schema.keys()):
                continue
            if all(path in sites for path in read):
                yield asked
            elif self.kind.makes_sense_without_names:
                yield AskedSite(path)


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


def _check_shape(entry: Mapping[str, Any], expected: Validator, file: str) -> None:
    """Raises `ContractError` if an entry of a table has another shape than the expected one."""
    if problem := problem_in(entry, expected):
        raise ContractError(
            f"{file} contains {entry['id']!r}, which is wrong ({problem}): compare it with the built-in file"
        )


def ambiguity_of(entry: Mapping[str, Any]) -> Ambiguity:
    """Converts an entry of `ambiguities.json`. Raises `ContractError` if the entry is wrong."""
    _check_shape(entry, _AMBIGUITY, "ambiguities.json")
    interpretations = entry["interpretations"]
    if isinstance(interpretations, dict):
        interpretations = interpretations["seconds"]
    sites = entry.get("sites")
    return Ambiguity(
        id=entry["id"],
        question=entry["question"],
        plain=entry["plain"],
        source=entry["source"],
        kind=QUESTION_KINDS.get(entry["kind"], Unsearched),
        interpretations=tuple(map(str, interpretations)),
        sites=sites and {of: tuple(map(_asked_site, places)) for of, places in sites.items()},
        options={key: value for key, value in entry.items() if key not in (*_REQUIRED, "sites")},
    )


def _asked_site(place: str | Sequence[str]) -> AskedSite:
    """Converts a place in `sites`: a path, or a list of a path and names."""
    path, *names = [place] if isinstance(place, str) else place
    return AskedSite(path, tuple(names))


def semantic_rules_of(entry: Mapping[str, Any]) -> list[Rule]:
    """Converts an entry of `semantics.json`: one rule for each site. Raises `ContractError` if the entry is wrong."""
    _check_shape(entry, _SEMANTIC_RULES, "semantics.json")
    keyword, sources = entry["keyword"], sources_of(entry.get("source", ""), entry["keyword"])
    return [
        Rule(message_type, site, keyword, True, entry["demand"], None, *sources)
        for message_type, sites in entry["sites"].items()
        for site in sites
    ]
