"""Defines the exchange: a message that was sent, and its answer. A campaign is a stream of exchanges.

A journal contains one exchange per line, worker processes return exchanges, and the result of a campaign depends only
on them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from brokerfuzz.targets import Answer
from brokerfuzz.targets.answers import AnswerKind

_SEPARATE = ("plain", "anew", "failed")
"""The answers to messages with these roles do not count as the answer to the same message with another role."""


class Exchange(NamedTuple):
    """A message and its answer.

        role       message
        plain      an ordinary valid message, before all others
        case       a case
        twin       the twin of a case
        anew       a case that a resumed campaign sends again
        renamed    a valid message with other identifiers
        unmasked   a case or a twin without the cause of a wrong rejection
        alone      a message that is repeated while no other message is under way
        shrink     a smaller message
        without    a message without the cause of another one
        size       the plain message with spaces
        failed     a failure that did not occur again when the same message was sent alone

    `number` is the number of the case. `attempt` is 0 unless the campaign repeats a message. `id` identifies the
    message. `sent` is `body`, unless `--fresh` changed the message. `at` is the time of the answer, in seconds since
    the campaign started.
    """

    role: str
    number: int
    attempt: int
    id: str
    body: bytes
    sent: bytes
    answer: Answer
    at: float


class KnownAnswers:
    """Answers that need no request, because the message was already sent: by an earlier run of the campaign, by a
    worker, or as another case. `count` is the number of exchanges, and `latest` is the time of the last one.
    """

    def __init__(self, exchanges: Iterable[Exchange] = ()) -> None:
        self._answers: dict[tuple[str, str, int], Answer] = {}
        self._texts: dict[Any, Any] = {}
        """Equal bodies and reasons of answers, which are kept only once."""
        self.cases: dict[int, str] = {}
        """Maps the numbers of cases to the IDs of their messages."""
        self.count, self.latest = 0, 0.0
        for exchange in exchanges:
            self.add(exchange)

    def add(self, exchange: Exchange) -> None:
        self.remember(exchange.role, exchange.id, exchange.attempt, exchange.answer)
        self.count += 1
        self.latest = max(self.latest, exchange.at)
        if exchange.role == "case":
            self.cases[exchange.number] = exchange.id

    def remember(self, role: str, message_id: str, attempt: int, answer: Answer) -> None:
        body, reason = (self._texts.setdefault(text, text) for text in (answer.body, answer.reason))
        self._answers[_kind_of(role), message_id, attempt] = answer._replace(body=body, reason=reason)

    def numbers_with(self, kind: AnswerKind) -> list[int]:
        """Returns the numbers of the cases with this kind of answer."""
        answers = ((number, self.answer("case", message_id)) for number, message_id in sorted(self.cases.items()))
        return [number for number, answer in answers if answer is not None and answer.kind == kind]

    def answer(self, role: str, message_id: str, attempt: int = 0) -> Answer | None:
        return self._answers.get((_kind_of(role), message_id, attempt))


def _kind_of(role: str) -> str:
    return role if role in _SEPARATE else ""
