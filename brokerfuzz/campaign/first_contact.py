"""Sends ordinary valid messages before the cases, to find out whether the target works.

If the path is wrong, or if credentials or known IDs are missing, the target rejects every message. Then the cases would
say nothing about the target, and would be reported as hundreds of findings with the same cause. So the campaign ends,
with the option that probably helps.
"""

import re
from collections.abc import Iterator, Sequence

from brokerfuzz.campaign.known_identifiers import KnownIdentifiers, may_concern_identifiers
from brokerfuzz.campaign.results import Stop
from brokerfuzz.campaign.sending import Sender, TargetLostError
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import Number, site_values, tree_of
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer, Target
from brokerfuzz.targets.answers import GATEWAY
from brokerfuzz.wording import counted, listed, printable, readable

_LONGEST = 300
_MOST_ANSWERS = 3
_MOST_SITES = 3
_REMEDIES = {
    401: "the target requires credentials, or other ones: provide them with -H 'Authorization: ...' or in the URL; for "
    "Digest authentication, compute the header Authorization in the hook before_request",
    403: "these credentials give no access: provide other credentials with -H 'Authorization: ...'",
    404: "nothing exists at this path: correct the path of the URL (the contract does not define a path)",
    405: "the target does not support {method} at this path: use another method with --method",
    407: "a proxy requires credentials: set the environment variable http_proxy to http://USER:PASSWORD@HOST:PORT",
    409: "the target may already know the number of this offer: --fresh number sends a new number in each message",
    415: "the target does not support this type of content: use another type with -H 'Content-Type: ...'",
}
_OF_MESSAGES = "the target fails on ordinary messages: read its log, or check that it is the right service"
_ANYTHING = (
    "the target may require a header (-H) or another path, know only certain IDs (--values FILE), require a new number "
    "in each message (--fresh number), or use other statuses than brokerfuzz expects (--accept, --reject)"
)

_Refused = tuple[Case, Answer]
"""A plain message that the target did not accept, and its answer."""


async def make_contact(
    sender: Sender, target: Target, plain: Sequence[Case], known_identifiers: KnownIdentifiers
) -> Stop | None:
    """Sends plain messages until the target accepts one, which `sender` then repeats to check whether the target is
    down. Then sends another plain message, or the same one with another number. If the target accepts none, returns the
    reason why no case is sent.

    Waits for a target that is still starting. Raises `TargetLostError` if the target answers no message, and
    `TargetError` if it cannot be reached.
    """
    refused: list[_Refused] = []
    sendable = list(filter(sender.can_send, plain))
    for place, case in enumerate(sendable, 1):
        answer = await sender.ask_plain(case)
        if not refused and not _is_ready(answer):
            answer = await _answer_when_up(sender, case, answer)
        if answer.kind == "accepted":
            sender.is_trusted = await _accepts_another(sender, case, sendable[place:], known_identifiers)
            sender.plain = case
            return None
        refused.append((case, answer))
        if sum(not _is_answer(one) for _, one in refused) > 1:  # each timeout takes several seconds
            break
    if not refused:
        return None
    case, answer = refused[0]
    known_names = await known_identifiers.known_names(0, case) if may_concern_identifiers(answer) else ()
    return _refusal(refused, sorted(known_names), target)


async def _accepts_another(
    sender: Sender, accepted: Case, others: Sequence[Case], known_identifiers: KnownIdentifiers
) -> bool:
    """Returns True also if there is no other message."""
    for other in others:
        answer = await sender.ask_plain(other)
        if not _is_answer(answer):
            break
        if answer.kind == "accepted":
            return True
    answer_to_another = await known_identifiers.answer_to_another(0, accepted)
    return not others if answer_to_another is None else answer_to_another.kind == "accepted"


def _is_answer(answer: Answer) -> bool:
    return answer.reached and answer.kind != "timeout"


def _is_ready(answer: Answer) -> bool:
    """A gateway answers with some statuses while the server behind it does not listen."""
    return _is_answer(answer) and not (answer.kind == "crashed" and answer.status in GATEWAY)


