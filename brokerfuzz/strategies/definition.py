"""Defines strategies whose arguments Hypothesis checks before it generates the first example.

The body of a function with the decorator `st.composite` runs only when Hypothesis draws an example, which is too late
to detect a wrong argument. A function with the decorator `strategy` runs earlier: it checks its arguments, and returns
a second function, which draws the examples. The errors that it raises become `InvalidArgument`.
"""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.errors import BrokerfuzzError

Value = TypeVar("Value")
Options = ParamSpec("Options")

Draws = Callable[[DrawFn], Value]
"""A function that draws the value of one example."""


def strategy(define: Callable[Options, Draws[Value]]) -> Callable[Options, SearchStrategy[Value]]:
    """Converts a function that returns `Draws` to one that returns a strategy, which is validated later."""

    def drawn(draw: DrawFn, call: _Call, *, name: str = define.__name__) -> Any:
        """Hypothesis replaces values by values of the same strategy. It would not distinguish two of these functions
        without the default of `name` (or in older versions, `__qualname__`).
        """
        return call.draws(draw)

    drawn.__name__ = drawn.__qualname__ = define.__name__
    named = st.composite(drawn)
    expected = _with_options(signature(define))

    @wraps(define)
    def strategy_of(*args: Options.args, **options: Options.kwargs) -> SearchStrategy[Value]:
        try:
            expected.bind(*args, **options)
        except TypeError as problem:
            raise InvalidArgument(f"{define.__name__}() {problem}") from None

        def definition() -> SearchStrategy[Value]:
            try:
                draws = define(*args, **options)
            except InvalidArgument:
                raise
            except (BrokerfuzzError, TypeError) as problem:
                raise InvalidArgument(str(problem)) from problem
            return named(_Call(draws, args, options))

        definition.__name__ = f"{define.__name__}({_arguments_in_words(args, options)})"
        return st.deferred(definition)

    drawn_type = get_args(expected.return_annotation)[-1]
    strategy_of.__signature__ = expected.replace(return_annotation=SearchStrategy.__class_getitem__(drawn_type))  # type: ignore[attr-defined]
    return strategy_of


def _with_options(call: Signature) -> Signature:
    """Lists the options of `**options: Unpack[...]` one by one. So `help` shows them, and a wrong name is an error."""
    *named, last = call.parameters.values()
    if last.kind is not Parameter.VAR_KEYWORD:
        return call
    (options,) = get_args(last.annotation)
    listed = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=False if kind is bool else None, annotation=kind)
        for name, kind in get_type_hints(options).items()
    ]
    return call.replace(parameters=[*named, *listed])


class _Call:
    """Contains the function that draws an example, and the arguments for the `repr` of the strategy."""

    def __init__(self, draws: Draws[Any], args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.draws, self._args, self._options = draws, args, options

    def __repr__(self) -> str:
        return _arguments_in_words(self._args, self._options)


def _arguments_in_words(args: tuple[Any, ...], options: dict[str, Any]) -> str:
    return ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in options.items())])
