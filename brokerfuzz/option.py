"""Declares an option once. The command line, the configuration file and its template, and the Python API follow from
this declaration (see `options`).

A declaration is an entry of a `TypedDict`: `rate: Annotated[float | None, Option(...)]`. A function that gets such a
`TypedDict` can rely on all its options, because `completed` adds the defaults.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, get_args, get_type_hints

import click
from click.shell_completion import CompletionItem

from brokerfuzz.errors import BrokerfuzzError, quoted

GIVEN = "brokerfuzz.given"
"""The key in click's `Context.meta` for the options of the command line."""
SECTIONS = ("Target", "Answers", "Output", "Cases", "Limits", "Results", "Contract", "Workers")
"""The sections of the help, in this order."""
OTHERS = "Other options"

Names = Callable[[str | None], Iterable[tuple[str, str]]]
"""Returns names and their descriptions, for completions in the shell. The argument is the folder of a contract."""


class WrongValueError(ValueError):
    """A value cannot be used. `expected` describes values that can be used, such as "a number above 0"."""

    def __init__(self, value: Any, expected: str) -> None:
        super().__init__(expected)
        self.value = value
        self.expected = expected


@dataclass(frozen=True, kw_only=True)
class Option:
    """`read` checks and converts a value of the command line, of the configuration or of the Python API. It raises
    `WrongValueError`.

    An option with an `example` is also a setting, whose name is that of the option, with hyphens. `flags` are its names
    on the command line (default: `--NAME`; empty: none). If `secret` is true, no error contains the value. If `file` is
    true, a path in the configuration is relative to the folder of the configuration.
    """

    help: str
    read: Callable[[Any], Any] = lambda value: value
    default: Any = None
    default_help: str = ""
    section: str = OTHERS
    flags: tuple[str, ...] | None = None
    metavar: str | None = None
    many: bool = False
    example: Any = None
    secret: bool = False
    file: bool = False
    names: Names | None = None
    excludable: bool = False

    @property
    def default_text(self) -> str:
        """Describes the default, or returns an empty text if there is none."""
        return self.default_help or ("" if self.default in (None, (), {}) else str(self.default))

    def complete(self, ctx: click.Context, param: click.Parameter, begun: str) -> "list[CompletionItem[str]]":
        """Completes a name in the shell. If `excludable` is true, the name may begin with `!`. If the contract cannot
        be used, there are no names.
        """
        mark = "!" if self.excludable and begun.startswith("!") else ""
        try:
            names = list(self.names(ctx.params.get("contract"))) if self.names is not None else []
        except BrokerfuzzError:
            return []
        begun = begun.removeprefix(mark)
        return [CompletionItem(f"{mark}{name}", help=text) for name, text in names if name.startswith(begun)]


def declared(kind: type) -> dict[str, Option]:
    """Maps the names of the options to their declarations."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: get_args(hint)[-1] for name, hint in hints.items()}


def checked(kind: type, values: Mapping[str, Any], spelled: Callable[[str, Option], str]) -> dict[str, Any]:
    """Checks and converts values. `spelled` returns the name of an option for errors. Raises `ValueError`."""
    converted = {}
    for name, option in declared(kind).items():
        if name in values:
            try:
                converted[name] = option.read(values[name])
            except WrongValueError as problem:
                wrong = "has a wrong value" if option.secret else f"is {quoted(problem.value)}"
                raise ValueError(f"{spelled(name, option)} {wrong}: use {problem.expected}") from None
    return converted


def completed(kind: type, *sources: Mapping[str, Any]) -> Any:
    """Combines the defaults with each source of values. The last source has priority."""
    combined = {name: option.default for name, option in declared(kind).items()}
    for values in sources:
        combined |= {name: value for name, value in values.items() if value is not None}
    return combined


# ------------------------------------------------------------------------------------------------------- command line


def on_command_line(kind: type, *, defaults: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator that adds options to a command. The command gets them as its argument `options`, with their
    defaults, or without if `defaults` is false.
    """
    options = declared(kind)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def wrapper(**params: Any) -> Any:
            ctx = click.get_current_context()
            values = {name: params.pop(name) for name, option in options.items() if option.flags != ()}
            try:
                chosen = checked(kind, {name: each for name, each in values.items() if each not in (None, ())}, flag_of)
            except ValueError as problem:
                raise click.UsageError(str(problem), ctx) from None
            ctx.meta[GIVEN] = chosen
            return command(**params, options=completed(kind, chosen) if defaults else chosen)

        result: Callable[..., Any] = wrapper
        for name, option in reversed(options.items()):
            if option.flags != ():
                result = _click_option(name, option)(result)
        return result

    return decorate


def setting_name(name: str) -> str:
    return name.replace("_", "-")


def flag_of(name: str, option: Option) -> str:
    """The name of an option on the command line: the long one, if there are several."""
    no = "no-" if option.default is True else ""
    return option.flags[-1] if option.flags else f"--{no}{name.replace('_', '-')}"


def words_of(kind: type, options: Mapping[str, Any]) -> Iterator[str]:
    """Yields the words of a command line with these options, except for defaults."""
    for name, option in declared(kind).items():
        value = options.get(name, option.default)
        if value != option.default:
            flag = flag_of(name, option)
            values = value if option.many else [value]
            yield from [flag] if value is True else (f"{flag}={item}" for item in values)


def _click_option(name: str, option: Option) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    is_switch = isinstance(option.default, bool)
    notes = [
        *(["repeatable"] if option.many else []),
        *([f"default: {text}"] if not is_switch and (text := option.default_text) else []),
    ]
    return click.option(
        *(option.flags or [flag_of(name, option)]), name, cls=DeclaredOption, section=option.section,
        help="  ".join([option.help, *(f"[{note}]" for note in notes)]), metavar=option.metavar, default=None,
        **({"is_flag": True, "flag_value": not option.default} if is_switch else
           {"multiple": option.many, "type": click.Path(readable=False) if option.file else str,
            "shell_complete": None if option.file else option.complete}),
    )  # fmt: skip


class DeclaredOption(click.Option):
    """An option of click that knows its section in the help."""

    def __init__(self, *args: Any, section: str, **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists its options in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:  # the usage line names the arguments
                sections.setdefault(getattr(param, "section", OTHERS), []).append(record)
        for heading in (*SECTIONS, OTHERS):
            if heading in sections:
                with formatter.section(heading if len(sections) > 1 else "Options"):
                    formatter.write_dl(sections[heading])
