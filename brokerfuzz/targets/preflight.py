"""Before a campaign: is there something at this URL that takes messages at all?

A wrong path rejects every message, and so does a service that was not given credentials: hundreds of findings that say one thing. One plain
valid message tells it beforehand, and the same message once more tells whether the target takes a message that it took before.
"""

from dataclasses import dataclass

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.target import Target

_REMEDIES = {
    401: "it wants credentials: give them with -H 'Authorization: ...'",
    403: "it lets nobody in with these credentials: give others with -H 'Authorization: ...'",
    404: "nothing is at this path: is it right? The contract shows none",
    405: "it takes no {method} at this path: give another method with --method",
    407: "a proxy wants credentials: name a URL behind it",
    415: "it does not take {content_type}: give another type with -H 'Content-Type: ...'",
}
"""Status -> what it means, and the remedy."""


@dataclass(frozen=True)
class Preflight:
    """What a target did with one plain valid message, and with the same once more; of one that was not accepted, `again` is the first answer."""

    answer: Answer
    again: Answer

    @property
    def repeats(self) -> bool:
        """Whether the target takes a message that it took before. One that does not rejects every message with a number that it has seen."""
        return self.answer.kind != "accepted" or self.again.kind == "accepted"

    @property
    def warning(self) -> str | None:
        """What is to be known before all other messages are sent; None where that is nothing."""
        if self.repeats:
            return None
        return f"the target rejects an offer that it took before ({self.again.reason}): every message that repeats a number will be rejected"


async def check(target: Target, body: bytes) -> Preflight:
    """Sends a plain valid message to an open target, and once more where it is accepted.

    Raises `TargetError` for a status that speaks of the request and not of the message (401, 403, 404, 405, 407, 415, and redirects), unless the
    target's rules name this very code; and what `send` raises. Any other rejection is an answer: whether it is right is not judged here.
    """
    answer = await target.send(body)
    rules = target.rules if isinstance(target, HttpTarget) else AnswerRules()
    if answer.status is not None and not rules.names(answer.status) and (remedy := _remedy(target, answer)) is not None:
        raise TargetError(f"{target.name} answers a valid message with status {answer.status}: {remedy}")
    return Preflight(answer, await target.send(body) if answer.kind == "accepted" else answer)


def _remedy(target: Target, answer: Answer) -> str | None:
    status = answer.status or 0
    if status // 100 == 3:
        if answer.location is None:
            return "a redirect, which is not followed: give the URL that it should lead to"
        return f"a redirect to {answer.location}, which is not followed: give that URL"
    if not isinstance(target, HttpTarget):
        return _REMEDIES.get(status)
    headers = {name.lower(): value for name, value in target.headers}
    if status == 401 and ("authorization" in headers or "authorization" in dict(target.request["headers"])):
        return "it does not take these credentials: give others with -H 'Authorization: ...'"
    return _REMEDIES.get(status, "").format(method=target.method, content_type=headers.get("content-type", "")) or None
