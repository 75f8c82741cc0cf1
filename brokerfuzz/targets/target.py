"""The interface of a target. A target receives the bytes of a message and returns an answer.

The interface does not depend on verdicts, rules or generators. So it fits services, programs and functions.
"""

from typing import Protocol

from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer


class Target(Protocol):
    """Something that answers messages.

    `send` may be called many times concurrently, between `open` and `close`. It returns an answer even if the target misbehaves.
    It raises `TargetError` only in two cases: the target could never be reached since `open`, or the problem is on this machine.
    Examples of such problems are a certificate that is not trusted, and a lack of free file descriptors or ports.
    """

    @property
    def name(self) -> str:
        """The name of the target in reports. The name contains no secret."""
        ...

    async def open(self) -> None:
        """Prepares the target. Raises `TargetError` if the target is obviously unusable before any message is sent."""
        ...

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends one message and returns the answer.

        Each header in `headers` replaces the target's own header of the same name. If its value is None, no such header is sent.
        """
        ...

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns whether the target can receive the message. A campaign skips the messages that its target cannot receive."""
        ...

    async def close(self) -> None:
        """Releases the resources that `open` acquired. Raises no error if the target has already stopped."""
        ...

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a one-line POSIX shell command that sends the same message to the same target. It contains no secret."""
        ...
