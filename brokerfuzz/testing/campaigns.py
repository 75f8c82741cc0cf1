"""Runs campaigns from Python: `brokerfuzz.fire`, `brokerfuzz.fire_async` and `brokerfuzz.assert_conforms`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Thread
from typing import Any, TypedDict, Unpack

from brokerfuzz.campaign import Campaign, CampaignOutcome, Finding, Options, Result
from brokerfuzz.campaign.firing import SHRINK_REQUESTS, run
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.plan import Plan
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import BrokerfuzzError
from brokerfuzz.schemas import Contract, Label, MessageType, PolicyValues, load_contract
from brokerfuzz.schemas.contract import known_contract, known_message_type
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.targets import AnswerRules, Target
from brokerfuzz.targets.application import needs_caller, target_for
from brokerfuzz.targets.serial_calls import CallerThread

_MOST_SHOWN = 10


class FindingsError(AssertionError):
    """A target contradicts the contract, or the campaign could not test it. `report` is the report of the campaign."""

    def __init__(self, report: "Report") -> None:
        super().__init__(str(report))
        self.report = report


@dataclass(frozen=True)
class Report:
    """The result of a campaign.

    `findings` contains the contradictions between the contract and the answers of the target. `outcome` says whether the campaign is
    complete; `outcome.headline` is one line. `str()` describes the outcome and the findings.

    >>> import brokerfuzz
    >>> report = brokerfuzz.fire(lambda body: True, rules=["*orderMinimum:minimum"], techniques=["one-below"])
    >>> print(report.outcome.headline)
    1 finding
    """

    result: Result

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, in the order in which they were found."""
        return self.result.findings

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
        for number, finding in enumerate(self.findings[:_MOST_SHOWN], 1):
            lines += [f"{number}. {finding.sentence()}", f"   {finding.reproduction}"]
        if len(self.findings) > _MOST_SHOWN:
            lines.append(f"and {len(self.findings) - _MOST_SHOWN:,} more findings")
        return "\n".join(lines)


class FireOptions(TypedDict, total=False):
    """The options of `fire`, `fire_async` and `assert_conforms`."""

    path: str
    """The path of the application that receives the messages, such as `/offers`."""
    method: str
    headers: Sequence[tuple[str, str]]
    accept: Sequence[str]
    """Statuses that mean `accepted` (default: `["2xx"]`)."""
    reject: Sequence[str]
    """Statuses that mean `rejected` (default: `["1xx", "3xx", "4xx"]`)."""
    timeout: float
    """The number of seconds after which the answer is `timeout` (default: 10)."""
    verdicts: Sequence[Label]
    rules: Sequence[str]
    techniques: Sequence[str]
    sites: Sequence[str]
    seed: int
    count: int
    """The number of random cases after the cases of the catalogue (default: 0)."""
    max_time: float
    """The number of seconds after which no more cases are sent (default: no limit)."""
    max_findings: int
    shrink: float
    """The number of seconds for shrinking the messages of findings (default: 60; 0: no shrinking)."""
    concurrency: int
    """The number of messages that are sent at the same time (default: 16)."""
    policies: PolicyValues
    fresh: str
    """The name of a property that gets another value in each message."""
    now: datetime
    contract: Contract


def fire(target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]) -> Report:
    """Sends cases to a target, and returns a report about its wrong answers, like the command `fire`.

    The target is the URL of an endpoint; an ASGI or WSGI application; a test client of httpx, Starlette, Flask or Django; or a
    function that gets the bytes of a message. The function returns None or True to accept the message; it returns False or raises
    `ValueError` to reject it. Applications, clients and functions run in this process. An exception is a crash, and the finding
    contains the end of its traceback. `FireOptions` describes the options.

    Synchronous code runs in the thread of the caller, so databases in memory and the transactions of test suites work. It has no time
    limit. In an event loop, use `fire_async`. Several campaigns can run at the same time, in several threads.

    Raises `TargetError` if the target cannot be reached or started, and other kinds of `BrokerfuzzError` for wrong arguments.

    >>> import brokerfuzz
    >>> def accepts(body: bytes) -> bool:
    ...     return brokerfuzz.check("offer-creation-request", body).label == "valid"
    >>> report = brokerfuzz.fire(accepts, rules=["*orderMinimum:minimum"])
    >>> report.findings
    ()
    >>> report.raise_for_findings()
    """
    calls = CallerThread()
    campaign, endpoint = _campaign(target, message_type, calls, **options)
    return Report(_run_beside(campaign, calls) if needs_caller(endpoint) or _runs_event_loop() else run(campaign))


