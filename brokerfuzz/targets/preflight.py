"""Checks before a campaign that the target accepts an ordinary valid message.

If the path is wrong or credentials are missing, the target rejects every message. Without this check, the campaign would then
report hundreds of findings with the same cause. The accepted message is sent a second time, to check whether the target accepts
repeated messages. A program or a function also gets a clearly invalid message. If the program or the function answers neither the
valid nor the invalid message, the campaign ends, because every message would time out.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.call_process import NOT_AN_ANSWER
from brokerfuzz.targets.call_target import CALL_IN_PYTHON, CallTarget
from brokerfuzz.targets.command_target import CommandTarget
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.line_target import LineTarget
from brokerfuzz.targets.pool_target import PoolTarget
from brokerfuzz.targets.shell import RUN_IN_SHELL
from brokerfuzz.targets.target import Target

CLEARLY_INVALID = b"{}"
"""A message without any property. Every message type has required properties."""

_REMEDIES = {
    401: "the target requires credentials: provide them with --auth or -H 'Authorization: ...'",
    403: "these credentials give no access: provide other credentials with -H 'Authorization: ...'",
    404: "nothing exists at this path: correct the path of the URL (the contract does not define a path)",
    405: "the target does not support {method} at this path: use another method with --method",
    407: "a proxy requires credentials: specify --proxy http://USER:PASSWORD@HOST:PORT",
    415: "the target does not support {content_type}: use another type with -H 'Content-Type: ...'",
}


@dataclass(frozen=True)
class Preflight:
    """The answers to an ordinary valid message (`answer`) and to its repetition (`again`).

    If the target does not accept the message, brokerfuzz does not repeat the message, and `again` is equal to `answer`.
    """

    answer: Answer
    again: Answer

    @property
    def repeats(self) -> bool:
        """False if the target accepts the message the first time, but not the second time."""
        return self.answer.kind != "accepted" or self.again.kind == "accepted"

    @property
    def warning(self) -> str | None:
        if self.repeats:
            return None
        return f"the target rejects a message that it accepted before ({self.again.reason}): it will reject each message that it already knows"


async def check(target: Target, messages: Mapping[str, bytes]) -> Preflight:
    """Sends ordinary valid messages until the target accepts one, and then sends the accepted message again. `messages` maps the
    IDs of the messages to their bodies.

    If the target accepts no message, brokerfuzz examines the status of the first answer. Raises `TargetError` if this status
    concerns the request and not the message: 401, 403, 404, 405, 407, 415 or a redirect. A status that means `accepted`, or a
    status code that `--accept` or `--reject` lists, raises no error.

    A program or a function also gets a clearly invalid message. Raises `TargetError` if the target answers neither the valid nor
    the invalid message, or if a function returns invalid answers to both messages.
    """
    (first, body), *others = messages.items()
    answer = await (_send_both(target, body) if isinstance(target, CommandTarget | PoolTarget) else _send(target, body, first))
    for case_id, other in others if answer.kind == "rejected" else ():
        if (second := await _send(target, other, case_id)).kind == "accepted":
            return Preflight(second, await _send(target, other, case_id))
    rules = target.rules if isinstance(target, HttpTarget) else AnswerRules()
    configured = answer.kind == "accepted" or (answer.status is not None and rules.has_code(answer.status))
    if answer.status is not None and not configured and (remedy := _remedy(target, answer)) is not None:
        raise TargetError(f"{target.name} answers a valid message with status {answer.status}: {remedy}")
    return Preflight(answer, await _send(target, body, first) if answer.kind == "accepted" else answer)


async def _send(target: Target, body: bytes, case_id: str) -> Answer:
    return await (target.send(body, case_id=case_id) if isinstance(target, HttpTarget) else target.send(body))


async def _send_both(target: CommandTarget | PoolTarget, body: bytes) -> Answer:
    """Sends the valid message `body` and, at the same time, a clearly invalid message. Returns the answer to `body`."""
    answer, invalid = await asyncio.gather(target.send(body), target.send(CLEARLY_INVALID))
    if answer.reason.endswith(NOT_AN_ANSWER) and invalid.reason.endswith(NOT_AN_ANSWER):
        raise TargetError(f"{target.name} {answer.reason}")
    if target.answered:
        return answer
    said = answer.reason if answer.reason == invalid.reason else f"{answer.reason}; {invalid.reason}"
    raise TargetError(f"{target.name} answers neither a valid message nor a clearly invalid one ({said}): {_advice(target)}")


def _advice(target: CommandTarget | PoolTarget) -> str:
    if isinstance(target, LineTarget):
        return "print and flush a line with accepted or rejected for each message"
    return CALL_IN_PYTHON if isinstance(target, CallTarget) else RUN_IN_SHELL


def _remedy(target: Target, answer: Answer) -> str | None:
    status = answer.status or 0
    if status // 100 == 3:
        if answer.location is None:
            return "a redirect, which brokerfuzz does not follow: use the URL of its destination"
        return f"a redirect to {answer.location}, which brokerfuzz does not follow: use that URL"
    if not isinstance(target, HttpTarget):
        return _REMEDIES.get(status)
    headers = {name.lower(): value for name, value in target.headers}
    if status == 401 and ("authorization" in headers or "authorization" in dict(target.request["headers"])):
        return "the target does not accept these credentials: provide other credentials with -H 'Authorization: ...'"
    return _REMEDIES.get(status, "").format(method=target.method, content_type=headers.get("content-type", "")) or None
