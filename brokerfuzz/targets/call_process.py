"""What runs in the process of a `CallTarget`: imports the function and calls it with each message that comes.

It is run by its path and imports nothing of brokerfuzz, so that it starts as fast as Python does and the user's function has the process for itself.
Messages come through descriptor 3, replies go through descriptor 4, both behind their length in four bytes; a reply is a letter and a text.
`R`: ready, or `E`: why it never will be; then `A`, `J`, `C` for each message: accepted, rejected, crashed.
"""

import os
import struct
import sys

TYPE_CHECKING = False  # typing itself would take a third of the start
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

INLET, OUTLET = 3, 4
LONGEST = 2000
"""Characters of a reply's text."""

_LENGTH = struct.Struct(">I")


def reply(letter: bytes, text: str) -> None:
    """Sends a reply, whole."""
    said = letter + text[:LONGEST].encode(errors="replace")
    said = _LENGTH.pack(len(said)) + said
    while said:
        said = said[os.write(OUTLET, said) :]


def main(function_name: str, rejection_names: list[str], path: list[str]) -> None:
    """Answers messages until there are no more."""
    sys.path[:] = path + [entry for entry in sys.path if entry not in path]
    for fd in (INLET, OUTLET):
        os.set_inheritable(fd, False)  # the function's own subprocesses have nothing to do with them
    end_with_the_parent()
    try:
        function = named(function_name)
        if not callable(function):
            raise SetUpError(f"{function_name} is {_a(function)} and cannot be called: name a function")  # noqa: TRY301
        rejections = tuple(map(rejection, rejection_names))
    except SetUpError as problem:
        reply(b"E", str(problem))
        return
    reply(b"R", "")
    with os.fdopen(INLET, "rb", 1 << 16) as messages:
        while head := messages.read(_LENGTH.size):
            body = messages.read(_LENGTH.unpack(head)[0])
            reply(*judged(function, body, rejections))


def end_with_the_parent() -> None:
    """Has the system kill us when the campaign is killed: a function that never returns would not notice. On Linux only."""
    if sys.platform == "linux":
        try:
            import ctypes
        except ImportError:  # some Pythons are built without
            return
        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL


class SetUpError(Exception):
    """Raised where nothing can be called, with the remedy."""


def named(name: str) -> "Any":
    """What a name such as `package.module:Class.method` stands for."""
    import importlib

    module_name, _, attributes = name.partition(":")
    try:
        found = importlib.import_module(module_name)
    except BaseException as problem:
        remedy = "correct the name, or run in the folder that holds it" if isinstance(problem, ModuleNotFoundError) else "correct the module"
        raise SetUpError(f"{module_name} cannot be imported ({text_of(problem)}): {remedy}") from problem
    at = module_name
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            import difflib

            near = difflib.get_close_matches(attribute, dir(found), n=1)
            guess = f"did you mean {near[0]!r}?" if near else "correct the name behind the colon"
            raise SetUpError(f"{at} has no {attribute!r}: {guess}") from None
        at += f".{attribute}"
    return found


def rejection(name: str) -> type[BaseException]:
    """The class of exceptions that a name stands for."""
    found = named(name)
    if not (isinstance(found, type) and issubclass(found, BaseException)):
        raise SetUpError(f"{name} is {_a(found)} and no class of exceptions: name one whose exceptions reject a message")
    return found


def judged(function: "Callable[[bytes], Any]", body: bytes, rejections: tuple[type[BaseException], ...]) -> tuple[bytes, str]:
    """The reply that a call of the function comes to."""
    try:
        result = function(body)
        if hasattr(result, "__await__"):
            result = awaited(result)
    except BaseException as problem:
        rejects = isinstance(problem, rejections) if rejections else rejects_by_default(problem)
        return (b"J" if rejects else b"C"), text_of(problem)
    if result is None or result is True:
        return b"A", f"returned {result}"
    if result is False:
        return b"J", "returned False"
    if isinstance(result, str):
        word, _, reason = result.partition(" ")
        if word in {"accepted", "rejected"}:
            return (b"A" if word == "accepted" else b"J"), reason or word
    return b"C", f"returned {_a(result)}, which is no answer: return True or False, or raise ValueError"


def rejects_by_default(problem: BaseException) -> bool:
    """Whether an exception says that the message is wrong: ValueError does, and what calls itself an error of validation."""
    return isinstance(problem, ValueError) or any("validation" in base.__name__.lower() for base in type(problem).__mro__)


def text_of(problem: BaseException) -> str:
    """The exception in words; its own text may fail too."""
    try:
        text = str(problem)
    except BaseException:
        text = "its text cannot be had"
    name = type(problem).__name__
    return f"{name}: {text[:LONGEST]}" if text else name


def awaited(awaitable: "Awaitable[Any]") -> "Any":
    """What an awaitable comes to, in one event loop for all messages."""
    import asyncio

    async def wait() -> "Any":
        return await awaitable

    if not _runners:
        _runners.append(asyncio.Runner())
    return _runners[0].run(wait())


_runners: "list[Any]" = []


def _a(thing: object) -> str:
    name = type(thing).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


if __name__ == "__main__":
    count = int(sys.argv[2])
    arguments, sys.argv[:] = sys.argv[:], sys.argv[:1]
    main(arguments[1], arguments[3 : 3 + count], arguments[3 + count :])
