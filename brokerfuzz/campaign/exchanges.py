"""Defines the exchange: a message that was sent, and its answer. A campaign is a stream of exchanges.

A journal contains one exchange per line, worker processes return exchanges, and the result of a campaign depends only
on them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from brokerfuzz.cases.plan import STRIDE
from brokerfuzz.targets import Answer

_SENT_AGAIN = ("plain", "anew")
"""A resumed campaign sends the messages with these roles again, because the target may have changed."""
MOST_RECENT: Final = 20_000
"""A campaign keeps only this number of answers that were used, so that long campaigns need no more memory. It is more
than the catalogue and its twins have.
"""
Text = TypeVar("Text", str, bytes)
_Key = TypeVar("_Key")


class Exchange(NamedTuple):
    """A message and its answer.

        role       message
        plain      an ordinary valid message, before all others
        case       a case
        twin       the twin of a case
        anew       a case that a resumed campaign sends again
        renamed    a valid message with other identifiers, or an accepted one with known identifiers
        unmasked   a case or a twin without the cause of a wrong rejection
        alone      a message that is repeated while no other message is under way
        shrink     a smaller message
        without    a message without the cause of another one
        size       the plain message with spaces
        items      a generated message with a certain number of items
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


class RecentAnswers(OrderedDict[_Key, Answer]):
    """Answers that were used. Those that were not used for long are forgotten."""

    def __setitem__(self, key: _Key, answer: Answer) -> None:
        super().__setitem__(key, answer)
        if len(self) > MOST_RECENT:
            self.popitem(last=False)


class KnownAnswers:
    """Answers that need no request, because the message was already sent: by an earlier run of the campaign, by a
    worker, or as another case. Answers that were not used for long are forgotten.

    `earlier` opens the exchanges of an earlier run, which are in the order of the answers. This is about the order in
    which they are asked for, so they are read when they are needed, and a long journal needs no more memory. `count` is
    their number, `latest` is the time of the last one, and `parts` are the parts of the plan that they belong to.
    """

    def __init__(self, earlier: Callable[[], Iterable[Exchange]] = tuple) -> None:
        self._waiting: dict[tuple[str, int], Answer] = {}
        """The answers of an earlier run and of workers for which nobody has asked, by the ID and the attempt."""
        self._failures: dict[tuple[str, int], Answer] = {}
        self._recent = RecentAnswers[tuple[str, int]]()
        self.cases: dict[int, str] = {}
        """Maps the numbers of the cases that were read, and not yet looked at (see `OldAnswers`), to their messages."""
        self.count = 0
        self.latest = 0.0
        self.parts = set[int]()
        for exchange in earlier():
            self.count += 1
            self.latest = max(self.latest, exchange.at)
            if exchange.role == "case":
                self.parts.add(exchange.number // STRIDE)
        self._unread = islice(earlier(), self.count)  # this run adds further exchanges to the journal

    def add(self, exchange: Exchange) -> None:
        """Adds an exchange of an earlier run or of a worker."""
        if exchange.role in _SENT_AGAIN:
            return
        answers = self._failures if exchange.role == "failed" else self._waiting
        answer = exchange.answer._replace(body=_shared(exchange.answer.body), reason=_shared(exchange.answer.reason))
        answers[exchange.id, exchange.attempt] = answer

    def remember(self, message_id: str, attempt: int, answer: Answer) -> None:
        self._recent[message_id, attempt] = answer

    def answer(self, message_id: str, attempt: int = 0) -> Answer | None:
        key = message_id, attempt
        if key in self._recent:
            self._recent.move_to_end(key)
            return self._recent[key]
        while key not in self._waiting and (exchange := next(self._unread, None)) is not None:
            self.add(exchange)
            if exchange.role == "case":
                self.cases[exchange.number] = exchange.id
        answer = self._waiting.pop(key, None)
        if answer is not None:
            self.remember(message_id, attempt, answer)
        return answer

    def take_failure(self, message_id: str, attempt: int) -> Answer | None:
        """Returns a failure that did not occur again, but only once."""
        return self._failures.pop((message_id, attempt), None)


@lru_cache(maxsize=1000)
def _shared(text: Text) -> Text:
    """Returns an equal text that is kept only once."""
    return text
