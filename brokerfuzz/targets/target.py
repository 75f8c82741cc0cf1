"""The interface of a target: it receives bytes and returns an answer.

It does not depend on verdicts, rules or generation, so services, programs and functions can implement the same methods.
"""

from typing import Protocol

from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer


class Target(Protocol):
    """Something that answers messages.

    `send` may be called many times concurrently, between `open` and `close`. It returns an answer even if the target misbehaves.
    It raises `TargetError` only if the target could never be reached since `open`, or if the problem is on this machine: a
    certificate that is not trusted, or no free descriptor or port.
    """

    @property
    def name(self) -> str:
        """The name of the target in reports; contains no secret."""
        ...

    async def open(self) -> None:
        """Prepares the target. Raises `TargetError` if it is obviously unusable even before anything is sent."""
        ...

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends one message and returns the answer.

        `headers` replace the target's own headers of the same names (None: send no such header).
        """
        ...

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns whether the target can receive the message. A campaign skips messages that it cannot receive."""
        ...

    async def close(self) -> None:
        """Releases the resources that `open` acquired. Does not raise if the target has stopped."""
        ...

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a one-line POSIX shell command that sends the same message to the same target; contains no secret."""
        ...
