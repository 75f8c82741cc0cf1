"""Defines the interface of all targets. A target receives the bytes of a message and returns an answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer

RUN_IN_SHELL = "run the command in a shell to see why"
CALL_IN_PYTHON = "call the function in Python to see why"
"""Advice for users if a program or a function does not work."""


class Target(Protocol):
    """A service, a program or a function that answers messages.

    Between `open` and `close`, many calls of `send` may run at the same time. `send` returns an answer even if the
    target misbehaves. `send` raises `TargetError` only for problems that do not depend on the message. Examples: the
    target was never reached, its certificate cannot be verified, or brokerfuzz has no free file descriptor.
    """

    @property
    def name(self) -> str:
        """The name of the target in reports, without secrets."""
        ...

    async def open(self) -> None:
        """Prepares the target. Raises `TargetError` if this fails, for example because a program cannot be started."""
        ...

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends a message and returns the answer. `headers` replace the headers of the target that have the same names.
        A header with the value None is removed.
        """
        ...

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns whether the target can receive the message. A campaign sends only messages that its target can
        receive.
        """
        ...

    async def close(self) -> None:
        """Releases everything that `open` acquired. Raises no error if `open` failed, or if the target has already
        stopped.
        """
        ...

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a shell command on one line that sends the message to the target. The command contains no secrets."""
        ...


def checked_timeout(seconds: float) -> float:
    if not seconds > 0:
        raise TargetError(f"the timeout is {seconds} seconds: use a value greater than 0")
    return seconds


T = TypeVar("T", bound=Target)


@asynccontextmanager
async def opened(target: T) -> AsyncIterator[T]:
    """Opens a target, and closes the target when the `with` block ends. Raises `TargetError` if the target cannot be
    opened.
    """
    try:
        await target.open()
        yield target
    finally:
        await target.close()
