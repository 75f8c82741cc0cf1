"""Sends ordinary valid messages before the cases, to find out whether the target works."""

from collections.abc import Sequence
from dataclasses import replace

from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.target_health import FirstContact, TargetLostError, is_answer
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Verdict
from brokerfuzz.targets import Answer


async def make_contact(sender: Sender, plain: Sequence[Case], *, repeats: bool = False) -> FirstContact:
    """Sends plain messages until the target accepts one, and returns the result. If the target does not answer the
    first plain message, sends `{}`. With `repeats`, sends the accepted message a second time. Later, `sender.health`
    repeats the accepted message (or an answered message), to check whether the target is down.

    Raises `TargetLostError` if the target answers no message, and `TargetError` if the target cannot be reached.
    """
    health = sender.health
    try:
        refused: list[tuple[Case, Answer]] = []
        for case in plain:
            answer = await _answer(sender, case)
            if answer is not None and not is_answer(answer) and not refused:
                answer = await _answer_when_up(sender, case, answer)
            if answer is None:
                break
            if answer.kind == "accepted":
                again = await _answer(sender, case) if repeats else None
                health.contact = FirstContact(case, answer, tuple(refused), again)
                return health.contact
            refused.append((case, answer))
            if health.contact.case is None and is_answer(answer):
                health.contact = FirstContact(case, answer)
            if sum(not is_answer(one) for _, one in refused) > 1:  # each timeout takes several seconds
                break
        health.contact = replace(health.contact, refused=tuple(refused))
        return health.contact
    finally:
        sender.before_cases = sender.requests


async def _answer(sender: Sender, case: Case) -> Answer | None:
    """Returns None if the message cannot be sent, or is not in the journal that replaces the target."""
    if not sender.can_send(case):
        return None
    try:
        return await sender.send_plain(case)
    except TargetLostError:
        return None


async def _answer_when_up(sender: Sender, plain: Case, first: Answer) -> Answer:
    """Finds out whether a target that did not answer a plain message answers `{}`. If not, waits until it answers the
    plain message.
    """
    empty = Case(plain.message_type, b"{}", Verdict("invalid"))
    answer = await _answer(sender, empty)
    if answer is None:
        return first
    if is_answer(answer):
        sender.health.contact = FirstContact(empty, answer)
        return first
    if not sender.isolated:  # programs do not restart
        answer = await sender.health.retried(lambda: sender.send_plain(plain), is_answer, answer)
    if not is_answer(answer):
        raise TargetLostError(f"the target did not answer any message ({answer.reason})", answer, sent=False)
    return answer
