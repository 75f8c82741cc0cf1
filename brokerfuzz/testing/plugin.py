"""The pytest plugin. pytest imports this module in every session. To save time, functions import most other modules of
brokerfuzz only when they need them.
"""

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from brokerfuzz.testing import CHOSEN
from brokerfuzz.testing.rule_summary import RECORD, RuleSummary, rule_record

if TYPE_CHECKING:
    from brokerfuzz.testing.checked_target import CheckedTarget
    from brokerfuzz.testing.parametrizing import ChosenCases, TestedCases

XFAIL = "brokerfuzz_xfail"
_MOST_CAPTURED_LINES = 20
_TARGET = pytest.StashKey["CheckedTarget"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("brokerfuzz", "tests from the message contract of an offer broker")

    def add(name: str, help: str, **options: Any) -> None:  # noqa: A002  (its name in pytest)
        group.addoption(f"--brokerfuzz-{name}", help=help, **options)

    add("url", "URL to which the fixture brokerfuzz_target sends messages.", metavar="URL")
    number = {"metavar": "NUMBER", "type": int, "default": 0}
    add("count", "Number of random cases to add to each test that uses brokerfuzz.parametrize.", **number)
    add("seed", "Seed for the random cases. The same seed gives the same cases.", **number)
    variable = {"metavar": "VARIABLE", "action": "append", "default": []}
    add("secret", "Hide the value of this environment variable in failures.", **variable)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{XFAIL}(*cases, reason=None, strict=None): these cases are expected to fail: RULE TECHNIQUE, or "
        "MESSAGE/valid edge:PLACE:EDGE; a name can contain the wildcard *",
    )
    if config.option.brokerfuzz_url == "":
        raise pytest.UsageError("--brokerfuzz-url is empty: specify a URL, such as http://127.0.0.1:8000/offers")
    if config.option.brokerfuzz_count < 0:
        raise pytest.UsageError("--brokerfuzz-count is negative: use 0 or more")
    if config.option.brokerfuzz_secret:
        _hide_secrets(config.option.brokerfuzz_secret)
    config.pluginmanager.register(RuleSummary(), "brokerfuzz-summary")


