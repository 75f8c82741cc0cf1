"""Sends the messages of findings again, and reports which findings no longer occur.

brokerfuzz sends the smallest message of each finding, and sends the message of a flaky finding several times. First, brokerfuzz
judges each message again with the current time. If the verdict has changed, the message is not sent, because the answer would say
nothing about the finding.
"""

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brokerfuzz.campaign import repeated_number
from brokerfuzz.campaign.baseline import Baseline, KnownFinding
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import together
from brokerfuzz.campaign.contradictions import FindingKind, contradiction
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.campaign.journal import Key
from brokerfuzz.campaign.results import Result
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.target_health import TargetLostError
from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.errors import BaselineError, ReportError, problem_of, quoted
from brokerfuzz.schemas import Label, MessageType, Verdict
from brokerfuzz.schemas.headers import TESTED, Headers, headers_of
from brokerfuzz.targets import Answer, Target
from brokerfuzz.targets.target import opened

TRIES = 5
"""The maximum number of times that the message of a flaky finding is sent. If the problem never occurs, the finding counts as gone."""

Outcome = Literal["still there", "another", "gone", "other verdict", "not sent"]


@dataclass(frozen=True)
class Replayed:
    """The result of replaying one finding. If the message was sent several times, `answer` is the answer to the last attempt. The
    outcome `another` means that another kind of contradiction occurred. The outcome `other verdict` means that the verdict of the
    message has changed.
    """

    sentence: str
    case: Case
    label: Label
    kind: FindingKind | None
    answer: Answer | None
    outcome: Outcome


@dataclass(frozen=True)
class ReplayRequest:
    """A message to send again. `kind` is the kind of the finding, or None if the message comes from a case without a finding."""

    sentence: str
    case: Case
    label: Label
    kind: FindingKind | None
    flaky: bool = False


async def replay(
    waiting: Sequence[ReplayRequest],
    target: Target,
    judge: Judge,
    *,
    concurrency: int = 16,
    rate: float | None = None,
    fresh: FreshValues | None = None,
) -> list[Replayed]:
    """Sends all messages again, and returns the results in the same order.

    Raises `TargetError` if the target cannot be reached.
    """
    sender = Sender(target, rate=rate, fresh=fresh)
    found: dict[int, Replayed] = {}
    numbered = iter(enumerate(waiting))

    async def work() -> None:
        for number, again in numbered:
            found[number] = await _replayed(number, again, sender, judge)

    async with opened(target):
        await together(*(work() for _ in range(concurrency)))
    return [found[number] for number in sorted(found)]


async def _replayed(number: int, again: ReplayRequest, sender: Sender, judge: Judge) -> Replayed:
    label = judge.of(again.case, again.case.body).label
    if label != again.label:
        return Replayed(again.sentence, again.case, label, None, None, "other verdict")
    if again.kind == "repeated-crash":
        return await _replayed_twice(number, again, sender, judge)
    answer, kind = None, None
    for step in range(TRIES if again.flaky else 1):
        try:
            answer = await sender.send(Key("replay", number, step), again.case, again.case.body)
        except UnsendableError:
            return Replayed(again.sentence, again.case, label, None, None, "not sent")
        except TargetLostError as lost:
            return Replayed(again.sentence, again.case, label, "stopped-answering", lost.answer, _outcome(again, "stopped-answering"))
        kind = _kind(again, label, answer, judge)
        if kind is not None:
            break
    return Replayed(again.sentence, again.case, label, kind, answer, _outcome(again, kind))


async def _replayed_twice(number: int, again: ReplayRequest, sender: Sender, judge: Judge) -> Replayed:
    both = await sender.send_twice(again.case, FreshValues(repeated_number.NUMBER, judge.of), number)
    if both is None:
        return Replayed(again.sentence, again.case, again.label, None, None, "not sent")
    kind = again.kind if repeated_number.is_crash(both) else None
    return Replayed(again.sentence, again.case, again.label, kind, both[1], _outcome(again, kind))


def _outcome(again: ReplayRequest, kind: FindingKind | None) -> Outcome:
    if kind is None:
        return "gone"
    return "still there" if again.kind in {kind, None} else "another"


def _kind(again: ReplayRequest, label: Label, answer: Answer, judge: Judge) -> FindingKind | None:
    if again.kind == "malformed-answer" and malformed(answer, judge.demands) is not None:
        return again.kind
    return contradiction(label, answer.kind)


def of_result(result: Result) -> Iterator[ReplayRequest]:
    for finding in result.findings:
        case = Case(finding.message_type, finding.body, Verdict(finding.label), headers=finding.case.headers)
        yield ReplayRequest(finding.sentence(), case, finding.label, finding.kind, finding.flaky)


def of_document(document: Mapping[str, Any]) -> Iterator[ReplayRequest]:
    """Yields a request for each finding of a JSON report. Raises `ReportError` if a finding has a header that brokerfuzz never
    sends. Otherwise, a forged report could add any header to a request.
    """
    for finding in document["findings"]:
        smallest = finding["smallest"]
        body = compact(smallest["body"]) if "body" in smallest else b64decode(smallest["raw"])
        headers = _of_case(smallest.get("headers", ()))
        case = Case(finding["message"], body, Verdict(finding["verdict"]), headers=headers)
        yield ReplayRequest(finding["sentence"], case, finding["verdict"], finding["kind"], finding["shown"] < finding["sent"])


def of_baseline(known: Baseline, message_type: MessageType) -> dict[str, ReplayRequest]:
    """Returns a request for each known finding whose message has this type. The keys are the names of the findings. Raises
    `BaselineError` if a message in the baseline is malformed.
    """
    return {
        name: _of_entry(name, entry) for name, entry in known.items() if "smallest" in entry.message and entry.message.get("message") == message_type
    }


def _of_entry(name: str, entry: KnownFinding) -> ReplayRequest:
    shown = {"sent": 1, "shown": 0 if entry.message.get("flaky") else 1}
    try:
        (again,) = of_document({"findings": [{**entry.message, **shown, "sentence": entry.sentence}]})
    except (ReportError, ValueError, LookupError, TypeError, AttributeError) as problem:
        said = problem_of(problem)
        raise BaselineError(
            f"the message of the finding {name} in the baseline is malformed ({said}): remove `smallest` from this finding"
        ) from problem
    return again


def _of_case(pairs: Sequence[Sequence[Any]]) -> Headers:
    try:
        headers = headers_of(pairs)
    except ValueError as problem:
        raise ReportError(
            f"a finding of the report has an invalid header ({problem}): specify a report that `brokerfuzz fire --json` wrote"
        ) from problem
    unknown = next((name for name, _ in headers if name.lower() not in TESTED), None)
    if unknown is not None:
        raise ReportError(
            f"a finding of the report has the header {quoted(unknown)}, which brokerfuzz never sends: use a report that `brokerfuzz fire` wrote"
        )
    return headers
