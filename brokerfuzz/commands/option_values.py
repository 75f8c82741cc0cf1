"""Groups the options of a command by purpose, so that each function gets only the values that it needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import wraps
from typing import Any, Literal

from brokerfuzz.cases.case_filters import Selection, selection
from brokerfuzz.schemas import Contract, Label

Command = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The options for the target. With `demo`, the target is the reference service with `bugs`. With `app`, `url` is a
    path in the application. Each request contains `campaign_id` (empty: brokerfuzz generates an ID).
    """

    demo: bool
    bugs: tuple[str, ...]
    exec_: str | None
    call: str | None
    app: str | None
    lines: Literal["plain", "base64", "frames"] | None
    method: str
    headers: Sequence[tuple[str, str]]
    insecure: bool
    ca: str | None
    cert: str | None
    key: str | None
    proxy: str | None
    auth: str | None
    secrets: tuple[str, ...]
    trace_headers: str
    hooks: str | None
    cleanup: str | None
    authenticate_after: str
    wait_for: float | None
    longest_wait: float
    timeout: float
    accept: str | None
    reject: str | None
    envelope: bool
    url: str | None = None
    campaign_id: str = ""


@dataclass(frozen=True, kw_only=True)
class SendingOptions:
    """The options for sending: how many messages at the same time, how many per second, and which property gets a new
    value in each message.
    """

    concurrency: int
    rate: float | None
    fresh: str | None


@dataclass(frozen=True, kw_only=True)
class CaseFilters:
    """The options that select cases."""

    verdicts: "tuple[Label, ...]"
    rules: tuple[str, ...]
    techniques: tuple[str, ...]
    sites: tuple[str, ...]
    tags: tuple[str, ...]

    def __bool__(self) -> bool:
        return any((self.verdicts, self.rules, self.techniques, self.sites, self.tags))

    def selection(self, contract: "Contract") -> "Selection":
        """Returns a selection from all these options except `verdicts`."""

        return selection(contract, self.rules, self.techniques, self.tags, sites=self.sites)


@dataclass(frozen=True, kw_only=True)
class CaseOptions(CaseFilters):
    """The options that decide which cases are generated."""

    seed: int
    count: int | None
    only_random: bool
    now: datetime | None
    contract: str | None
    values: str | None


@dataclass(frozen=True, kw_only=True)
class CampaignOptions:
    """The options that decide how a campaign runs and when it ends. `max_time` and `shrink` are in seconds (`shrink=0`:
    no shrinking).
    """

    max_time: float | None
    max_findings: int | None
    shrink: float
    preflight: bool
    journal: str | None
    resume: str | None
    workers: int
    cluster: str | None
    verbose: bool


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """The options that decide what happens to the findings."""

    reports: tuple[str, ...]
    baseline: str | None
    baseline_update: bool
    baseline_prune: bool
    write_config: bool


def typed_options(**kinds: type) -> Callable[[Command], Command]:
    """Returns a decorator that passes groups of options to a command as objects. For each keyword argument
    `NAME=CLASS`, the command gets an object of the class as its parameter NAME. The fields of the class are the options
    of the group.
    """
    names = {keyword: [field.name for field in fields(kind)] for keyword, kind in kinds.items()}
    replaced = {name for found in names.values() for name in found}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def wrapper(**params: Any) -> Any:
            values = {keyword: kind(**_of(params, names[keyword])) for keyword, kind in kinds.items()}
            return command(**values, **{name: value for name, value in params.items() if name not in replaced})

        return wrapper

    return decorate


def _of(params: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    return {name: params[name] for name in names if name in params}
