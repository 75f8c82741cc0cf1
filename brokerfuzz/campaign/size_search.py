"""Finds out whether the size of a message alone makes the target reject it, for example because a proxy limits the
size.

To find out, the search sends a message that the target accepts, with so many spaces that it is as large as the rejected
message. If the target rejects this message too, the size is the cause. A binary search then finds the smallest size
that the target rejects.

    rejected      {"number":"OFF-1", … }                      55,407 bytes   status 413
    plain         {"number":"OFF-1","offerType":"Email"}          38 bytes   accepted
    with spaces   {"number":"OFF-1","offerType":"Email"   … } 55,407 bytes   status 413: the cause is the size
"""

from collections.abc import Awaitable, Callable

SMALLEST = 1024
"""The search does not consider smaller messages, because a limit below one kilobyte is improbable. This saves
requests.
"""


def with_spaces(plain: bytes, size: int) -> bytes:
    """Inserts spaces before the last bracket of a JSON message."""
    return plain[:-1] + b" " * (size - len(plain)) + plain[-1:]


async def smallest_rejected(plain: bytes, size: int, shows_problem: Callable[[bytes], Awaitable[bool]]) -> bool:
    """Returns False if the plain message with spaces does not show the problem at the given size. Otherwise, calls
    `shows_problem` with messages of several sizes. The last message for which it returns True is the smallest one that
    shows the problem.
    """
    if size < max(SMALLEST, len(plain) + 1) or not await shows_problem(with_spaces(plain, size)):
        return False
    accepted, rejected = len(plain), size
    while rejected - accepted > 1:
        middle = (accepted + rejected) // 2
        if await shows_problem(with_spaces(plain, middle)):
            rejected = middle
        else:
            accepted = middle
    return True
