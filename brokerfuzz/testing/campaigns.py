"""Runs campaigns from Python: `brokerfuzz.fire`, `brokerfuzz.fire_async` and `brokerfuzz.assert_conforms`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from logging import getLogger
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from brokerfuzz.campaign import CampaignOutcome, Finding, Headline, Result, baseline
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import BrokerfuzzError, TargetError, UnknownNameError, listed_values
from brokerfuzz.planned_campaign import PlannedCampaign
from brokerfuzz.reports import facts, json_document, report_files
from brokerfuzz.schemas import Contract, Label, MessageType, PolicyValues, load_contract
from brokerfuzz.schemas.contract import known_message_type
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.targets import AnswerRules, Target
from brokerfuzz.targets.application import target_for
from brokerfuzz.targets.call_thread import outside_of_event_loop
from brokerfuzz.targets.secret_masking import of_environment
from brokerfuzz.targets.trace_headers import TraceHeaders
from brokerfuzz.wording import counted, listed

_MOST_SHOWN = 10
_ALL_FINDINGS = "`report.findings` lists all of them, and the argument reports=['findings.html'] writes them to a file"


class FindingsError(AssertionError):
    """A target contradicts the contract, or the campaign could not test the target completely. `report` is the report
    of the campaign.
    """

    def __init__(self, report: "Report") -> None:
        super().__init__(str(report))
        self.report = report


@dataclass(frozen=True)
class Report:
    """The result of a campaign.

    `findings` contains the contradictions between the contract and the answers of the target. `outcome` says whether
    the campaign is complete, and `outcome.headline` describes the outcome in one line. `str()` describes the outcome
    and the findings.

    >>> import brokerfuzz
    >>> report = brokerfuzz.fire(lambda body: True, rules=["*orderMinimum:minimum"], techniques=["one-below"])
    >>> print(report.outcome.headline)
    1 finding in 2 cases
    """

    result: Result

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in the order of their first cases."""
        return self.result.findings

    @property
    def headlines(self) -> tuple[Headline, ...]:
        """What the target does wrong, the most important headline first. Each finding belongs to one headline."""
        return self.result.headlines

    @property
    def outcome(self) -> CampaignOutcome:
        """The outcome of the campaign: `complete`, `partial` or `untested`, with the number of findings."""
        return self.result.outcome

    def raise_for_findings(self) -> None:
        """Raises `FindingsError`, an `AssertionError`, if there are findings or if the campaign is not complete."""
        __tracebackhide__ = True
        if self.outcome.status:
            raise FindingsError(self)

    def __str__(self) -> str:
        lines = [f"{self.result.target}: {self.outcome.headline}"]
        if self.result.stop is not None and self.result.stop.details:
            lines += self.result.stop.details.splitlines()
        document = json_document.document(self.result)
        findings = {facts.name_of(finding): finding for finding in document["findings"]}
        for number, headline in enumerate(document["headlines"][:_MOST_SHOWN], 1):
            lines += [f"{number}. {facts.title_of(headline)}"]
            lines += facts.text_lines(facts.facts_of(findings[headline["findings"][0]]))
        lines += facts.text_lines(fact for fact in facts.campaign_facts(document) if fact.label == "sporadic")
        if (left := len(self.findings) - min(len(self.headlines), _MOST_SHOWN)) > 0:
            lines.append(f"and {counted(left, 'more finding')}: {_ALL_FINDINGS}")
        return "\n".join(lines)


