"""This script runs in each process of a `CallTarget`. The script imports the user's function and calls it with each
message.

The script imports nothing from brokerfuzz, so that it starts fast, and so that brokerfuzz cannot influence the user's
function.

The script reads messages from file descriptor 3 and writes replies to file descriptor 4. Each message and each reply
begins with its length in four bytes. A reply consists of a letter and a text. The first reply is `R` if the function is
ready, or `E` and the reason if the function cannot be used. All other replies begin with `A` (accepted), `J` (rejected)
or `C` (crashed).
"""

import os
import struct
import sys

TYPE_CHECKING = False  # importing typing would make the start 50 % slower
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

INPUT_FD, OUTPUT_FD = 3, 4
LONGEST = 2000
"""The maximum number of characters in the text of a reply."""

NOT_AN_ANSWER = "is not a valid answer: return True or False, or raise ValueError"
LETTERS = {"accepted": b"A", "rejected": b"J", "crashed": b"C"}
LENGTH = struct.Struct(">I")


def reply(letter: bytes, text: str) -> None:
    said = letter + text[:LONGEST].encode(errors="replace")
    said = LENGTH.pack(len(said)) + said
    while said:
        said = said[os.write(OUTPUT_FD, said) :]


def main(function_name: str, rejection_names: list[str], path: list[str]) -> None:
    sys.path[:] = path + [entry for entry in sys.path if entry not in path]
    for fd in (INPUT_FD, OUTPUT_FD):
        os.set_inheritable(fd, False)  # subprocesses of the function must not inherit them
    try:
        function = object_named(function_name)
        if not callable(function):
            raise SetUpError(f"{function_name} is {_type_name(function)} and cannot be called: specify a function")  # noqa: TRY301
        rejections = tuple(map(rejection, rejection_names))
    except SetUpError as problem:
        reply(b"E", str(problem))
        return
    reply(b"R", "")
    with os.fdopen(INPUT_FD, "rb", 1 << 16) as messages:
        while head := messages.read(LENGTH.size):
            body = messages.read(LENGTH.unpack(head)[0])
            reply(*answer_to(function, body, rejections))


class SetUpError(Exception):
    """The function cannot be called. The exception's message tells the user what to do."""


def object_named(name: str) -> "Any":
    """Returns the object with a name such as `package.module:Class.method`."""
    import importlib

    module_name, _, attributes = name.partition(":")
    try:
        found = importlib.import_module(module_name)
    except BaseException as problem:
        remedy = (
            "correct the name, or run brokerfuzz in the folder that contains the module"
            if isinstance(problem, ModuleNotFoundError)
            else "fix the error in the module"
        )
        raise SetUpError(f"{module_name} cannot be imported ({description_of(problem)}): {remedy}") from problem
    at = module_name
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            import difflib

            near = difflib.get_close_matches(attribute, dir(found), n=1)
            guess = f"did you mean {near[0]!r}?" if near else "correct the name after the colon"
            raise SetUpError(f"{at} has no {attribute!r}: {guess}") from None
        at += f".{attribute}"
    return found


def rejection(name: str) -> type[BaseException]:
    found = object_named(name)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        remedy = "specify the class of the exception that the function raises to reject a message"
        raise SetUpError(f"{name} is {_type_name(found)} and not an exception class: {remedy}")
    return found


def answer_to(
    function: "Callable[[bytes], Any]", body: bytes, rejections: tuple[type[BaseException], ...]
) -> tuple[bytes, str]:
    """Calls the function with the message, and returns the reply: a letter (see the top of this file) and a text."""
    try:
        result = function(body)
        if hasattr(result, "__await__"):
            result = run_awaitable(result)
    except BaseException as problem:
        rejects = isinstance(problem, rejections) if rejections else rejects_by_default(problem)
        return (b"J" if rejects else b"C"), description_of(problem)
    return meaning_of(result) or (b"C", f"returned {_type_name(result)}, which {NOT_AN_ANSWER}")


def meaning_of(result: object) -> tuple[bytes, str] | None:
    """Converts the result of the function to a reply: a letter (see the top of this file) and a text. Returns None if
    the result is not a valid answer.
    """
    if result is None or result is True:
        return b"A", f"returned {result}"
    if result is False:
        return b"J", "returned False"
    if isinstance(result, str):
        word = result.replace(":", " ").partition(" ")[0]
        if letter := LETTERS.get(word):
            return letter, result[len(word) + 1 :].strip() or word
    return None


def rejects_by_default(problem: BaseException) -> bool:
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
    count = int(sys.argv[2])
    arguments, sys.argv[:] = sys.argv[:], sys.argv[:1]
    main(arguments[1], arguments[3 : 3 + count], arguments[3 + count :])
