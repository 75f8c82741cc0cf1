"""Reads the entries of `ambiguities.json` and `semantics.json`, and says what is wrong with an entry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jsonschema_rs import Validator, validator_for

from brokerfuzz.errors import ContractError, quoted
from brokerfuzz.schemas.ambiguity_detectors import (
    COMPARED,
    DETECTORS,
    NEAR_NOW,
    NEEDED,
    OF_PLACES,
    PROPERTIES,
    REJECTED,
)
from brokerfuzz.schemas.headers import OF_HEADERS
from brokerfuzz.schemas.instants import SPELLINGS
from brokerfuzz.schemas.interpretations import MEANINGS
from brokerfuzz.schemas.sites import Rule, Site, join, sources_of
from brokerfuzz.wording import counted, listed

LONGEST_TOLERANCE = 86_400
"""The highest possible clock tolerance, in seconds."""

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
    - `detector`: the name of the function that detects the ambiguity. None: brokerfuzz does not search messages for the
      ambiguity.
    - `sites`: the sites of the ambiguity, for each message type. None means all sites.

    >>> from brokerfuzz import load_contract
    >>> load_contract().ambiguity("duplicate-properties").interpretations
    ('first', 'last', 'both', 'rejected')
    """

    id: str
    question: str
    plain: str
    source: str
    detector: str | None
    interpretations: tuple[str, ...] = ("accepted", REJECTED)
    sites: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def choices(self) -> str:
        """The interpretations that a policy can contain, as text."""
        if self.detector == NEAR_NOW:
            return f"a number of seconds from 0 to {LONGEST_TOLERANCE:,}"
        return listed(self.interpretations, "or")

    def has(self, interpretation: str) -> bool:
        """Returns whether a policy can contain this interpretation."""
        if self.detector == NEAR_NOW:
            return (
                interpretation.isascii()
                and interpretation.isdigit()
                and len(interpretation) < 20
                and int(interpretation) <= LONGEST_TOLERANCE
            )
        return interpretation in self.interpretations

    def concerns(self, message_type: str) -> bool:
        """Returns whether the verdict on a message of this type can depend on the ambiguity."""
        return self.detector is not None and (self.sites is None or message_type in self.sites)

    def read_at(self, where: Any) -> list[str]:
        """Returns the site of an entry of `sites`, and the sites of the properties that the detector reads there."""
        site, *names = [where] if isinstance(where, str) else where
        below = f"{site}[]" if self.detector == "distinct" else site
        return [site, *(join(below, name) for name in (*names, *PROPERTIES.get(str(self.detector), ())))]

    @property
    def read_sites(self) -> Iterator[tuple[str, str]]:
        """Yields each site of the ambiguity, and each site that its detector reads, with its message type."""
        for message_type, entries in (self.sites or {}).items():
            yield from ((message_type, site) for where in entries for site in self.read_at(where))

    def at_sites_of(self, sites: Mapping[str, Mapping[str, Site]], requests: Sequence[str]) -> "Ambiguity":
        """Returns the ambiguity without the sites that a changed contract lacks, or whose schemas answer the question.
        `sites` maps each message type to its sites. An ambiguity of headers concerns all `requests`.
        """
        if self.sites is None:
            return replace(self, sites=dict.fromkeys(requests, ())) if self.detector in OF_HEADERS else self
        left = {of: [*self._left(entries, sites[of])] for of, entries in self.sites.items() if of in sites}
        return replace(self, sites={of: entries for of, entries in left.items() if entries or not self.sites[of]})

    def _left(self, entries: Any, known: Mapping[str, Site]) -> Iterator[Any]:
        for where in entries:
            site, *read = self.read_at(where)
            if site in known and self.detector in _OF_NOTATIONS and _ANSWERS & known[site].schema.keys():
                continue
            if site in known and all(one in known for one in read):
                yield where
            elif site in known and self.detector == "distinct":
                yield (site,)  # without an identifier, whole items are compared


_OF_NOTATIONS = {"cron", "url", "name", "timestamp"}
_ANSWERS = {"format", "pattern", "enum"}
"""The keywords that define the notation of a string, so that it is no longer ambiguous."""
_TEXT = {"type": "string", "minLength": 1}
_SITES_OF_TYPE = {"type": "array", "items": {"type": ["string", "array"], "minItems": 1, "items": {"type": "string"}}}
_REQUIRED = ("id", "question", "plain", "source", "detector", "interpretations")
_AMBIGUITY = validator_for(
    {
        "type": "object",
        "required": _REQUIRED,
        "properties": {
            **dict.fromkeys(("id", "question", "plain", "source"), _TEXT),
            "detector": {"type": ["string", "null"]},
            "interpretations": {"items": {"type": "string"}},
            "sites": {"type": "object", "additionalProperties": _SITES_OF_TYPE},
        },
    }
)
_SEMANTIC_RULE = validator_for(
    {
        "type": "object",
        "required": ("keyword", "message", "site", "demand"),
        "properties": {name: {"type": "string"} for name in ("keyword", "message", "site", "demand", "source")},
    }
)