async def fire_async(target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]) -> Report:
    """Works like `fire`, for callers in an event loop of asyncio. The arguments are the same.

    The campaign runs in the event loop of the caller, so an ASGI application and an `httpx.AsyncClient` can use what belongs to this
    loop. Synchronous code runs in a thread of its own.

    >>> import asyncio, brokerfuzz
    >>> async def accepts(body: bytes) -> bool:
    ...     return brokerfuzz.check("offer-creation-request", body).label == "valid"
    >>> asyncio.run(brokerfuzz.fire_async(accepts, rules=["*orderMinimum:minimum"])).findings
    ()
    """
    campaign, _ = _campaign(target, message_type, None, **options)
    await campaign.run()
    return Report(campaign.result())


def assert_conforms(target: Any, message_type: MessageType = "offer-creation-request", **options: Unpack[FireOptions]) -> Report:
    """Runs a campaign like `fire`, and raises an `AssertionError` that lists the findings. The arguments are the same.

    Also raises if the campaign is not complete: for example, if the target accepted no valid message. The error has the attribute
    `report`.

    >>> import brokerfuzz
    >>> try:
    ...     brokerfuzz.assert_conforms(lambda body: True, rules=["*orderMinimum:minimum"], techniques=["one-below"])
    ... except AssertionError as problem:
    ...     print(str(problem).splitlines()[0])
    <lambda>: 1 finding
    """
    __tracebackhide__ = True
    report = fire(target, message_type, **options)
    report.raise_for_findings()
    return report


def _campaign(
    target: Any,
    message_type: MessageType,
    calls: CallerThread | None,
    *,
    path: str | None = None,
    method: str = "POST",
    headers: Sequence[tuple[str, str]] = (),
    accept: Sequence[str] = ("2xx",),
    reject: Sequence[str] = ("1xx", "3xx", "4xx"),
    timeout: float = 10.0,
    verdicts: Sequence[Label] = LABELS,
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    sites: Sequence[str] = (),
    seed: int = 0,
    count: int = 0,
    max_time: float | None = None,
    max_findings: int | None = None,
    shrink: float = 60.0,
    concurrency: int = 16,
    policies: PolicyValues | None = None,
    fresh: str | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> tuple[Campaign, Target]:
    """Creates a campaign. Synchronous code runs in `calls` (None: in a thread of its own)."""
    demands = known_contract(contract)
    plan = Plan(
        message_type=known_message_type(message_type),
        now=clock(now),
        seed=seed,
        count=count,
        verdicts=tuple(known_labels(verdicts)),
        rules=tuple(rules),
        techniques=tuple(techniques),
        sites=tuple(sites),
        contract=None if demands is load_contract() else str(demands.folder),
    )
    if next(iter(plan.numbered()), None) is None:
        raise BrokerfuzzError("no case matches: change verdicts, rules, techniques or sites")
    answers = AnswerRules(tuple(accept), tuple(reject))
    endpoint = target_for(target, path, calls, method=method, headers=list(headers), timeout=timeout, rules=answers)
    settings = Options(
        concurrency=concurrency,
        time=max_time,
        max_findings=max_findings,
        now=now,
        contract=demands,
        policies=policies,
        shrink_requests=SHRINK_REQUESTS if shrink else 0,
        shrink_seconds=shrink,
        fresh=fresh,
        plain=plain_messages(message_type, contract=demands),
        total=plan.total,
    )
    return Campaign(plan.numbered(), endpoint, settings), endpoint


def _runs_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_beside(campaign: Campaign, calls: CallerThread) -> Result:
    """Runs a campaign in another thread, while this thread runs the synchronous code of the target."""
    results: list[Result] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            results.append(run(campaign))
        except BaseException as problem:
            problems.append(problem)
        finally:
            calls.close()

    thread = Thread(target=work, name="brokerfuzz", daemon=True)
    thread.start()
    calls.serve()
    thread.join()
    if problems:
        raise problems[0]
    return results[0]
