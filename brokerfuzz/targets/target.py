"""What a campaign sends messages to.

A target takes bytes and gives an answer. It knows nothing of verdicts, rules or generation, so that a service, a
program or a function can stand behind the same three methods.
"""

from typing import Protocol

from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer


class Target(Protocol):
    """Something that answers messages.

    `send` may be called many times at once, between one `open` and one `close`. It gives an answer for whatever the
    target does, and raises `TargetError` only where the target cannot be reached or addressed at all and never could
    be since `open`, and where what lacks is not the target's: a certificate that we trust, a descriptor, a port.
    """

    @property
    def name(self) -> str:
        """What reports call the target; holds no secret."""
        ...

    async def open(self) -> None:
        """Gets ready. Raises `TargetError` where the target can be known to be unusable without sending anything."""
        ...

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends one message and waits for the answer.

        `headers` are what the request has in place of what the target would send by these names (None: no such header).
        """
        ...

    def carries(self, body: bytes, headers: Headers = ()) -> bool:
        """Whether the target can be given such a message: one that cannot is left out of a campaign."""
        ...

    async def close(self) -> None:
        """Lets go of what `open` took. Never raises for a target that is gone."""
        ...

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """One line for a POSIX shell that sends the same message to the same target; holds no secret."""
        ...
