"""Waits until a target listens."""

import asyncio

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.target import Target, opened

PAUSE = 0.2
"""The number of seconds between two attempts."""


async def wait_until_listening(target: Target, seconds: float) -> None:
    """Waits until the target can receive messages. Raises `TargetError` if the target does not answer within
    `seconds`.
    """
    reason: str | None = "it did not answer"
    try:
        async with opened(target), asyncio.timeout(seconds):
            while (reason := await target.not_listening()) is not None:
                await asyncio.sleep(PAUSE)
    except TimeoutError:
        raise TargetError(
            f"{target.name} was not ready within {seconds:g} s ({reason}): start the service, or wait longer with "
            "--wait-for"
        ) from None
