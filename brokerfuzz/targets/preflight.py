"""Checks before a campaign whether the URL accepts messages at all.

A wrong path rejects every message, and so does a service that requires credentials: hundreds of findings with one cause. One
plain valid message detects this in advance. If the same message is sent again, its answer shows whether the target accepts
repeated messages.
"""

from dataclasses import dataclass

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.target import Target

_REMEDIES = {
    401: "it requires credentials: provide them with -H 'Authorization: ...'",
    403: "these credentials have no access: provide others with -H 'Authorization: ...'",
    404: "nothing exists at this path: correct the URL (the contract defines no path)",
    405: "it does not support {method} at this path: use another method with --method",
    407: "a proxy requires credentials: use a URL that bypasses it",
    415: "it does not support {content_type}: use another type with -H 'Content-Type: ...'",
}
"""Status -> its meaning and what to do."""


@dataclass(frozen=True)
class Preflight:
    """The answers to one plain valid message and to its repetition. If the first was not accepted, `again` is the first answer."""

    answer: Answer
    again: Answer

    @property
    def repeats(self) -> bool:
        """Whether the target accepts a repeated message. If not, it rejects every message with a number that it already knows."""
        return self.answer.kind != "accepted" or self.again.kind == "accepted"

    @property
    def warning(self) -> str | None:
        """A warning to show before the other messages are sent; None if there is none."""
        if self.repeats:
            return None
        return f"the target rejects an offer that it accepted before ({self.again.reason}): every message that repeats a number will be rejected"


async def check(target: Target, body: bytes) -> Preflight:
    """Sends a plain valid message to an open target, and repeats it if it was accepted.

    Raises `TargetError` for a status that is about the request and not about the message (401, 403, 404, 405, 407, 415, and
    redirects), unless the target's rules name this code. Also raises what `send` raises. Any other rejection is returned as an
    answer.
    """
    answer = await target.send(body)
    rules = target.rules if isinstance(target, HttpTarget) else AnswerRules()
    if answer.status is not None and not rules.has_code(answer.status) and (remedy := _remedy(target, answer)) is not None:
        raise TargetError(f"{target.name} answers a valid message with status {answer.status}: {remedy}")
    return Preflight(answer, await target.send(body) if answer.kind == "accepted" else answer)


def _remedy(target: Target, answer: Answer) -> str | None:
    status = answer.status or 0
    if status // 100 == 3:
        if answer.location is None:
            return "a redirect, which is not followed: use the URL of its destination"
        return f"a redirect to {answer.location}, which is not followed: use that URL"
    if not isinstance(target, HttpTarget):
        return _REMEDIES.get(status)
    headers = {name.lower(): value for name, value in target.headers}
    if status == 401 and ("authorization" in headers or "authorization" in dict(target.request["headers"])):
        return "it does not accept these credentials: provide others with -H 'Authorization: ...'"
    return _REMEDIES.get(status, "").format(method=target.method, content_type=headers.get("content-type", "")) or None
