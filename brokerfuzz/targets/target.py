"""Defines the interface of all targets. A target receives the bytes of a message and returns an answer."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.http_messages import Headers
from brokerfuzz.targets.secret_masking import NOTHING_SECRET

RUN_IN_SHELL = "run the command in a shell to see why"
CALL_IN_PYTHON = "call the function in Python to see why"
"""Advice for users if a program or a function does not work."""


class Target(ABC):
    """A service, a program or a function that answers messages.

    Between `open` and `close`, many calls of `send` may run at the same time. `send` returns an answer even if the
    target misbehaves. `send` raises `TargetError` only for problems that do not depend on the message. Examples: the
    target was never reached, its certificate cannot be verified, or brokerfuzz has no free file descriptor.
    """

    name: str
    """The name of the target in reports, without secrets."""
    isolates_messages = False
    """True if only the message itself can be the reason for a crash."""
    runs_in_shell = True
    """False if `reproduction` returns Python code instead of a shell command."""
    method = "POST"
    headers: Headers = ()
    """The headers of all requests, if the target is a server or an application."""
    rules = AnswerRules()
    secrets = NOTHING_SECRET
    """What no answer or report shows. A hook can add secrets while the campaign runs."""
    advice: str | None = None
    """What users can do if the target answers no message."""
    pace: Callable[[], Awaitable[None]] | None = None
    """If this function is given, the target awaits it before each request that repeats or follows a request, so that
    `--rate` also limits these requests. The caller of `send` limits the rate of the first requests.
    """

    async def open(self) -> None:  # noqa: B027
        """Prepares the target. Raises `TargetError` if this fails, for example because a program cannot be started."""

    async def close(self) -> None:  # noqa: B027
        """Releases everything that `open` acquired. Raises no error if `open` failed, or if the target has already
        stopped.
        """

    @abstractmethod
    async def send(self, body: bytes, case_id: str = "") -> Answer:
        """Sends a message and returns the answer. If possible, the request contains the ID of the case."""

    @property
    def shown_headers(self) -> Headers:
        """The headers of all requests, in which references such as `${TOKEN}` replace secrets."""
        return [(name, self.secrets.header(name, value)) for name, value in self.headers]

    async def paced(self) -> None:
        """Waits until the rate allows a further request."""
        if self.pace is not None:
            await self.pace()

    def can_send(self, body: bytes) -> bool:
        """Returns whether the target can receive the message. A campaign sends only messages that its target can
        receive.
        """
        return True

    @property
    def about(self) -> Mapping[str, Any]:
        """For reports: the settings of all requests, and the rules that classify answers."""
        return {}

    @abstractmethod
    def reproduction(self, body: bytes) -> str:
        """Returns a shell command on one line that sends the message to the target. The command contains no secrets."""


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
