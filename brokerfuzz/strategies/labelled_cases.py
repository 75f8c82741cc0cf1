"""Draws cases, using the options that all strategies for cases share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from hypothesis import reject
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.case import Broken, Case, clock
from brokerfuzz.cases.case_decoder import CaseDecoder, case_decoder
from brokerfuzz.decoder import Style
from brokerfuzz.errors import ContractError, LabelError
from brokerfuzz.schemas import Contract, Label, MessageType, Rule
from brokerfuzz.schemas.sites import JSON_RULE
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.freshness import fresh_case
from brokerfuzz.strategies.hypothesis_source import hypothesis_source


@dataclass(frozen=True)
class LabelledCases:
    """The options of the strategies for cases. If `now` is None, each case is judged as of the time when Hypothesis draws the case."""

    contract: Contract
    message_type: MessageType
    rules: tuple[Rule, ...]
    techniques: frozenset[str] | None
    style: Style
    pins: Mapping[str, SearchStrategy[Any]]
    parsed: bool
    fresh: str | None
    now: datetime | None

    @classmethod
    def of(
        cls,
        message_type: MessageType,
        rules: Iterable[str] | None,
        techniques: Iterable[str] | None,
        sites: Iterable[str] | None,
        fields: arguments.Fields | None,
        plausible: bool,
        parsed: bool,
        fresh: str | None,
        now: datetime | None,
        contract: Contract | None,
    ) -> "LabelledCases":
        """Raises `InvalidArgument` if an option is wrong."""
        message_type, contract = arguments.message_type_of(message_type), arguments.contract_of(contract)
        pins = arguments.pinned_sites(fields, contract, message_type)
        chosen, named = arguments.chosen_faults(contract, message_type, rules, techniques, sites, pins)
        if arguments.flag("parsed", parsed):
            chosen = tuple(rule for rule in chosen if rule.keyword != JSON_RULE)
        style = Style(plausible=arguments.flag("plausible", plausible), pinned=frozenset(pins))
        options = cls(
            contract, message_type, chosen, named, style, pins, parsed,
            arguments.fresh_property(fresh, contract, message_type, pins), arguments.time_of(now),
        )  # fmt: skip
        if not options.decoder(("invalid",)).rules:
            given = {"rules": rules, "techniques": techniques, "sites": sites, "fields": fields and list(fields), "parsed": parsed}
            together = ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
            raise InvalidArgument(
                f"{together}: no technique can break any of these rules; `brokerfuzz rules --techniques` lists what each technique can break"
            )
        return options

    def decoder(self, verdicts: tuple[Label, ...]) -> CaseDecoder:
        return case_decoder(self.contract, self.message_type, verdicts, self.rules, self.techniques, self.style)

    def broken(self) -> Draws[Broken]:
        return cast(Draws[Broken], self.cases(("invalid",)))

    def cases(self, verdicts: tuple[Label, ...]) -> Draws[Case]:
        decoder = self.decoder(verdicts)
        return lambda draw: self.finished(self._read(decoder, draw, now := self.now or clock(None)), now)

    def _read(self, decoder: CaseDecoder, draw: DrawFn, now: datetime) -> Case:
        try:
            return decoder.read(hypothesis_source(draw, self.pins), now)
        except ContractError:  # the decoder found no valid message of a changed contract
            reject()
        except (LabelError, TypeError) as problem:
            if not self.pins:
                raise
            remedy = "pin values that the contract clearly allows"
            raise InvalidArgument(
                f"fields={sorted(self.pins)}: a pinned value makes the message invalid or unspecified ({problem}); {remedy}"
            ) from problem

    def finished(self, case: Case, now: datetime) -> Case:
        """Gives a new value to the property that `fresh` names. If the user specified `parsed=True`, Hypothesis discards a case
        that is not JSON.
        """
        if self.parsed and not _is_parsed(case):
            reject()
        return fresh_case(case, self.fresh, self.contract, now) if self.fresh else case


def _is_parsed(case: Case) -> bool:
    try:
        case.value  # noqa: B018 - parses the body
    except (ValueError, RecursionError):
        return False
    return True