def _check_shape(entry: Any, validator: Validator, name: str, file: str) -> None:
    """Raises `ContractError` if an entry of a table is not what the validator expects."""
    for problem in validator.iter_errors(entry):
        where = "".join(f"/{step}" for step in problem.instance_path)
        wrong = f"{name}, whose {where} is wrong" if where else name
        raise ContractError(f"{file} contains {wrong} ({problem.message}): compare it with the built-in file")


def ambiguity_of(entry: Any) -> Ambiguity:
    """Converts an entry of `ambiguities.json`. Raises `ContractError` if the entry is wrong."""
    _check_shape(entry, _AMBIGUITY, _named(entry), "ambiguities.json")
    _check_detector(entry)
    options = {key: value for key, value in entry.items() if key not in (*_REQUIRED, "sites")}
    about = entry["id"], entry["question"], entry["plain"], entry["source"], entry["detector"]
    return Ambiguity(*about, _interpretations(entry), entry.get("sites"), options)


def _named(entry: Any) -> str:
    return f"the ambiguity {quoted(entry['id'])}" if isinstance(entry, dict) and "id" in entry else "an ambiguity"


def _interpretations(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """`entry` is an ambiguity in `ambiguities.json`. Raises `ContractError` if its detector does not support a listed
    interpretation.
    """
    given, detector = entry["interpretations"], entry["detector"]
    if detector == NEAR_NOW:
        seconds = given.get("seconds") if isinstance(given, dict) else None
        if (
            not isinstance(seconds, list)
            or not seconds
            or not all(type(one) is int and 0 <= one <= LONGEST_TOLERANCE for one in seconds)
        ):
            raise ContractError(
                f"ambiguity {entry['id']!r} has unsupported interpretations: use an object with a list of seconds, "
                f'such as {{"seconds": [0, 300]}}'
            )
        return tuple(map(str, seconds))
    known = (*MEANINGS[str(detector)], REJECTED) if detector in MEANINGS else None
    if (
        not isinstance(given, list)
        or (known is not None and not set(given) <= set(known))
        or (detector is not None and REJECTED not in given)
    ):
        raise ContractError(
            f"ambiguity {entry['id']!r} has unsupported interpretations: use "
            f"{listed(known or ('accepted', REJECTED), 'or')}"
        )
    if len(set(given)) < len(given):
        raise ContractError(f"ambiguity {entry['id']!r} contains an interpretation twice: remove one of the two")
    return tuple(given)


def _check_detector(entry: Mapping[str, Any]) -> None:
    detector = entry["detector"]
    if detector is None:
        return
    if detector not in DETECTORS:
        raise ContractError(
            f"ambiguity {entry['id']!r} has an unknown detector {detector!r}: use one of {', '.join(sorted(DETECTORS))}"
        )
    if "sites" not in entry and detector in OF_PLACES:
        raise ContractError(
            f"ambiguity {entry['id']!r} has no 'sites', but its detector {detector!r} needs them: add the sites that "
            "it concerns"
        )
    _check_names(entry)
    needed = NEEDED.get(detector)
    if needed == "limit" and (type(entry.get(needed)) is not int or entry[needed] < 1):
        raise ContractError(
            f"ambiguity {entry['id']!r} has no integer 'limit' of at least 1: add a property such as \"limit\": 100"
        )
    if needed == "spelling" and entry.get(needed) not in SPELLINGS:
        raise ContractError(f"ambiguity {entry['id']!r} has no valid 'spelling': use one of {', '.join(SPELLINGS)}")


def _check_names(entry: Mapping[str, Any]) -> None:
    """Raises `ContractError` if an entry of `sites` has too many or too few names of properties for its detector."""
    allowed = COMPARED.get(entry["detector"], (0,))
    for where in (where for entries in entry.get("sites", {}).values() for where in entries):
        names = [] if isinstance(where, str) else where[1:]
        if len(names) not in allowed:
            raise ContractError(
                f"ambiguity {entry['id']!r} has the site {where!r} with {counted(len(names), 'name')} of properties, "
                "but its detector "
                f"{entry['detector']!r} needs {listed(tuple(map(str, allowed)), 'or')}: compare it with the built-in "
                "ambiguities.json"
            )


def semantic_rule_of(entry: Any) -> Rule:
    """Converts an entry of `semantics.json`. Raises `ContractError` if the entry is wrong."""
    _check_shape(entry, _SEMANTIC_RULE, "a rule", "semantics.json")
    if entry["keyword"] != NOT_IN_FUTURE:
        raise ContractError(
            f"semantics.json has the keyword {entry['keyword']!r}, but only {NOT_IN_FUTURE!r} is supported: use this "
            "keyword, or remove the entry"
        )
    sources = sources_of(entry.get("source", ""), entry["keyword"])
    return Rule(entry["message"], entry["site"], entry["keyword"], True, entry["demand"], None, *sources)