class FireOptions(TypedDict, total=False):
    """The options of `fire`, `fire_async` and `assert_conforms`. All of them are optional.

    - `path`: for applications and test clients, the path to which the messages are sent, such as `/offers`
    - `method`: the HTTP method (default: POST)
    - `headers`: headers that are sent in addition to `Content-Type`
    - `secrets`: names of environment variables that contain secrets. In reports and answers, `${NAME}` replaces the
      value of the variable NAME. If a secret has fewer than six characters, brokerfuzz hides it in the header that
      contains it, but not in answers that repeat it. Then the logger `brokerfuzz` writes a warning.
    - `accept`: the statuses that mean `accepted` (default: `["2xx"]`)
    - `reject`: the statuses that mean `rejected` (default: `["1xx", "3xx", "4xx"]`)
    - `timeout`: the number of seconds after which the answer is `timeout` (default: 10)
    - `verdicts`, `rules`, `techniques`, `sites`: the cases to send (default: all). A `*` matches any characters, and a
      `!` at the beginning excludes the matching cases.
    - `count`: the number of random cases, which are sent after the cases of the catalogue (default: 0)
    - `seed`: the seed of the random cases (default: 0)
    - `max_time`: the number of seconds after which the campaign ends, including the time for shrinking (default: no
      limit)
    - `max_findings`: the number of findings after which no more cases are sent (default: no limit)
    - `shrink`: the maximum number of seconds for shrinking the messages of all findings (default: 60; 0: no shrinking)
    - `preflight`: before the cases, send ordinary valid messages, and send no case if the target accepts none of them
      (default: True)
    - `concurrency`: the maximum number of messages that are sent at the same time (default: 16)
    - `longest_wait`: the number of seconds to wait if the target is down, or if a URL asks for a pause (default: 120).
      Then the campaign ends.
    - `rate`: the maximum number of messages that are sent per second (default: no limit)
    - `policies`: the allowed interpretations of ambiguities
    - `fresh`: a property that gets a different value in each message, such as `number`
    - `now`: the time that counts as the present (default: the actual time)
    - `contract`: your own contract, or a contract with reference data (the values that the target knows); see
      `brokerfuzz.load_contract` (default: the built-in contract)
    - `journal`: a new file to which each request and its answer are written, for `brokerfuzz replay` and `brokerfuzz
      fire --resume`
    - `baseline`: a file with known findings, which do not fail a test. `brokerfuzz fire --baseline-update` writes this
      file.
    - `reports`: files for reports. The file extension selects the format, as for `brokerfuzz fire --report`.
    - `workers`: the number of processes that send the cases to a URL (default: 1)

    >>> import brokerfuzz
    >>> minimums: brokerfuzz.FireOptions = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"]}
    >>> brokerfuzz.fire(lambda body: b'"orderMinimum":0' not in body, **minimums).outcome.state
    'complete'
    """

    path: str
    method: str
    headers: Sequence[tuple[str, str]]
    secrets: Sequence[str]
    accept: Sequence[str]
    reject: Sequence[str]
    timeout: float
    verdicts: Sequence[Label]
    rules: Sequence[str]
    techniques: Sequence[str]
    sites: Sequence[str]
    seed: int
    count: int
    max_time: float
    max_findings: int
    shrink: float
    preflight: bool
    concurrency: int
    rate: float
    longest_wait: float
    policies: PolicyValues
    fresh: str
    now: datetime
    contract: Contract
    journal: str | Path
    baseline: str | Path
    reports: Sequence[str | Path]
    workers: int


def fire(target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]) -> Report:
    """Sends cases to a target, and returns a report about its wrong answers, like the command `fire`.

    The target is the URL of an endpoint; an ASGI or WSGI application; a test client of httpx, Starlette, Flask or
    Django; or a function that gets the bytes of a message. The function returns None or True to accept the message; it
    returns False or raises `ValueError` to reject it. Any other exception is a crash, and the finding contains the end
    of its traceback. Applications, clients and functions run in the process that calls `fire`. `brokerfuzz.FireOptions`
    describes the options.

    Synchronous code runs in the thread of the caller, so it can use databases in memory and the transactions of test
    suites. Synchronous code has no time limit. In an event loop, use `fire_async`. Several campaigns can run at the
    same time, in several threads.

    Raises `TargetError` if the target cannot be reached or started, and other kinds of `BrokerfuzzError` for wrong
    arguments.

    >>> import brokerfuzz
    >>> def accepts(body: bytes) -> bool:
    ...     return brokerfuzz.check("offer-creation-request", body).label == "valid"
    >>> report = brokerfuzz.fire(accepts, rules=["*orderMinimum:minimum"])
    >>> report.findings
    ()
    >>> report.raise_for_findings()
    """
    __tracebackhide__ = True
    try:
        ready = _ready(target, message_type, options, in_caller=True)
        with outside_of_event_loop():
            result = ready.planned.run(ready.target)
        return ready.report(result)
    except BrokerfuzzError as problem:
        raise problem.with_traceback(None) from problem.__cause__  # so that pytest shows only the call and the error


async def fire_async(
    target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]
) -> Report:
    """Works like `fire`, but inside a running asyncio event loop. The arguments are the same as for `fire`. The
    campaign runs in the event loop of the caller, so an ASGI application and an `httpx.AsyncClient` can use objects
    that belong to this event loop. Synchronous code runs in a separate thread.

    >>> import asyncio, brokerfuzz
    >>> async def accepts(body: bytes) -> bool:
    ...     return brokerfuzz.check("offer-creation-request", body).label == "valid"
    >>> asyncio.run(brokerfuzz.fire_async(accepts, rules=["*orderMinimum:minimum"])).findings
    ()
    """
    __tracebackhide__ = True
    try:
        planned, endpoint, _ = ready = _ready(target, message_type, options, in_caller=False)
        result = await (
            asyncio.to_thread(planned.run, endpoint) if planned.uses_workers else planned.run_here(endpoint)
        )
        return ready.report(result)
    except BrokerfuzzError as problem:
        raise problem.with_traceback(None) from problem.__cause__  # as in `fire`


