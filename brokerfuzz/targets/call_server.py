"""This script runs in each process of a `CallTarget`. The script imports the user's function and calls it with each
message.

The script imports nothing from brokerfuzz, so that it starts fast, and so that brokerfuzz cannot influence the user's
function.

The script is a program for `--lines frames` (see `LineTarget`): it reads frames from standard input, and writes a line
with the answer to each message to standard output. Before the first message, it writes the line `ready`, or `unusable`
and the reason if the function cannot be used. The function itself has no standard input, and its output is ignored.
"""

import os
import struct
import sys

TYPE_CHECKING = False  # importing typing would make the start 50 % slower
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Literal

    Kind = Literal["accepted", "rejected", "crashed"]

LONGEST = 10_000
"""The maximum number of characters in the reason of an answer."""
LONGEST_TEXT = 150
"""The maximum number of characters of the text of an exception before its line of code: a reason has one line."""

NOT_AN_ANSWER = "is not a valid answer: return True or False, or raise ValueError"
ANSWER_KINDS: "tuple[Kind, ...]" = ("accepted", "rejected", "crashed")
LENGTH = struct.Struct(">I")
_NOT_OF_USERS = (__file__.removesuffix(f"targets{os.sep}call_server.py"), os.__file__.removesuffix("os.py"), "<frozen")
"""The beginnings of the names of files that are not code of the user: brokerfuzz and the standard library."""


def main(function_name: str, path: list[str]) -> None:
    sys.path[:] = path + [entry for entry in sys.path if entry not in path]
    frames, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nothing, fd)

    def write(word: str, reason: str) -> None:
        line = f"{word} {' '.join(reason[:LONGEST].splitlines())}\n".encode(errors="replace")
        while line:
            line = line[os.write(answers, line) :]

    try:
        function = object_named(function_name)
        if not callable(function):
            raise SetUpError(f"{function_name} is {_type_name(function)} and cannot be called: specify a function")  # noqa: TRY301
    except SetUpError as problem:
        write("unusable", str(problem))
        return
    write("ready", "")
    while head := frames.read(LENGTH.size):
        write(*answer_to(function, frames.read(LENGTH.unpack(head)[0])))


class SetUpError(Exception):
    """The function cannot be called. The exception's message tells the user what to do."""


def object_named(name: str) -> "Any":
    """Returns the object with a name such as `package.module:Class.method`."""
    import pkgutil

    module = name.partition(":")[0]
    try:
        return pkgutil.resolve_name(name)
    except ModuleNotFoundError as problem:
        remedy = "correct the name, or run brokerfuzz in the folder that contains the module"
        raise SetUpError(f"{module} cannot be imported ({description_of(problem)}): {remedy}") from problem
    except AttributeError as problem:
        raise SetUpError(f"{name} cannot be used ({problem}): correct the name after the colon") from problem
    except BaseException as problem:
        raise SetUpError(
            f"{module} cannot be imported ({description_of(problem)}): fix the error in the module"
        ) from problem


def answer_to(function: "Callable[[bytes], Any]", body: bytes) -> "tuple[Kind, str]":
    """Calls the function with the message, and returns the kind of the answer and the reason."""
    try:
        result = function(body)
        if hasattr(result, "__await__"):
            result = run_awaitable(result)
    except BaseException as problem:
        if means_rejected(problem):
            return "rejected", description_of(problem)
        text = description_of(problem)
        shown = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
        return "crashed", f"{shown}{line_of_code(problem)}"
    return meaning_of(result) or ("crashed", f"returned {_type_name(result)}, which {NOT_AN_ANSWER}")


def meaning_of(result: object) -> "tuple[Kind, str] | None":
    """Returns the kind of the answer that the function returned, and the reason. Returns None if the result is not a
    valid answer.
    """
    if result is None or result is True:
        return "accepted", f"returned {result}"
    if result is False:
        return "rejected", "returned False"
    if isinstance(result, str):
        word = result.replace(":", " ").partition(" ")[0]
        for kind in ANSWER_KINDS:
            if kind == word:
                return kind, result[len(word) + 1 :].strip() or word
    return None


def means_rejected(problem: BaseException) -> bool:
    """Returns True for a `ValueError`, and for an exception whose class (or base class) has `validation` in its
    name.
    """
    return isinstance(problem, ValueError) or any(
        "validation" in base.__name__.lower() for base in type(problem).__mro__
    )


def description_of(problem: BaseException) -> str:
    """Describes an exception, even if its method `__str__` fails."""
    try:
        text = str(problem)
    except BaseException:
        text = "its error message cannot be read"
    name = type(problem).__name__
    return f"{name}: {text[:LONGEST]}" if text else name


def line_of_code(problem: BaseException) -> str:
    """Returns the innermost line of the user's code at which an exception occurred, such as ` (reader.py:18)`."""
    place, trace = "", problem.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "site-packages" not in file and not file.startswith(_NOT_OF_USERS):
            place = f" ({file.rpartition(os.sep)[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place


def run_awaitable(awaitable: "Awaitable[Any]") -> "Any":
    """Waits for the result of an awaitable. All awaitables run in the same event loop."""
    import asyncio

    async def wait() -> "Any":
        return await awaitable

    if not _runners:
        _runners.append(asyncio.Runner())
    return _runners[0].run(wait())


_runners: "list[Any]" = []


def _type_name(thing: object) -> str:
    name = type(thing).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


if __name__ == "__main__":
    arguments, sys.argv[:] = sys.argv[:], sys.argv[:1]
    main(arguments[1], arguments[2:])