def _hide_secrets(variables: list[str]) -> None:
    from brokerfuzz.targets.secret_masking import Secrets, of_environment
    from brokerfuzz.testing import failure_text

    with _explained(pytest.UsageError):
        failure_text.hide(Secrets(more=of_environment(variables)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.option.brokerfuzz_secret:
        from brokerfuzz.targets.secret_masking import NOTHING_SECRET
        from brokerfuzz.testing import failure_text

        failure_text.hide(NOTHING_SECRET)


# ----------------------------------------------------------------------------------------------------------- collection


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for application in getattr(metafunc, "_arg2fixturedefs", {}).get("brokerfuzz_app", ())[-1:]:
        if application.scope != "session":
            remedy = 'write @pytest.fixture(scope="session"), because all tests use the same target'
            raise pytest.Collector.CollectError(
                f"the fixture brokerfuzz_app has the scope {application.scope}: {remedy}"
            )
    chosen = getattr(metafunc.function, CHOSEN, None)
    if chosen is None:
        if any(
            marker.name == XFAIL for marker in metafunc.definition.own_markers
        ):  # a marker of the whole module can be meant for other tests
            raise pytest.Collector.CollectError(
                f"{metafunc.function.__name__}: the marker {XFAIL} needs @brokerfuzz.parametrize: add this decorator"
            )
        return
    with _explained(pytest.Collector.CollectError):
        options = metafunc.config.option
        tests = chosen.tests(seed=options.brokerfuzz_seed, count=options.brokerfuzz_count)
        _check_own_markers(metafunc.definition, [tested for _, tested in tests])
    markers = list(metafunc.definition.iter_markers(XFAIL))
    metafunc.parametrize("case", [_parameter(name, tested, markers) for name, tested in tests])


def _check_own_markers(function: pytest.Item, tests: "list[TestedCases]") -> None:
    """Raises an error if a marker of the function names no case. A marker of a module can be meant for other tests."""
    from brokerfuzz.errors import BrokerfuzzError
    from brokerfuzz.testing.expected_failures import EXAMPLE, check_pattern

    for marker in function.own_markers:
        if marker.name == XFAIL:
            if not marker.args:
                raise BrokerfuzzError(f"the marker {XFAIL} names no case: write {EXAMPLE}")
            for pattern in marker.args:
                check_pattern(pattern, tests)


def _parameter(name: str, tested: "TestedCases", markers: list[pytest.Mark]) -> Any:
    """Returns the parameter of a test, with an xfail mark for each marker that names one of its cases."""
    from brokerfuzz.testing.expected_failures import named_cases
    from brokerfuzz.testing.parametrizing import OnlyExpectedFailures, RuleCases

    marks = []
    for marker in markers:
        expected = named_cases(tested, marker.args)
        if not expected:
            continue
        options = {key: marker.kwargs[key] for key in ("reason", "strict") if key in marker.kwargs}
        if isinstance(tested, RuleCases):
            options["raises"] = OnlyExpectedFailures
            is_strict = tested.is_strict or bool(options.get("strict"))
            tested = replace(tested, expected={**tested.expected, **expected}, is_strict=is_strict)
        marks.append(pytest.mark.xfail(**options))
    return pytest.param(tested, id=name, marks=marks)


# -------------------------------------------------------------------------------------------------------------- reports


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shortens the report of a failed case, and adds a record of the rules that the test exercised."""
    report = yield
    if call.excinfo is not None and type(call.excinfo.value).__module__.startswith("brokerfuzz.testing."):
        report.sections = [(name, _last_lines(content)) for name, content in report.sections]
    parameters = _case_of(item)
    if parameters is None:
        return report
    if call.when == "call" and (report.outcome != "skipped" or hasattr(report, "wasxfail")):
        _record(report, item, call, *parameters)
    if item.config.option.brokerfuzz_secret:
        _remove_secrets(report)
    return report


def _last_lines(captured: str) -> str:
    """Cuts what a target printed or logged while it answered many messages, because it hides the failure."""
    lines = captured.splitlines()
    left_out = len(lines) - _MOST_CAPTURED_LINES
    if left_out <= 0:
        return captured
    note = f"({left_out:,} lines of the target are left out: `pytest -o log_file=FILE` or `pytest -s` shows them)"
    return "\n".join([note, *lines[left_out:]])


def _case_of(item: pytest.Item) -> "tuple[ChosenCases, Any] | None":
    chosen = getattr(getattr(item, "obj", None), CHOSEN, None)
    if chosen is None or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    return chosen, item.callspec.params["case"]


def _record(
    report: pytest.TestReport, item: pytest.Item, call: pytest.CallInfo[None], chosen: "ChosenCases", tested: Any
) -> None:
    from brokerfuzz.testing.parametrizing import cases_in

    accepted = item.config.stash[_TARGET].newly_accepted() if _TARGET in item.config.stash else []
    problem = None if call.excinfo is None else call.excinfo.value
    failures = getattr(problem, "failures", None)
    failed = [case for case, _ in failures] if failures else [] if problem is None else cases_in(tested)
    setattr(report, RECORD, rule_record(chosen, cases_in(tested), failed, accepted))
    if call.excinfo is not None and report.outcome == "failed":
        _shorten(report, item, call.excinfo, tested)


def _remove_secrets(report: pytest.TestReport) -> None:
    from brokerfuzz.testing.failure_text import without_secrets

    report.sections = [(name, without_secrets(content)) for name, content in report.sections]
    if report.outcome == "failed" and report.longrepr is not None:
        report.longrepr = without_secrets(str(report.longrepr))


def _shorten(
    report: pytest.TestReport, item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException], tested: Any
) -> None:
    """Replaces the traceback of a failed assertion with a few lines about the case. For other exceptions, or if the
    user requests tracebacks with `--tb`, shows the traceback, and then these lines.
    """
    from brokerfuzz.testing.failure_text import actual_of, described_failure
    from brokerfuzz.testing.parametrizing import CasesFailed

    problem = excinfo.value
    has_all = isinstance(problem, CasesFailed)
    text = str(problem) if has_all else "\n".join(described_failure(tested, actual_of(problem)))
    keeps_traceback = item.config.getoption("tbstyle") != "auto"
    if isinstance(problem, AssertionError | pytest.fail.Exception) and not keeps_traceback:
        report.longrepr = _text_only(excinfo, text, text if has_all else actual_of(problem))
        return
    shown: Any = report.longrepr
    if not keeps_traceback:
        path = inspect.getfile(inspect.unwrap(item.obj))  # type: ignore[attr-defined]
        shown = excinfo.getrepr(
            style="short", tbfilter=lambda excinfo: excinfo.traceback.cut(path=path).filter(excinfo)
        )
    if not has_all and hasattr(shown, "addsection"):
        shown.addsection("case", text)
        report.longrepr = shown


def _text_only(excinfo: pytest.ExceptionInfo[BaseException], text: str, summary: str) -> Any:
    """Returns a report that shows `text` instead of the exception. pytest's short summary shows the first line of
    `summary`.
    """
    shown: Any = excinfo.getrepr(style="value", chain=False)
    shown.reprtraceback.reprentries[-1].lines[:] = text.splitlines()
    if shown.reprcrash is not None:
        shown.reprcrash.message = summary
    return shown


# ------------------------------------------------------------------------------------------------------------- fixtures


@pytest.fixture(scope="session")
def brokerfuzz_service(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the reference service, such as `http://127.0.0.1:40123`. The service accepts offers at `/offers`.

    To add bugs to the service, pass their names to this fixture: `@pytest.mark.parametrize("brokerfuzz_service",
    [["accepts-zero-order-minimum"]], indirect=True)`.
    """
    from brokerfuzz.service.running import running

    with _explained(), running(bugs=getattr(request, "param", ())) as url:
        yield url


@pytest.fixture(scope="session")
def brokerfuzz_url(pytestconfig: pytest.Config) -> str:
    """The URL to which the fixture `brokerfuzz_target` sends messages. A test suite can override `brokerfuzz_url`, and
    return the URL of its own service.
    """
    url = pytestconfig.getoption("brokerfuzz_url")
    if url is None:
        remedy = (
            "use --brokerfuzz-url URL, or define the fixture brokerfuzz_url (a URL) or brokerfuzz_app (an "
            "application and a path)"
        )
        pytest.fail(f"no target given: {remedy}", pytrace=False)
    return str(url)


@pytest.fixture(scope="session")
def brokerfuzz_app() -> Any:
    """The application that the fixture `brokerfuzz_target` calls in this process, and its path. The default is None.

    A test suite can override this fixture instead of starting a service. The new fixture returns `(app, "/offers")`, or
    a function that gets the bytes of a message.
    """
    return None


@pytest.fixture(scope="session")
def brokerfuzz_target(
    brokerfuzz_app: Any, request: pytest.FixtureRequest, pytestconfig: pytest.Config
) -> "Iterator[CheckedTarget]":
    """The target: the application of the fixture `brokerfuzz_app` or, if there is none, the service at
    `brokerfuzz_url`.

    `brokerfuzz_target.check(case)` sends a case, and fails if the answer contradicts the contract.
    """
    from brokerfuzz.targets.python_objects import target_for
    from brokerfuzz.targets.secret_masking import of_environment
    from brokerfuzz.testing.checked_target import checked

    application = request.getfixturevalue("brokerfuzz_url") if brokerfuzz_app is None else brokerfuzz_app
    application, path = application if isinstance(application, tuple) else (application, None)
    secrets = pytestconfig.getoption("brokerfuzz_secret") or []
    with _explained(), checked(target_for(application, path, secrets=of_environment(secrets))) as target:
        pytestconfig.stash[_TARGET] = target
        yield target
        del pytestconfig.stash[_TARGET]


def _failure(text: str) -> BaseException:
    return pytest.fail.Exception(text, pytrace=False)


@contextmanager
def _explained(error: Callable[[str], BaseException] = _failure, prefix: str = "") -> Iterator[None]:
    """Reports an error of brokerfuzz in one line, without a traceback."""
    from brokerfuzz.errors import BrokerfuzzError

    try:
        yield
    except BrokerfuzzError as problem:
        raise error(f"{prefix}{problem}") from None