def assert_conforms(
    target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]
) -> Report:
    """Runs a campaign like `fire`, and raises an `AssertionError` that lists the findings. The arguments are the same
    as for `fire`. An incomplete campaign also raises an `AssertionError`: for example, if the target accepted no valid
    message. The attribute `report` of the error is the report of the campaign.

    >>> import brokerfuzz
    >>> try:
    ...     brokerfuzz.assert_conforms(lambda body: True, rules=["*orderMinimum:minimum"], techniques=["one-below"])
    ... except AssertionError as problem:
    ...     print(str(problem).splitlines()[0])
    <lambda>: 1 finding in 2 cases
    """
    __tracebackhide__ = True
    report = fire(target, message_type, **options)
    report.raise_for_findings()
    return report


class _ReadyCampaign(NamedTuple):
    """`reports` contains the paths of the report files."""

    planned: PlannedCampaign
    target: Target
    reports: Sequence[str]

    def report(self, result: Result) -> Report:
        """Writes the report files, and returns the report of the campaign."""
        if self.reports:
            result, _ = report_files.write_about(
                self.reports, result, self.planned.about(self.target), self.planned.plan.demands
            )
        return Report(result)


def _ready(target: Any, message_type: MessageType, options: FireOptions, *, in_caller: bool) -> _ReadyCampaign:
    """Checks the options. With `in_caller`, synchronous code runs in the thread of the caller, otherwise in a separate
    thread.
    """
    known = FireOptions.__annotations__
    for name in options.keys() - known.keys():
        raise UnknownNameError("option", name, known, f"the options are {listed(known)}")
    plan = _plan(message_type, options)
    check_testable(plan.demands, plan.message_type, plan.chosen, plan.verdicts)
    if plan.is_empty:
        raise BrokerfuzzError("no case matches: change verdicts, rules, techniques or sites")
    answers = AnswerRules(**_lists(options, "accept", "reject"))
    secrets = of_environment(_lists(options, "secrets").get("secrets", ()))
    given = _only(options, "method", "headers", "timeout", "longest_wait")
    endpoint = target_for(target, options.get("path"), in_caller=in_caller, rules=answers, secrets=secrets, **given)
    if note := getattr(getattr(endpoint, "secrets", None), "note", ""):
        getLogger("brokerfuzz").warning("brokerfuzz: %s", note)
    reports = [str(path) for path in listed_values("reports", options.get("reports") or ())]
    others = {
        name: None if path is None else str(path)
        for name, path in (("journal", options.get("journal")), ("baseline", options.get("baseline")))
    }
    report_files.check_paths(reports, http=endpoint.is_http, others=others)
    workers = options.get("workers") or 1
    if workers > 1 and not endpoint.is_http:
        raise TargetError(
            f"workers={workers} works only with a URL, because other processes cannot call {endpoint.name}: remove "
            "the argument `workers`"
        )
    return _ReadyCampaign(_planned(plan, endpoint, options), endpoint, reports)


def _plan(message_type: MessageType, options: FireOptions) -> Plan:
    contract = known_contract(options.get("contract"))
    return Plan(
        message_type=known_message_type(message_type),
        now=clock(options.get("now")),
        random_with_clock=options.get("now") is not None,
        verdicts=tuple(known_labels(options.get("verdicts", LABELS))),
        contract=None if contract.folder == load_contract().folder else str(contract.folder),
        values=None if contract.values is None else contract.values.text,
        **_lists(options, "rules", "techniques", "sites"),
        **_only(options, "seed", "count"),
    )


def _planned(plan: Plan, target: Target, options: FireOptions) -> PlannedCampaign:
    trace = target.trace if target.is_http else TraceHeaders()
    journal, known = options.get("journal"), options.get("baseline")
    return PlannedCampaign(
        plan=plan,
        policies=plan.demands.check_policies(options.get("policies") or {}),
        campaign_id=trace.campaign_id,
        journal=None if journal is None else str(journal),
        known={} if known is None else baseline.read(Path(known)),
        **_only(
            options,
            "now",
            "concurrency",
            "rate",
            "longest_wait",
            "fresh",
            "max_time",
            "max_findings",
            "shrink",
            "preflight",
            "workers",
        ),
    )


def _only(options: FireOptions, *names: str) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in names and value is not None}


def _lists(options: FireOptions, *names: str) -> dict[str, Any]:
    return {name: tuple(listed_values(name, values)) for name, values in _only(options, *names).items()}
