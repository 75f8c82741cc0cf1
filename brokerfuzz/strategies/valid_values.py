"""Draws valid messages and valid parts of messages. Checks the options that all strategies for valid values share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any

from hypothesis import reject
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.message_builder import schema_requiring
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.schemas.sites import join
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.hypothesis_source import hypothesis_source
from brokerfuzz.strategies.judging import judged

FULL = 30
"""The number of messages, out of 256, that have nearly all properties."""


@dataclass(frozen=True)
class ValidValues:
    """The options of a strategy for valid messages, or for valid parts of messages at a site. The values must also comply with
    the schema `narrowed`.
    """

    contract: Contract
    message_type: MessageType
    site: str
    style: Style
    pins: Mapping[str, SearchStrategy[Any]]
    narrowed: Schema

    @classmethod
    def of(
        cls,
        message_type: MessageType,
        *,
        site: str = "",
        contract: Contract | None,
        fields: arguments.Fields | None,
        plausible: bool,
        ambiguities: arguments.Ambiguities,
        rich: frozenset[str] = frozenset(),
    ) -> "ValidValues":
        """Raises `InvalidArgument` if an option is wrong."""
        contract = arguments.contract_of(contract)
        pins = arguments.pinned_sites(fields, contract, message_type, site)
        style = Style(
            plausible=arguments.flag("plausible", plausible),
            pinned=frozenset(pins),
            rich=rich,
            full=FULL,
            ambiguities=arguments.ambiguities_of(ambiguities, contract, message_type),
        )
        return cls(contract, message_type, site, style, pins, {})

    def meeting(self, *schemas: Schema) -> "ValidValues":
        """Adds schemas with which the values must comply."""
        return replace(self, narrowed=reduce(conjoin, schemas, self.narrowed))

    def sized(self, what: str, path: str, low: int, high: int | None, *, least: int = 0) -> "ValidValues":
        """Limits the number of items in the array at `path` to the range from `low` to `high`. The user specifies the limits as
        two arguments, such as `min_clusters` and `max_clusters`. In this example, `what` is `clusters`.
        """
        arguments.size_bounds(what, low, high, least=least)
        site = join(self.site, path)
        if low and site not in self.contract.sites[self.message_type]:
            raise InvalidArgument(f"the contract has no place {site!r} in {self.message_type}: use a strategy for another part of the message")
        arguments.not_pinned(what, low, high, site, self.style.pinned)
        return self.meeting(_sized(path, low, high))

    def draws(self, *, judge: bool = True) -> Draws[Any]:
        """Raises `InvalidArgument` if no value complies with these options.

        If `judge` is true, pinned values that break the contract also raise `InvalidArgument`.
        """
        read = _decoder(self.contract, self.message_type, self.site, self.style, json.dumps(self.narrowed))

        def draw_value(draw: DrawFn) -> Any:
            try:
                value = read(hypothesis_source(draw, self.pins))
            except ContractError:  # the decoder found no valid message of a changed contract
                reject()
            return judged(value, self.site, self.pins, self.contract, self.message_type) if self.pins and judge else value

        return draw_value


@lru_cache(maxsize=256)
def _decoder(contract: Contract, message_type: MessageType, site: str, style: Style, narrowed: str) -> Read:
    try:
        return compile_decoder(contract, message_type, narrowed=json.loads(narrowed), style=style, site=site)
    except ContractError as problem:
        raise InvalidArgument(str(problem)) from problem


def _sized(path: str, low: int, high: int | None) -> Schema:
    """Returns a schema that limits the size of an array. If `low` is 0, the array may also be absent or null."""
    bounds: Schema = {} if high is None else {"maxItems": high}
    if low:
        bounds |= {"type": "array", "minItems": low}
    schema = schema_requiring(path, bounds) if bounds else {}
    return schema if low else _if_present(schema)


def _if_present(schema: Schema) -> Schema:
    """Removes `required`, `type` and `minItems` from the schema and its inner schemas. Then the schema also allows absent properties and null."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in ("type", "required", "minItems")}
    if "properties" in kept:
        kept["properties"] = {name: _if_present(prop) for name, prop in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _if_present(kept["items"])
    return kept
