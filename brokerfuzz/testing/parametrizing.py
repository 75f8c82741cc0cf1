"""Defines `brokerfuzz.parametrize`, which turns cases into tests. This module does not import pytest."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast
from unittest import SkipTest, TestCase

from brokerfuzz.cases.case import Case
from brokerfuzz.errors import BrokerfuzzError, quoted
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.testing.chosen_cases import CaseGroup, ChosenCases, GroupedBy, names_of
from brokerfuzz.testing.failure_text import actual_of, described_failures

Test = TypeVar("Test", bound=Callable[..., Any])

ARGUMENT = "case"
"""The name of the parameter through which a test function receives the case."""
CHOSEN = "__brokerfuzz_cases__"
"""The attribute of a test function that contains its `ChosenCases`."""


def parametrize(
    message_type: MessageType,
    *,
    verdicts: Sequence[Label] = ("valid", "invalid"),
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    sites: Sequence[str] = (),
    by: GroupedBy = "rule",
    contract: Contract | None = None,
) -> Callable[[Test], Test]:
    """Runs a test function with the cases of a message type. The function receives each case in its parameter `case`.

    With `by="rule"`, there is one test per rule, which calls the function with all cases of the rule, and fails at most
    once, with the plainest failing cases. Fixtures are created once per rule, and one test contains all valid cases.
    With `by="case"`, there is one test per case. The ID of the test is `str(case)`, which begins with `breaks` for an
    invalid case and with `valid` for a valid case. The cases come from `corpus.load`: each rule broken with each
    technique, each edge (an unusual valid value), and each probe of an ambiguity. `rules`, `techniques` and `sites` are
    patterns that select cases, as in `corpus.load`. `pytest --brokerfuzz-count 1000 --brokerfuzz-seed 7` adds random
    cases.

    In a `unittest.TestCase`, a method runs the tests of all rules as sub-tests. The function can also be `async` if a
    plugin such as pytest-asyncio runs it. Raises `UnknownNameError`, `TypeError` or `ValueError` if an argument is
    invalid, or if the function has no parameter `case`.

    >>> import brokerfuzz
    >>> def accepts(body: bytes) -> bool:  # replace this with the code that you test
    ...     return brokerfuzz.check("offer-creation-request", body).label == "valid"
    >>> @brokerfuzz.parametrize("offer-creation-request", rules=["*pageCount:minimum"])
    ... def test_offers(case: brokerfuzz.Case) -> None:
    ...     assert accepts(case.body) == (case.label == "valid")
    """
    __tracebackhide__ = True
    try:
        chosen = ChosenCases(message_type, verdicts, rules, techniques, sites, by, contract)
    except (BrokerfuzzError, TypeError, ValueError) as problem:
        raise problem.with_traceback(None)  # noqa: B904  (a traceback through brokerfuzz does not help the user)

    def decorate(function: Test) -> Test:
        __tracebackhide__ = True
        _check(function)
        wrapper = (
            _asynchronous(function, chosen) if inspect.iscoroutinefunction(function) else _synchronous(function, chosen)
        )
        setattr(wrapper, CHOSEN, chosen)
        return cast(Test, wrapper)

    return decorate


class CasesFailed(AssertionError):
    def __init__(self, group: CaseGroup, failures: Sequence[tuple[Case, str]]) -> None:
        super().__init__(described_failures(len(group.cases), failures))
        self.failures = failures


def _check(function: Any) -> None:
    __tracebackhide__ = True
    if not inspect.isfunction(function):
        raise TypeError(
            f"@brokerfuzz.parametrize decorates test functions, not {quoted(function)}: move it to each test function"
        )
    if hasattr(function, CHOSEN):
        raise TypeError(
            f"{function.__qualname__} uses @brokerfuzz.parametrize twice: use it once, or write two functions"
        )
    if ARGUMENT not in inspect.signature(function).parameters:
        raise TypeError(
            f"{function.__qualname__} has no parameter `{ARGUMENT}`: add one, so that the test receives the case"
        )


def _synchronous(function: Callable[..., Any], chosen: ChosenCases) -> Callable[..., Any]:
    @wraps(function)
    def test(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if _is_of_unittest(args, kwargs):
            return _run_sub_tests(args[0], chosen, lambda given: test(*args, **{**kwargs, ARGUMENT: given}))
        group = kwargs.get(ARGUMENT)
        if not isinstance(group, CaseGroup):
            return function(*args, **kwargs)
        failures = _Failures(group)
        for case in group.cases:
            with failures.collected(case):
                function(*args, **{**kwargs, ARGUMENT: case})
        failures.raise_if_any()
        return None

    return test


def _asynchronous(function: Callable[..., Any], chosen: ChosenCases) -> Callable[..., Any]:
    @wraps(function)
    async def test(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        group = kwargs.get(ARGUMENT) or CaseGroup("all cases", tuple(chosen.cases(seed=0, count=0)))
        if not isinstance(group, CaseGroup):
            return await function(*args, **kwargs)
        failures = _Failures(group)
        for case in group.cases:
            with failures.collected(case):
                await function(*args, **{**kwargs, ARGUMENT: case})
        failures.raise_if_any()
        return None

    return test


def _is_of_unittest(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Returns True for a method of a `unittest.TestCase`, because unittest does not support parameters."""
    return ARGUMENT not in kwargs and len(args) == 1 and isinstance(args[0], TestCase)


def _run_sub_tests(test_case: TestCase, chosen: ChosenCases, run: Callable[[Any], Any]) -> None:
    for name, given in tests_of(chosen, seed=0, count=0):
        with test_case.subTest(name):
            run(given)


def tests_of(chosen: ChosenCases, *, seed: int, count: int) -> list[tuple[str, Case | CaseGroup]]:
    cases = chosen.cases(seed=seed, count=count)
    if chosen.by == "rule":
        return [(group.name, group) for group in chosen.groups(cases)]
    return list(zip(names_of(cases), cases, strict=True))


class _Failures:
    def __init__(self, group: CaseGroup) -> None:
        self._group = group
        self._found: list[tuple[Case, str]] = []
        self._first: BaseException | None = None

    @contextmanager
    def collected(self, case: Case) -> Iterator[None]:
        __tracebackhide__ = True
        try:
            yield
        except BaseException as problem:
            if not is_failure(problem):
                raise
            self._first = self._first or problem
            self._found.append((case, actual_of(problem)))

    def raise_if_any(self) -> None:
        """Raises one error for all failures. The error has the traceback of the first failure, so a debugger stops
        there.
        """
        __tracebackhide__ = True
        if self._first is not None:
            raise CasesFailed(self._group, self._found).with_traceback(self._first.__traceback__) from None


def is_failure(problem: BaseException) -> bool:
    """Returns whether an exception is the failure of a test: any `Exception`, or a call of `pytest.fail`."""
    failed_by_pytest = (
        type(problem).__module__ in {"_pytest.outcomes", "builtins"} and type(problem).__name__ == "Failed"
    )
    return failed_by_pytest or (isinstance(problem, Exception) and not isinstance(problem, SkipTest))
