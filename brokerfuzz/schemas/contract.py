"""Defines the contract: the message types, their rules and the ambiguities. `loading` reads contracts from files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from types import MappingProxyType

from brokerfuzz.contract_names import MessageType
from brokerfuzz.errors import ContractError, UnknownNameError, listed_names, quoted
from brokerfuzz.schemas.contract_entries import Ambiguity
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.known_values import KnownValues
from brokerfuzz.schemas.manifest import Transfer
from brokerfuzz.schemas.questions import REJECTED
from brokerfuzz.schemas.rule import Rule, derive_rules
from brokerfuzz.schemas.sites import Site, sites_of
from brokerfuzz.wording import listed

DATA = Path(__file__).parent
"""The folder of the built-in contract."""


class Policies(dict[str, tuple[str, ...]]):
    """Maps the ID of an ambiguity to the allowed interpretations (see `Contract.check_policies`)."""


PolicyValues = Mapping[str, str | int | Sequence[str | int]]
"""Maps the ID of an ambiguity to one or several interpretations, as users write them.

The name of a group, such as `timestamp-format`, means all IDs that begin with this name.
"""


@dataclass(frozen=True, eq=False, repr=False)
class Contract:
    """A read-only contract. Use `load_contract` to create a `Contract`.

    `transfers` maps message types to their direction and route. `schemas` maps the names of schema files (`envelope`,
    `product-list-response`) to their contents. `flat` maps message types to flat schemas (see `flattening`). `folder`
    contains the files of the contract.
    If `values` contains reference data (the values that a target knows), the schemas in `flat` allow only these values.
    Then `original` is the contract without reference data. `warnings` says what in the files has no effect.

    >>> from brokerfuzz import load_contract
    >>> len(load_contract().rules["offer-creation-request"])
    117
    """

    transfers: Mapping[MessageType, Transfer]
    schemas: Mapping[str, Schema]
    flat: Mapping[str, Schema]
    ambiguities: tuple[Ambiguity, ...]
    semantics: tuple[Rule, ...]
    folder: Path
    values: KnownValues | None = None
    original: "Contract | None" = None
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Returns only the folder, because Hypothesis prints the arguments of strategies."""
        values = "" if self.values is None else ", values=..."
        return f"load_contract({str(self.folder)!r}{values})"

    @property
    def message_types(self) -> tuple[MessageType, ...]:
        """The names of the message types, in the order of the manifest."""
        return tuple(self.transfers)

    @cached_property
    def is_tested(self) -> bool:
        """True for the built-in contract: our tests have judged all its cases. The rules of other contracts may
        contradict each other, so brokerfuzz tries out what it generates.
        """
        return self.folder == DATA and self.values is None

    def known_message_type(self, name: str) -> MessageType:
        """Raises `UnknownNameError` if the contract has no such message type."""
        if name not in self.message_types:
            remedy = f"use {listed(self.message_types, 'or')}"
            raise UnknownNameError("message type", str(name), self.message_types, remedy)
        return name

    def is_request(self, message_type: MessageType) -> bool:
        return self.transfers[message_type].is_request

    def identifiers(self, message_type: MessageType) -> tuple[str, ...]:
        """Returns the properties that identify a message of this type."""
        return self.transfers[message_type].identifiers

    @cached_property
    def rules(self) -> Mapping[str, tuple[Rule, ...]]:
        """Maps each message type to its rules."""
        if self.original is not None:
            return self.original.rules
        return MappingProxyType({of: self._rules_of(of) for of in self.message_types})

    def _rules_of(self, message_type: MessageType) -> tuple[Rule, ...]:
        """If a changed contract lacks the site of a rule in `semantics.json`, the rule is omitted."""
        sites = self.sites[message_type]
        of_semantics = [rule for rule in self.semantics if rule.message_type == message_type and rule.site in sites]
        return (*derive_rules(message_type, sites[""]), *of_semantics)

    @cached_property
    def sites(self) -> Mapping[str, Mapping[str, Site]]:
        """Maps each message type to its sites."""
        return MappingProxyType({of: sites_of(schema) for of, schema in self.flat.items()})

    def check_described(self, message_type: MessageType) -> None:
        """Raises `ContractError` if a required property has no schema, so that it cannot be generated."""
        for rule in self.rules[message_type]:
            if rule.site not in self.sites[message_type]:
                raise ContractError(
                    f"{message_type} requires {rule.site!r}, but its `properties` do not contain {rule.site!r}: add "
                    "this property, with the schema {} if any value is allowed"
                )

    @cached_property
    def rules_by_id(self) -> Mapping[str, Rule]:
        """Maps rule IDs to the rules of all message types."""
        return MappingProxyType({rule.id: rule for rules in self.rules.values() for rule in rules})

    def rule(self, rule_id: str) -> Rule:
        if rule_id not in self.rules_by_id:
            raise UnknownNameError("rule", rule_id, self.rules_by_id, "`brokerfuzz rules` lists all rules")
        return self.rules_by_id[rule_id]

    def ambiguity(self, ambiguity_id: str) -> Ambiguity:
        for ambiguity in self.ambiguities:
            if ambiguity.id == ambiguity_id:
                return ambiguity
        remedy = "`brokerfuzz rules` lists all ambiguities"
        raise UnknownNameError("ambiguity", ambiguity_id, self.ambiguity_names, remedy)

    def group(self, name: str) -> Sequence[Ambiguity]:
        """Returns the ambiguities of a group: the IDs in `timestamp-format` begin with `timestamp-format.`."""
        return [ambiguity for ambiguity in self.ambiguities if ambiguity.id.startswith(f"{name}.")]

    @property
    def ambiguity_names(self) -> Sequence[str]:
        """The IDs of the ambiguities, and the names of their groups."""
        return list(
            dict.fromkeys(
                name for ambiguity in self.ambiguities for name in (ambiguity.id, ambiguity.id.partition(".")[0])
            )
        )

    def check_policies(self, policies: PolicyValues) -> Policies:
        """Converts policies to a uniform format that maps the ID of each ambiguity to its allowed interpretations.

        To allow several interpretations, use a sequence or a string with commas. A group, such as `timestamp-format`,
        means all IDs that begin with this name. Raises `UnknownNameError` if an ambiguity or an interpretation is
        unknown, and `ContractError` if two policies contradict each other.
        """
        if isinstance(policies, Policies):
            return policies
        if not isinstance(policies, Mapping):
            use = "use, for example, {'cron-syntax': 'accepted'}"
            raise TypeError(f"policies={quoted(policies)} is not a mapping: {use}")
        listed_names("policies", policies)
        checked = Policies()
        for name in sorted(policies, key=lambda name: name.count(".")):  # an ID has priority over its group
            interpretations = policies[name]
            values = (
                tuple(map(str, interpretations))
                if isinstance(interpretations, list | tuple)
                else tuple(str(interpretations).split(","))
            )
            for ambiguity in self.group(name) or [self.ambiguity(name)]:
                for value in values:
                    if not ambiguity.interpretations:
                        remedy = f"no policy settles {name}, because this ambiguity has no interpretations: remove it"
                        raise UnknownNameError("policy", f"{name}={value}", (), remedy)
                    if not ambiguity.has(value):
                        names, remedy = ambiguity.interpretations, f"{name} can be {ambiguity.choices}"
                        raise UnknownNameError("policy", f"{name}={value}", names, remedy)
                checked[ambiguity.id] = values
        for ambiguity in self.ambiguities:
            self._settle_wider(ambiguity, checked)
        return checked

    def _settle_wider(self, narrow: Ambiguity, policies: Policies) -> None:
        """A program that accepts all differences accepts small ones (`narrow`), and a program that rejects small ones
        rejects all. Removes other combinations of interpretations from the policies.
        """
        wide = next((ambiguity for ambiguity in self.ambiguities if ambiguity.id == narrow.options.get("within")), None)
        if wide is None or policies.keys().isdisjoint((narrow.id, wide.id)):
            return
        pairs = product(*(policies.get(ambiguity.id, ambiguity.interpretations) for ambiguity in (narrow, wide)))
        possible = [pair for pair in pairs if pair[0] != REJECTED or pair[1] == REJECTED]
        if not possible:
            raise ContractError(
                f"the policies {narrow.id}=rejected and {wide.id}=accepted contradict each other: remove one of them"
            )
        policies[narrow.id], policies[wide.id] = (tuple(dict.fromkeys(names)) for names in zip(*possible, strict=True))
