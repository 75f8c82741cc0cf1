"""Waits until an HTTP target listens."""

import asyncio

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.target import opened

PAUSE = 0.2
"""The number of seconds between two attempts."""


async def wait_until_listening(target: HttpTarget, seconds: float) -> None:
    """Waits until the target answers a HEAD request. Raises `TargetError` if the target does not answer within
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
