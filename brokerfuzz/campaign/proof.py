"""Decides whether a rejection is proven. A proven rejection shows that the target rejects the message because of its
fault.

A rejection is proven if the target accepts the twin (the valid counterpart), which lacks only the fault. A rejection is
also proven if the answer names the invalid property and the target accepts an ordinary valid message. Every other
rejection is unproven, because the target may have another reason to reject the message. An unproven rejection is not a
finding.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.named_properties import named_properties, named_words, names_at_fault, names_meant, names_of
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Verdict
from brokerfuzz.targets import Answer

UNAUTHENTICATED = frozenset({401, 403, 407, 419})
"""HTTP statuses about missing or expired credentials. Some web frameworks use 419 for a session that has expired."""
ABOUT_THE_CLIENT = UNAUTHENTICATED | {408, 429}
"""HTTP statuses about the client or the connection, also a slow or too frequent request. They say nothing about the
message.
"""

MOST_EXAMPLES = 20
"""The maximum number of examples in `Proofs.unproven` and in `Proofs.elsewhere`. One additional example is used for all
further reasons or rules.
"""

MOST_NAMED = 5
"""An answer with the names of more properties probably repeats the message, so it blames none of them."""
MOST_WAITING = 4096
"""The maximum number of unproven rejections that wait for a retest."""

_OTHER = ("other",)


@dataclass(slots=True)
class Rejection:
    """A rejected message. `number` is the number of the case. `twin_answer` is the answer to the twin, if the twin was
    sent. If `is_conflict` is true, the target may have rejected the message only because it already knew a value, such
    as the number.
    """

    number: int
    case: Case
    verdict: Verdict
    answer: Answer
    twin: Case | None = None
    twin_answer: Answer | None = None
    is_conflict: bool = False

    @property
    def rule(self) -> str | None:
        """The broken rule if the message has exactly one fault, else None."""
        return self.case.faults[0].rule if len(self.case.faults) == 1 else None

    @property
    def is_twin_rejected(self) -> bool:
        """True if the target answered the twin, but did not accept the twin."""
        return self.twin_answer is not None and self.twin_answer.kind in ("rejected", "crashed")

    def unproven(self, contract: Contract, *, plain_accepted: bool) -> str | None:
        """Returns the reason why the rejection is unproven, or None if it is proven."""
        if self.answer.status in ABOUT_THE_CLIENT:
            return f"status {self.answer.status} says nothing about the message"
        if self.is_conflict:
            return (
                f"with status {self.answer.status}, the target may have rejected a number that it already knows: "
                "use --fresh number"
            )
        if self.twin_answer is not None and self.twin_answer.kind == "accepted":
            return None
        if plain_accepted and self._names_the_fault(contract):
            return None
        if self.twin_answer is None:
            return "no twin (the valid counterpart) can be sent"
        return f"the twin (the valid counterpart) was not accepted ({self.twin_answer.reason})"

    def _names_the_fault(self, contract: Contract) -> bool:
        named = named_properties(self.answer.body, names_of(contract, self.case.message_type))
        return not names_at_fault(self.case, self.verdict).isdisjoint(name.lower() for name in named)


@dataclass(frozen=True)
class UnprovenExample:
    """An example of rejections that are unproven for the same reason. `count` is the number of rejections for this
    reason.
    """

    rejection: Rejection
    why: str
    count: int = 1

    @property
    def number(self) -> int:
        return self.rejection.number


@dataclass(frozen=True)
class OtherPropertyNamed:
    """An example of an invalid message whose answer names a different property than the invalid one. `count` is the
    number of such messages that break the same rule.
    """

    case: Case
    number: int
    named: tuple[str, ...]
    said: str
    count: int = 1


@dataclass
class Proofs:
    """Counts the proven and unproven rejections of a campaign, with examples.

    `rejected` is the number of rejected invalid messages, and `proven` is the number of proven rejections. `rules`
    counts the proven rejections for each broken rule. `unproven` contains an example for each reason why rejections are
    unproven. `first_unproven` maps each broken rule to its first unproven rejection. `waiting` maps case numbers to the
    unproven rejections that are retested at the end of the campaign. `retested` counts the cases whose answers were
    replaced after a retest. `elsewhere` maps broken rules to examples of rejections that name a different property than
    the invalid one.
    """

    rejected: int = 0
    proven: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    unproven: dict[tuple[str, ...], UnprovenExample] = field(default_factory=dict)
    first_unproven: dict[str, UnprovenExample] = field(default_factory=dict)
    waiting: dict[int, UnprovenExample] = field(default_factory=dict)
    retested: int = 0
    elsewhere: dict[str, OtherPropertyNamed] = field(default_factory=dict)

    def prove(self, rejection: Rejection) -> None:
        self.proven += 1
        if (rule := rejection.rule) is not None:
            self.rules[rule] += 1

    def doubt(self, example: UnprovenExample) -> None:
        _add_example(self.unproven, reason_of(example.rejection), example)
        if (rule := example.rejection.rule) is not None:
            _keep_first(self.first_unproven, rule, example)

    def retest_later(self, example: UnprovenExample) -> None:
        """At most `MOST_WAITING` rejections wait for a retest. If there are more, those with the highest case numbers
        are not retested.
        """
        self.waiting[example.number] = example
        if len(self.waiting) > MOST_WAITING:
            self.doubt(self.waiting.pop(max(self.waiting)))

    def conclude(self) -> None:
        """Ends the campaign: all rejections that still wait for a retest count as unproven."""
        for number in sorted(self.waiting):
            self.doubt(self.waiting.pop(number))

    def note_names(self, rejection: Rejection, contract: Contract) -> None:
        """Stores the rejection for reports if its answer names a different property than the invalid one."""
        case, body = rejection.case, rejection.answer.body
        if not body or rejection.rule is None:
            return
        named = named_properties(body, names_of(contract, case.message_type))
        if not 0 < len(named) <= MOST_NAMED:
            return
        if names_meant(case, rejection.verdict, contract).isdisjoint(named_words(body)):
            said = body.decode(errors="backslashreplace")[:300]
            _add_example(
                self.elsewhere, rejection.rule, OtherPropertyNamed(case, rejection.number, tuple(sorted(named)), said)
            )

    def examples(self) -> Iterator[UnprovenExample]:
        yield from sorted(self.unproven.values(), key=lambda example: example.number)


def reason_of(rejection: Rejection) -> tuple[str, ...]:
    """Returns the same key for all rejections that are unproven for the same reason."""
    if rejection.answer.status in ABOUT_THE_CLIENT or rejection.is_conflict:
        return text_of(rejection.answer, rejection.case.body).key
    if rejection.twin is None or rejection.twin_answer is None:
        return ("no twin",)
    return text_of(rejection.twin_answer, rejection.twin.body).key


def _keep_first(known: dict[str, UnprovenExample], key: str, new: UnprovenExample) -> None:
    if key not in known or new.number < known[key].number:
        known[key] = new


def _add_example(known: dict[Any, Any], key: Any, new: Any) -> None:
    """Combines `new` with the example that has the same key: adds the counts, and keeps the case with the lower
    number.
    """
    if key not in known and len(known) >= MOST_EXAMPLES:
        key = _OTHER
    old = known.get(key)
    if old is None:
        known[key] = new
        return
    known[key] = replace(min(old, new, key=lambda example: example.number), count=old.count + new.count)
