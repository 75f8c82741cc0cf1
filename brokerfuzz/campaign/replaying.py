"""Sends the messages of findings again, and reports which findings no longer occur.

brokerfuzz sends the smallest message of each finding, and sends the message of a flaky finding several times. First,
brokerfuzz judges each message again with the current time. If the verdict has changed, the message is not sent, because
the answer would say nothing about the finding.

A rejection proves that a finding is gone only if the target accepts the twin (the valid counterpart) or, without a
twin, an ordinary valid message. Otherwise, a target that rejects everything would seem to be correct.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.contradictions import FindingKind, contradiction
from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.sending import Sender, TargetLostError, UnsendableError
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.cases.records import body_of
from brokerfuzz.options import ReplayOptions
from brokerfuzz.schemas import Label, MessageType, Verdict
from brokerfuzz.targets import Answer, Target
from brokerfuzz.targets.target import opened
from brokerfuzz.targets.threads import each

TRIES = 5
"""The maximum number of times that the message of a flaky finding is sent. If the problem never occurs, the finding
counts as gone.
"""

ReplayOutcome = Literal["still there", "another", "gone", "unproven", "other verdict", "not sent"]
PlainMessages = Mapping[MessageType, Sequence[Case]]
"""The ordinary valid messages of each message type."""


@dataclass(frozen=True)
class Replayed:
    """The result of replaying one finding. If the message was sent several times, `answer` is the answer to the last
    attempt. The outcome `another` means that another kind of contradiction occurred, or that
    a valid message is rejected for another reason. The outcome `unproven` means that
    the finding did not occur, but that the answer proves nothing; `why` is the reason. The outcome `other verdict`
    means that the verdict of the message has changed.
    """

    again: "ReplayRequest"
    label: Label
    outcome: ReplayOutcome
    kind: FindingKind | None = None
    answer: Answer | None = None
    why: str = ""


@dataclass(frozen=True)
class ReplayRequest:
    """A message to send again. `kind` is the kind of the finding, and `answer` the one that it had then. Both are None
    if the message comes from a case without a finding.
    """

    sentence: str
    case: Case
    label: Label
    kind: FindingKind | None
    flaky: bool = False
    twin: Case | None = None
    answer: Answer | None = None

    def said(self, answer: Answer, kind: FindingKind | None, why: str = "") -> Replayed:
        """Returns the result if the last answer shows a contradiction of this kind (None: no contradiction). `why` says
        why an answer without a contradiction proves nothing.
        """
        outcome: ReplayOutcome = "unproven" if why else "gone"
        if kind is not None:
            outcome = "still there" if self.kind in {kind, None} else "another"
        if kind == self.kind == "valid-rejected" and self._has_another_text(answer):
            outcome, why = "another", "now rejected for another reason"
        return Replayed(self, self.label, outcome, kind, answer, why)

    def _has_another_text(self, answer: Answer) -> bool:
        """Returns whether the answer says nothing of what it said then. Other answers may only be longer."""
        if self.answer is None:
            return False
        then, now = text_of(self.answer, self.case.body), text_of(answer, self.case.body)
        if not then.parts or not now.parts:
            return False
        return then.parts.isdisjoint(now.parts)


async def replay(
    waiting: Sequence[ReplayRequest],
    target: Target,
    judge: Judge,
    plain: PlainMessages,
    fresh: FreshValues | None,
    options: ReplayOptions,
) -> list[Replayed]:
    """Sends all messages again, and returns the results in the same order. Raises `TargetError` if the target cannot be
    reached.
    """
    replayed: dict[int, Replayed] = {}
    async with opened(target):
        sender = Sender(target, rate=options["rate"], fresh=fresh, longest_wait=options["longest_wait"])
        replaying = _Replaying(sender, judge, plain)

        async def send_again(number: int) -> None:
            replayed[number] = await replaying.replayed(waiting[number])

        await each(range(len(waiting)), send_again, options["concurrency"])
    return [replayed[number] for number in range(len(waiting))]


class _Replaying:
    """Sends messages of findings again to a target that is open."""

    def __init__(self, sender: Sender, judge: Judge, plain: PlainMessages) -> None:
        self._sender, self._judge, self._plain = sender, judge, plain

    async def replayed(self, again: ReplayRequest) -> Replayed:
        label = self._judge.of(again.case, again.case.body).label
        if label != again.label:
            return Replayed(again, label, "other verdict", why=f"the message is now {label}")
        try:
            return await self._once_or_flaky(again)
        except UnsendableError:
            return Replayed(again, label, "not sent", why="this target cannot receive the message")
        except TargetLostError as lost:
            if not lost.sent:
                return Replayed(again, label, "not sent", why=lost.reason)
            return again.said(lost.answer, "stopped-answering")

    async def _once_or_flaky(self, again: ReplayRequest) -> Replayed:
        answer = await self._sender.ask("replay", 0, again.case)
        for tries_left in reversed(range(TRIES if again.flaky else 1)):
            identifiers = self._judge.identifiers(again.case)
            if self._sender.is_conflict(again.case, answer, identifiers):
                fresh = ",".join(identifiers) or "PROPERTY"
                why = f"the target may already know an identifier of this message: use --fresh {fresh}"
                return again.said(answer, None, why)
            kind = contradiction(again.label, answer.kind)
            if kind is not None:
                return again.said(answer, kind)
            if tries_left:
                answer = await self._sender.ask("replay", 0, again.case, again=True)
        return again.said(answer, None, await self._why_unproven(again) if answer.kind == "rejected" else "")

    async def _why_unproven(self, again: ReplayRequest) -> str:
        """Returns the reason why a rejection proves nothing, or an empty string if it proves that the finding is
        gone.
        """
        twin = again.twin
        if twin is None or self._judge.of(twin, twin.body).label != "valid":
            return await self._why_plain(self._plain[again.case.message_type])
        answer = await self._sender.ask("replay", 0, twin)
        if answer.kind == "accepted":
            return ""
        return f"the target does not accept the twin (the valid counterpart) either ({answer.reason})"

    async def _why_plain(self, plain: Sequence[Case]) -> str:
        """Sends plain messages until the target accepts one. If it accepts none, returns the reason why a rejection
        without a twin proves nothing.
        """
        reason = ""
        for case in plain:
            with suppress(UnsendableError, TargetLostError):
                answer = await self._sender.ask("replay", 0, case)
                if answer.kind == "accepted":
                    return ""
                reason = reason or answer.reason
        return f"the target accepts no ordinary valid message ({reason or 'none could be sent'})"


def of_document(document: Mapping[str, Any]) -> Iterator[ReplayRequest]:
    """Yields a request for each finding of a JSON report."""
    yield from map(_request, document["findings"])


def _request(finding: Mapping[str, Any]) -> ReplayRequest:
    case = _case(finding["message"], finding["smallest"], finding["verdict"])
    twin = None if finding["twin"] is None else _case(finding["message"], finding["twin"], "valid")
    is_flaky = finding["shown"] < finding["sent"]
    got = finding["got"]
    answer = Answer(got["answer"], got["status"], (got["response"] or "").encode(), got["reason"])
    return ReplayRequest(finding["sentence"], case, finding["verdict"], finding["kind"], is_flaky, twin, answer)


def _case(message_type: MessageType, message: Mapping[str, Any], label: Label) -> Case:
    return Case(message_type, body_of(message), Verdict(label))