async def _answer_when_up(sender: Sender, plain: Case, first: Answer) -> Answer:
    """Finds out whether a target that did not answer a plain message answers `{}`. If not, waits until it answers the
    plain message.
    """
    empty = Case(plain.message_type, b"{}", Verdict("invalid"))
    answer = await sender.ask_plain(empty) if sender.can_send(empty) else first
    if answer is first or _is_ready(answer):
        return first
    if not sender.isolated:  # programs do not restart
        answer = await sender.repeated(plain, _is_ready, answer)
    if not _is_answer(answer):
        raise TargetLostError(f"the target did not answer any message ({answer.reason})", answer, sent=False)
    return answer


# ------------------------------------------------------------------------------------------------ refused messages


def _refusal(refused: Sequence[_Refused], known_names: Sequence[str], target: Target) -> Stop:
    """Returns the reason why no case is sent, with the plain messages, the answers, and the option that probably
    helps. With other values of the identifiers `known_names`, the target accepts the first message.
    """
    different: dict[tuple[str, bytes], _Refused] = {}
    for case, answer in sorted(refused, key=lambda pair: len(pair[0].body)):
        different.setdefault((answer.reason, answer.body), (case, answer))
    shown = list(different.values())[:_MOST_ANSWERS]
    reasons = listed([printable(answer.reason, _LONGEST) for _, answer in shown], "or")
    reason = f"the target accepted none of {counted(len(refused), 'plain valid message')}: {reasons}"
    advice = next(_advice(refused, known_names, [answer for _, answer in different.values()], target))
    return Stop(reason, "contact", "\n".join([*_lines_about_answers(shown), "No case was sent."]), advice)


def _lines_about_answers(shown: Sequence[_Refused]) -> Iterator[str]:
    for case, answer in shown:
        response = f": {readable(answer.body, _LONGEST)}" if answer.body and answer.status is not None else ""
        yield f"sent:     {readable(case.body, _LONGEST)}"
        yield f"answered: {answer.kind} ({printable(answer.reason, _LONGEST)}){response}"


def _advice(
    refused: Sequence[_Refused], known_names: Sequence[str], different: Sequence[Answer], target: Target
) -> Iterator[str]:
    if known_names:
        names = ",".join(known_names)
        yield f"the target accepts the first of them with another {listed(known_names)}: use --fresh {names}"
    for answer in different:
        if remedy := _remedy(target, answer):
            yield remedy
        elif answer.kind == "crashed" and answer.status is not None:
            yield _OF_MESSAGES
        elif answer.kind != "rejected" and target.advice is not None:
            yield target.advice
        elif answer.kind == "timeout":
            yield "allow more time with --timeout"
    for case, answer in refused:
        if answer.kind == "rejected" and (named := _named_sites(case, answer)):
            yield (
                f"the answer names {listed(named[:_MOST_SITES])}: if the target knows only certain values, list them "
                "with --values FILE"
            )
    if target.advice is not None:
        yield f"{target.advice}; if it knows only certain IDs, list them with --values FILE"
    yield _ANYTHING


def _remedy(target: Target, answer: Answer) -> str:
    """Returns advice for a status that concerns the request and not the message, unless `--accept` or `--reject` lists
    this status.
    """
    status = answer.status or 0
    if target.rules.has_code(status):
        return ""
    if status // 100 == 3:
        to, place = (f" to {answer.location}", "that URL") if answer.location else ("", "the URL of its destination")
        return f"a redirect{to}, which brokerfuzz does not follow: use {place}"
    return _REMEDIES.get(status, "").format(method=target.method)


def _named_sites(case: Case, answer: Answer) -> list[str]:
    """Returns the sites of values that the answer mentions, because the target may not know these values."""
    words = set(re.findall(r"\w+", f"{answer.body.decode(errors='replace')} {answer.reason}".lower()))
    values = [(site, name) for site, name, value in site_values(tree_of(case.body)) if isinstance(value, str | Number)]
    return sorted({site for site, name in values if name.lower() in words})
