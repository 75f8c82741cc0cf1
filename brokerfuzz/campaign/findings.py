"""Findings: a verdict and an answer that contradict each other, said so that one can act on it."""

from dataclasses import dataclass
from hashlib import sha256

from brokerfuzz.campaign.contradictions import FindingKind
from brokerfuzz.campaign.finding_groups import Suspicion, Suspicions, merged
from brokerfuzz.campaign.json_trees import at_pointer, read_tree, write_tree
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.headers import in_words
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.target import Target
from brokerfuzz.wording import listed, printable, readable, with_article

EXPECTED: dict[Label, str] = {"valid": "accepted", "invalid": "rejected", "unspecified": "accepted or rejected"}
_MESSAGES = {"offer-creation-request": "offer creation request", "product-list-response": "product list", "offer-pricing-response": "pricing"}


@dataclass(frozen=True)
class BrokenRule:
    """A rule that the smallest message breaks: where, what is there, what is demanded, and the contract's words for it."""

    rule: str
    source: str
    at: str
    found: str
    demanded: str


@dataclass(frozen=True)
class Finding:
    """One contradiction between what the contract says of a message and what the target did with it.

    `body` is the smallest message that shows it and `answer` what it got; the rest speaks of that message. `case` is the first one
    that showed it, `count` how many did. `reasons` are the rules broken, `ambiguities` the ambiguities touched; `places` the JSON Pointers
    that it hangs on (where nothing is there: on its absence). `techniques` and `tags` are those of all cases that showed it.
    `families` are what techniques have in common. `sent` is how often a message that had shown it was sent again, `shown` how often it was
    shown again. `whole` is False where bounds ended the shrinking. `reproduction` is a line for a shell. `twin` is the valid message that
    differs from the smallest in its one place, `about` what is wrong with the answer where it is not the message that matters. `known` says
    that the user's baseline has it.
    """

    kind: FindingKind
    message_type: MessageType
    label: Label
    reasons: tuple[BrokenRule, ...]
    ambiguities: tuple[str, ...]
    places: tuple[str, ...]
    techniques: tuple[str, ...]
    tags: tuple[str, ...]
    count: int
    case: Case
    body: bytes
    answer: Answer
    sent: int
    shown: int
    reproduction: str
    whole: bool = True
    families: tuple[str, ...] = ()
    twin: bytes | None = None
    about: str = ""
    known: bool = False

    @property
    def flaky(self) -> bool:
        """Whether the answer did not come each time again."""
        return self.shown < self.sent

    @property
    def reproduced(self) -> bool | None:
        """Whether the answer came each time again; None where it was not tried."""
        return not self.flaky if self.sent else None

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits, the same for the same finding in another run: from its kind, and the rules and families, or where there
        are none the message that it shrank to."""
        what = [rule.rule for rule in self.reasons]
        shown = [*what, *self.families] if what else [self.label, *self.ambiguities, *self.headers, self.body.hex()]
        about = ["unreachable"] if not self.answer.reached else [self.about] if self.about else shown
        return sha256("\n".join([self.kind, self.message_type, *about]).encode(errors="backslashreplace")).hexdigest()[:16]

    @property
    def expected(self) -> str:
        """The answers that the contract allows: `accepted`, `rejected`, or either."""
        return f"{EXPECTED[self.label]}, in a proper envelope" if self.about else EXPECTED[self.label]

    @property
    def got(self) -> str:
        """The answer in words: `accepted (status 200)`, `crashed (the connection was reset)`."""
        return f"{self.answer.kind} ({printable(self.answer.reason, 300)})"

    @property
    def headers(self) -> list[str]:
        """In words, the headers of its request that are not the usual ones."""
        return [in_words(name, value) for name, value in self.case.headers]

    @property
    def hint(self) -> str:
        """The first techniques that showed it, or edges and probes: `one-below`, `edge:blank`."""
        names = self.techniques or self.tags
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

    def sentence(self) -> str:
        """The finding in one English sentence: rule, place, technique, expected and got."""
        if not self.answer.reached:
            return f"The target takes no connections any more ({self.answer.reason}): it went away while this or another message was on its way."
        if self.about:
            return f"The answer to {self._message()} is no proper envelope: {printable(self.about, 300)}{self._flakiness}."
        said = f"{self._message().capitalize()} should have been {self.expected} and was {self._outcome()}: {self._cause()}"
        return f"{said}{self._flakiness}."

    @property
    def _flakiness(self) -> str:
        return f" (flaky: of {self.sent} times that it was sent again, it came {self.shown} times)" if self.flaky else ""

    def _message(self) -> str:
        return f"{with_article(self.label)} {_MESSAGES.get(self.message_type, self.message_type)}"

    def _outcome(self) -> str:
        words = {"timeout": "not answered", "crashed": "met with a crash"}.get(self.answer.kind, self.answer.kind)
        return f"{words} ({printable(self.answer.reason, 300)})"

    def _cause(self) -> str:
        by = f", by {self.hint}" if self.hint else ""
        if self.reasons:
            return "; ".join(f"{r.rule} demands {r.demanded} at {_where(r.at)} (found: {printable(r.found, 80)})" for r in self.reasons[:3]) + by
        if self.places:
            return f"it hangs on {listed(f'{place} being {self._value(place)}' for place in self.places[:4])}{by}"
        if self.ambiguities:
            return f"the contract leaves {listed(self.ambiguities[:4])} open{by}"
        carried = f" with {listed(self.headers)}" if self.headers else ""
        return f"so is {'the plainest message' if self.reproduced and self.whole else 'this message'}{carried}{by}"

    def _value(self, place: str) -> str:
        try:
            return readable(write_tree(at_pointer(read_tree(self.body), place)), 60)
        except LookupError:
            return "absent"
        except ValueError:
            return "there"


def _where(pointer: str) -> str:
    return printable(pointer, 120) if pointer else "the root"


def findings_of(suspicions: Suspicions, target: Target, contract: Contract) -> tuple[Finding, ...]:
    """The findings that suspicions are, those that shrank to the same being one, in the order of their first cases."""
    return tuple(finding_of(suspicion, target, contract) for suspicion in merged(suspicions.in_order()))


def finding_of(suspicion: Suspicion, target: Target, contract: Contract) -> Finding:
    """The finding that a suspicion is, once it is shrunk as far as it goes."""
    verdict = suspicion.verdict
    return Finding(
        kind=suspicion.kind,
        message_type=suspicion.case.message_type,
        label=verdict.label,
        reasons=tuple(BrokenRule(b.rule, source_of(b.rule, contract), b.at, b.found, b.demanded) for b in verdict.broken),
        ambiguities=tuple(dict.fromkeys(touched.ambiguity for touched in verdict.ambiguities)),
        places=suspicion.places,
        techniques=tuple(suspicion.techniques),
        tags=tuple(suspicion.tags),
        count=suspicion.count,
        case=suspicion.case,
        body=suspicion.body,
        answer=suspicion.answer,
        sent=suspicion.sent,
        shown=suspicion.shown,
        reproduction=_reproduction(suspicion, target),
        whole=suspicion.whole,
        families=tuple(suspicion.families),
        twin=suspicion.twin,
        about=suspicion.about,
    )


def _reproduction(suspicion: Suspicion, target: Target) -> str:
    headers = suspicion.case.headers
    return target.reproduction(suspicion.body, headers) if headers else target.reproduction(suspicion.body)


def source_of(rule: str, contract: Contract) -> str:
    """The place in the contract that demands a rule; of an ambiguity that the user pinned, where the contract leaves a question open."""
    if rule.startswith("ambiguity/"):
        return contract.ambiguity(rule.removeprefix("ambiguity/")).source
    known = contract.rules_by_id.get(rule)
    return known.source if known else ""
