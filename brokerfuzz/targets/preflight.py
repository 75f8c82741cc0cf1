"""Checks before a campaign whether the target accepts messages at all.

If the path is wrong or credentials are missing, the target rejects every message. The campaign would then report hundreds of
findings with one cause. So brokerfuzz first sends one plain valid message. Sending the same message again shows whether the target
accepts a repeated message.
"""

from dataclasses import dataclass

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.http_target import HttpTarget
from brokerfuzz.targets.target import Target

_REMEDIES = {
    401: "it requires credentials: provide them with -H 'Authorization: ...'",
    403: "these credentials give no access: provide other credentials with -H 'Authorization: ...'",
    404: "nothing exists at this path: correct the path of the URL (the contract does not define it)",
    405: "it does not support {method} at this path: use another method with --method",
    407: "a proxy requires credentials: use a URL that bypasses the proxy",
    415: "it does not support {content_type}: use another type with -H 'Content-Type: ...'",
}
"""Maps each status to its meaning and to what the user can do."""


@dataclass(frozen=True)
class Preflight:
    """The answers to one plain valid message and to its repetition. If the target did not accept the message, it is not repeated, and
    `again` is the same as `answer`.
    """

    answer: Answer
    again: Answer

    @property
    def repeats(self) -> bool:
        """Whether the target accepts a repeated message; also true if it did not accept the first one. If false, the target rejects
        every offer with the number of an earlier offer.
        """
        return self.answer.kind != "accepted" or self.again.kind == "accepted"

    @property
    def warning(self) -> str | None:
        """The warning to show after the first message and before the campaign; None if the answer is as expected."""
        if self.repeats:
            return None
        return f"the target rejects an offer that it accepted before ({self.again.reason}): it will reject every offer whose number it already knows"


async def check(target: Target, body: bytes) -> Preflight:
    """Sends a plain valid message to an open target. If the target accepts the message, sends it again.

    Raises `TargetError` for a status that is about the request and not about the message: 401, 403, 404, 405, 407, 415 or a
    redirect. Returns the answer for any other rejection, and for a status that `--accept` or `--reject` names. Also raises the errors of `send`.
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
            return "a redirect, which brokerfuzz does not follow: use the URL of its destination"
        return f"a redirect to {answer.location}, which brokerfuzz does not follow: use that URL"
    if not isinstance(target, HttpTarget):
        return _REMEDIES.get(status)
    headers = {name.lower(): value for name, value in target.headers}
    if status == 401 and ("authorization" in headers or "authorization" in dict(target.request["headers"])):
        return "it does not accept these credentials: provide other credentials with -H 'Authorization: ...'"
    return _REMEDIES.get(status, "").format(method=target.method, content_type=headers.get("content-type", "")) or None
