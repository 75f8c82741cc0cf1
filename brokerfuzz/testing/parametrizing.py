"""Defines `brokerfuzz.parametrize`, which turns cases into tests. This module does not import pytest."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Literal, TypeVar, cast
from unittest import SkipTest, TestCase

from brokerfuzz.cases.case import Case, rank_for_reading
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.plan import Plan
from brokerfuzz.cases.rule_names import rule_names
from brokerfuzz.cases.testable_contract import check_testable
from brokerfuzz.corpus.bundled_corpus import load
from brokerfuzz.errors import BrokerfuzzError, quoted
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.testing import CHOSEN
from brokerfuzz.testing.failure_causes import FailedCase
from brokerfuzz.testing.failure_text import actual_of, described_failures
from brokerfuzz.wording import listed

Test = TypeVar("Test", bound=Callable[..., Any])
GroupedBy = Literal["case", "rule"]

ARGUMENT = "case"
"""The name of the parameter through which a test function receives the case."""


def parametrize(
    message_type: MessageType,
    *,
    verdicts: Sequence[Label] = ("valid", "invalid"),
    rules: Sequence[str] = (),
    techniques: Sequence[str] = (),
    by: GroupedBy = "rule",
    contract: Contract | None = None,
) -> Callable[[Test], Test]:
    """Runs a test function with the cases of a message type. The function receives each case in its parameter `case`.

    With `by="rule"`, there is one test per rule, which calls the function with all cases of the rule, and fails at most
    once, with one failing case of each probable cause. Fixtures are created once per rule, and one test contains all
    valid cases.
    With `by="case"`, there is one test per case. The ID of the test is `str(case)`, which begins with `breaks` for an
    invalid case and with `valid` for a valid case. The cases come from `corpus.load`: each rule broken with each
    technique, each edge (an unusual valid value), and each probe of an ambiguity. `rules` and `techniques` are
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
        contract = known_contract(contract)
        contract.known_message_type(message_type)
        known_labels(verdicts)
        selection(contract, rules, techniques)
        if by not in ("case", "rule"):
            expected = "use 'case' for one test per case, or 'rule' for one test per rule"
            raise ValueError(f"by={quoted(by)} is not supported: {expected}")  # noqa: TRY301
    except (BrokerfuzzError, TypeError, ValueError) as problem:
        raise problem.with_traceback(None)  # noqa: B904  (a traceback through brokerfuzz does not help the user)
    plan = Plan(
        message_type=message_type,
        contract=None if contract.is_tested else str(contract.folder),
        values=None if contract.values is None else contract.values.text,
        case_set="essential",
        verdicts=tuple(verdicts),
        rules=tuple(rules),
        techniques=tuple(techniques),
    )
    chosen = ChosenCases(plan, contract, by)

    def decorate(function: Test) -> Test:
        __tracebackhide__ = True
        _check_function(function)

        @wraps(function)
        async def asynchronous(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            for collected, arguments in _calls(chosen, args, kwargs):
                with collected:
                    await function(*args, **arguments)

        @wraps(function)
        def synchronous(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            for collected, arguments in _calls(chosen, args, kwargs):
                with collected:
                    function(*args, **arguments)

        test = asynchronous if inspect.iscoroutinefunction(function) else synchronous
        setattr(test, CHOSEN, chosen)
        return cast(Test, test)

    return decorate


def _check_function(function: Any) -> None:
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


# ---------------------------------------------------------------------------------------------------------------- cases


@dataclass(frozen=True)
class RuleCases:
    """All cases of a rule, which one test sends. `expected` maps patterns for names of cases to the IDs of the cases
    that may fail. If `is_strict` is true, the test fails if none of the cases of a pattern fails.
    """

    cases: tuple[Case, ...]
    expected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    is_strict: bool = False


TestedCases = Case | RuleCases
"""What one test sends."""


def cases_in(tested: TestedCases) -> tuple[Case, ...]:
    return tested.cases if isinstance(tested, RuleCases) else (tested,)


@dataclass(frozen=True)
class ChosenCases:
    """The cases for a test function."""

    plan: Plan
    contract: Contract
    by: GroupedBy

    def tests(self, *, seed: int = 0, count: int = 0) -> list[tuple[str, TestedCases]]:
        """Returns the names and the cases of the tests: the matching essential cases (a small, fixed set of cases), and
        then `count` random cases. No case occurs twice.

        Raises `BrokerfuzzError` if no case matches, or if the contract cannot be tested.
        """
        cases = list({case.id: case for case in self._cases(seed, count)}.values())
        if not cases:
            raise BrokerfuzzError(
                "no case matches the arguments of brokerfuzz.parametrize: change verdicts, rules or techniques"
            )
        if self.by == "case":
            return list(zip(names_of(cases), cases, strict=True))
        groups: dict[str, list[Case]] = {}
        for case in cases:
            groups.setdefault(self._group_name(case), []).append(case)
        return [(name, RuleCases(tuple(sorted(group, key=rank_for_reading)))) for name, group in groups.items()]

    def _cases(self, seed: int, count: int) -> Iterator[Case]:
        plan = self.plan
        check_testable(self.contract, plan.message_type, plan.chosen, plan.verdicts)
        if plan.contract is None:  # reading the corpus is faster than generating it
            names = ("verdicts", "rules", "techniques")
            yield from load(plan.message_type, **{name: getattr(plan, name) for name in names})
        else:
            yield from plan.catalogue_cases()
        if count:
            random = replace(plan, seed=seed, count=count, case_set="random")
            yield from (case for _, case in random.numbered())

    def _group_name(self, case: Case) -> str:
        if case.label == "invalid":
            names = rule_names(self.contract)
            return "breaks " + " and ".join(
                dict.fromkeys(names.get(entry.rule, entry.rule) for entry in case.verdict.broken)
            )
        touched = case.verdict.ambiguities if case.label == "unspecified" else ()
        return f"touches {touched[0].ambiguity}" if touched else f"{case.label} {case.message_type}"


def names_of(cases: Sequence[Case]) -> list[str]:
    """Returns a readable name for each case. If an earlier case has the same name, the name also contains the beginning
    of the case's ID.
    """
    earlier_names: set[str] = set()
    names = []
    for case in cases:
        name = str(case)
        names.append(f"{name} {case.id[:8]}" if name in earlier_names else name)
        earlier_names.add(name)
    return names


# ---------------------------------------------------------------------------------------------------------------- calls

Call = tuple[AbstractContextManager[None], dict[str, Any]]


def _calls(chosen: ChosenCases, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[Call]:
    """Yields the arguments of each call of a test function, and a context that collects its failure."""
    __tracebackhide__ = True
    if ARGUMENT not in kwargs and len(args) == 1 and isinstance(args[0], TestCase):  # unittest supports no parameters
        for name, tested in chosen.tests():
            with args[0].subTest(name):
                yield from _collected(tested if isinstance(tested, RuleCases) else RuleCases((tested,)), kwargs)
    elif isinstance(kwargs.get(ARGUMENT), RuleCases):
        yield from _collected(kwargs[ARGUMENT], kwargs)
    else:
        yield nullcontext(), kwargs


class CasesFailed(AssertionError):
    """Some cases failed. `failures` also contains those that were expected."""

    def __init__(self, text: str, failures: Sequence[FailedCase]) -> None:
        super().__init__(text)
        self.failures = failures


class OnlyExpectedFailures(CasesFailed):
    """All cases that failed were expected to fail."""


def _problem(tested: RuleCases, failures: Sequence[FailedCase]) -> CasesFailed:
    failed = {case.id for case, _ in failures}
    passing = [pattern for pattern, expected in tested.expected.items() if failed.isdisjoint(expected)]
    expected_ids = frozenset[str]().union(*tested.expected.values())
    unexpected = [(case, actual) for case, actual in failures if case.id not in expected_ids]
    if unexpected:
        return CasesFailed(described_failures(tested.cases, unexpected), failures)
    if tested.is_strict and passing:
        return CasesFailed(f"these cases pass again, so remove them from brokerfuzz_xfail: {listed(passing)}", failures)
    return OnlyExpectedFailures(described_failures(tested.cases, failures), failures)


def _collected(tested: RuleCases, kwargs: dict[str, Any]) -> Iterator[Call]:
    """In the end, raises one error for all failures. The error has the traceback of the first failure, so a debugger
    stops there. An exception that is no failure, such as a skip, ends the test (or the sub-test) at once.
    """
    __tracebackhide__ = True
    failures: list[FailedCase] = []
    first: list[BaseException] = []
    stops: list[BaseException] = []

    @contextmanager
    def collecting(case: Case) -> Iterator[None]:
        __tracebackhide__ = True
        try:
            yield
        except BaseException as problem:
            if not _is_failure(problem):
                stops.append(problem)
                return
            if not failures:
                first.append(problem)
            failures.append((case, actual_of(problem)))

    for case in tested.cases:
        yield collecting(case), {**kwargs, ARGUMENT: case}
        if stops:
            raise stops[0]
    if first:
        raise _problem(tested, failures).with_traceback(first[0].__traceback__) from None


def _is_failure(problem: BaseException) -> bool:
    """Returns whether an exception is the failure of a test: any `Exception`, or a call of `pytest.fail`."""
    failed_by_pytest = (
        type(problem).__module__ in {"_pytest.outcomes", "builtins"} and type(problem).__name__ == "Failed"
    )
    return failed_by_pytest or (isinstance(problem, Exception) and not isinstance(problem, SkipTest))
