"""Runs campaigns from Python: `brokerfuzz.fire`, `brokerfuzz.fire_async` and `brokerfuzz.assert_conforms`."""

import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from brokerfuzz import campaign
from brokerfuzz.campaign import CampaignOutcome, CampaignProgress, Finding, Result, Settings, baseline
from brokerfuzz.campaign.settings import new_campaign_id
from brokerfuzz.case_options import campaign_plan
from brokerfuzz.errors import BrokerfuzzError, ReportError, TargetError, UnknownNameError
from brokerfuzz.option import checked, completed, declared
from brokerfuzz.options import FireOptions
from brokerfuzz.reports import facts, json_document, report_files
from brokerfuzz.reports.fact import text_lines
from brokerfuzz.schemas import MessageType
from brokerfuzz.target_options import http_options
from brokerfuzz.targets import HttpTarget, Target
from brokerfuzz.targets.python_objects import target_for
from brokerfuzz.targets.threads import ctrl_c_calls, outside_of_event_loop
from brokerfuzz.wording import counted, listed

_MOST_SHOWN = 10
_FACTS = ("next", "known values", "sporadic")
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

    `findings` contains what the target does wrong, one finding for each cause. `outcome` says whether
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
        """What the target does wrong, one finding for each cause, the most important one first."""
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
        lines = [f"{self.result.target.name}: {self.outcome.headline}"]
        if self.result.stop is not None and self.result.stop.details:
            lines += self.result.stop.details.splitlines()
        document = json_document.document(self.result)
        for number, finding in enumerate(document["findings"][:_MOST_SHOWN], 1):
            lines.append(f"{number}. {facts.sentence_of(finding)}")
            lines += text_lines(facts.facts_of(finding))
        lines += text_lines(fact for fact in facts.campaign_facts(document) if fact.label in _FACTS)
        if (hidden := len(self.findings) - _MOST_SHOWN) > 0:
            lines.append(f"and {counted(hidden, 'more finding')}: {_ALL_FINDINGS}")
        return "\n".join(lines)


def fire(target: Any, message_type: MessageType | None = None, **options: Unpack[FireOptions]) -> Report:
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
        _check_sockets()
        ready = _ready(target, message_type, options, in_caller=True)
        with outside_of_event_loop(), ctrl_c_calls(signal.default_int_handler):
            result = campaign.run_campaign(ready.settings, ready.target, _log_the_first_wait())
        return ready.report(result)
    except BrokerfuzzError as problem:
        raise problem.with_traceback(None) from problem.__cause__  # so that pytest shows only the call and the error


async def fire_async(target: Any, message_type: MessageType | None = None, **options: Unpack[FireOptions]) -> Report:
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
        ready = _ready(target, message_type, options, in_caller=False)
        result = await campaign.run_campaign_here(ready.settings, ready.target, _log_the_first_wait())
        return ready.report(result)
    except BrokerfuzzError as problem:
        raise problem.with_traceback(None) from problem.__cause__  # as in `fire`


def assert_conforms(target: Any, message_type: MessageType | None = None, **options: Unpack[FireOptions]) -> Report:
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


def _check_sockets() -> None:
    """An event loop cannot be created, or even closed, if a test suite forbids sockets."""
    try:
        socket.socket(getattr(socket, "AF_UNIX", socket.AF_INET)).close()
    except Exception as problem:
        raise BrokerfuzzError(
            f"no event loop can be created, because it needs a local socket ({problem}): with pytest-socket, add "
            "--allow-unix-socket, or mark this test with enable_socket"
        ) from problem


def _log_the_first_wait() -> Callable[[CampaignProgress], None]:
    is_logged = False

    def log(progress: CampaignProgress) -> None:
        nonlocal is_logged
        if progress.waits and not progress.cases and not is_logged:
            is_logged = True
            getLogger("brokerfuzz").warning("brokerfuzz: %s", progress.phase)

    return log


class _ReadyCampaign(NamedTuple):
    """`reports` contains the paths of the report files."""

    settings: Settings
    target: Target
    reports: Sequence[str]

    def report(self, result: Result) -> Report:
        """Writes the report files, and returns the report of the campaign. Raises `ReportError`."""
        if problems := report_files.write_reports(self.reports, json_document.document(result)):
            raise ReportError("; ".join(problems.values()))
        return Report(result)


def _ready(target: Any, message_type: MessageType | None, arguments: FireOptions, *, in_caller: bool) -> _ReadyCampaign:
    """Checks the options. With `in_caller`, synchronous code runs in the thread of the caller, otherwise in a separate
    thread.
    """
    options = _completed(arguments)
    plan = campaign_plan(message_type, options)
    if plan.is_empty:
        raise BrokerfuzzError("no case matches: change verdicts, rules, techniques or tags")
    campaign_id = new_campaign_id()
    http = http_options(options, campaign_id)
    endpoint = target_for(target, options["path"], in_caller=in_caller, **http)
    if endpoint.secrets.note:
        getLogger("brokerfuzz").warning("brokerfuzz: %s", endpoint.secrets.note)
    reports = [str(path) for path in options["reports"]]
    other_files = {name: None if options[name] is None else str(options[name]) for name in ("journal", "baseline")}
    report_files.check_paths(reports, http=isinstance(endpoint, HttpTarget), other_files=other_files)
    known_findings = () if options["baseline"] is None else baseline.read_baseline(Path(options["baseline"]))
    settings = Settings(plan=plan, options=options, campaign_id=campaign_id, known=known_findings)
    if settings.uses_workers and not isinstance(endpoint, HttpTarget):
        raise TargetError(
            f"other processes cannot call {endpoint.name}, so workers works only with a URL: remove this argument"
        )
    return _ReadyCampaign(settings, endpoint, reports)


def _completed(arguments: FireOptions) -> FireOptions:
    declarations = declared(FireOptions)
    for name in arguments.keys() - declarations.keys():
        raise UnknownNameError("option", name, declarations, f"the options are {listed(declarations)}")
    values = {name: value for name, value in arguments.items() if value is not None}
    try:
        checked_values = checked(FireOptions, values, lambda name, option: name)
    except ValueError as problem:
        raise BrokerfuzzError(str(problem)) from None
    options: FireOptions = completed(FireOptions, checked_values)
    return options
