"""Defines findings: contradictions between a verdict and an answer. Each finding has a sentence that describes the
problem to developers.
"""

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256

from brokerfuzz.campaign.contradictions import CONFLICT, FindingKind
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.techniques import family_of
from brokerfuzz.json_trees import at_pointer, read_tree, write_tree
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Label, MessageType, Verdict
from brokerfuzz.schemas.headers import in_words
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS, Violation, contradiction
from brokerfuzz.targets.answers import Answer
from brokerfuzz.wording import counted, listed, printable, readable, with_article

VERSION = "4"
"""Each fingerprint depends on the version of `identity_key`, so those of different versions never match by chance."""


@dataclass(eq=False)
class Finding:
    """A contradiction between the verdict of a message and the answer of the target. While a campaign runs, it is only
    a suspicion: the campaign then repeats and shrinks its message, and `findings_of` adds what reports say about it.

    `count` cases showed the contradiction, `case` is the first of these cases, and `index` is its number (`numbers`
    contains all numbers). `body` is the smallest message so far that shows the contradiction, and `verdict` and
    `answer` belong to it. `whole` is True if shrinking was completed. `sent` counts how often the message was sent
    again, and `shown` counts how often the problem then occurred again. `twin` is the valid counterpart.

    `places` are the JSON Pointers of the causes. If the message has no value at a place, the missing value is the
    cause. `size` is the smallest size in bytes that shows the contradiction, if the size is the cause (else 0). `about`
    describes the problem of a malformed answer, or what a target accepts that checks almost nothing.

    `identity` consists of strings that identify the finding in every campaign. `known` is True if the baseline contains
    it. `source` is the part of the contract that states the first broken rule. `reproduction` is a shell command that
    sends the smallest message. `fresh` is the property that gets a new value each time (None: the message stays the
    same). `possibly_unknown` are the sites of values that the target may not know.
    """

    kind: FindingKind
    case: Case
    index: int
    verdict: Verdict
    answer: Answer
    count: int = 1
    about: str = ""
    body: bytes = b""
    whole: bool = False
    sent: int = 0
    shown: int = 0
    twin: bytes | None = None
    places: tuple[str, ...] = ()
    size: int = 0
    numbers: set[int] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """The techniques and tags of all cases."""
    identity: tuple[str, ...] = ()
    known: bool = False
    source: str = ""
    reproduction: str = ""
    fresh: str | None = None
    possibly_unknown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.body = self.case.body
        self.numbers = {self.index}
        self.names = {*(fault.technique for fault in self.case.faults), *(tag for tag in self.case.tags if ":" in tag)}

    def copy(self) -> "Finding":
        twin = copy(self)
        twin.names, twin.numbers = set(self.names), set(self.numbers)
        return twin

    def merge(self, other: "Finding") -> None:
        """Merges `other`, which has the same cause, into this finding."""
        self.count += other.count
        self.numbers |= other.numbers
        self.names |= other.names

    @property
    def message_type(self) -> MessageType:
        return self.case.message_type

    @property
    def label(self) -> Label:
        return self.verdict.label

    @property
    def reasons(self) -> tuple[Violation, ...]:
        """The rules that the smallest message breaks, unless the finding is about something else."""
        return () if self.about else self.verdict.broken

    @property
    def ambiguities(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(touched.ambiguity for touched in self.verdict.ambiguities))

    @property
    def techniques(self) -> list[str]:
        """The techniques of all cases that showed the contradiction."""
        return sorted(name for name in self.names if ":" not in name)

    @property
    def tags(self) -> list[str]:
        """The tags of all cases, such as `edge:empty-string`."""
        return sorted(name for name in self.names if ":" in name)

    @property
    def families(self) -> list[str]:
        """The families of the techniques of the first case. They are the same in every campaign, whatever other cases
        are merged.
        """
        return sorted({family_of(fault.technique) for fault in self.case.faults})

    @property
    def sites(self) -> list[str]:
        """The sites of the causes. If the causes are unknown, the sites of the broken rules or of the ambiguities."""
        faulty = [broken.at for broken in self.reasons] or [touched.at for touched in self.verdict.ambiguities]
        return sorted({site_of(place) for place in self.places or faulty})

    @property
    def strings_of_causes(self) -> list[str]:
        """The strings at the places of the causes, which the answer may repeat."""
        found = []
        for place in self.places:
            with suppress(LookupError, ValueError):  # there is no value, or the message is not JSON
                found.append(at_pointer(read_tree(self.body), place))
        return [value for value in found if isinstance(value, str)]

    @property
    def flaky(self) -> bool:
        """True if the smallest message was sent again, and the problem did not occur every time."""
        return self.shown < self.sent

    @property
    def reproduced(self) -> bool:
        """True if the smallest message was sent again, and the problem occurred every time."""
        return 0 < self.sent == self.shown

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify the finding in every campaign (see `identity`)."""
        return sha256("\n".join([VERSION, *self.identity]).encode(errors="backslashreplace")).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The first eight digits of the fingerprint. Reports and baselines use these digits as the name of the
        finding.
        """
        return self.fingerprint[:8]

    @property
    def expected(self) -> str:
        """The answers that the contract allows, for example `accepted`, or `accepted or rejected`."""
        expected = " or ".join(RIGHT_ANSWERS["unspecified" if self.kind == "repeated-crash" else self.label])
        return f"{expected}, in a valid envelope" if self.kind == "malformed-answer" else expected

    @property
    def got(self) -> str:
        """The answer in words, for example `accepted (status 200)` or `crashed (the connection was reset)`."""
        return f"{self.answer.kind} ({printable(self.answer.reason, 300)})"

    @property
    def headers(self) -> list[str]:
        return [in_words(name, value) for name, value in self.case.headers]

    def sentence(self) -> str:
        """The first line about the finding in all reports: what the target did, what the contract demands, and the
        row of the contract.
        """
        row = f" ({self.source})" if self.source and self._is_about_a_rule else ""
        return f"{self.claim()}{row}{self._flakiness}{self._advice}"

    def claim(self) -> str:
        """Says what the target did, and what the contract demands: `orderMinimum: accepted 0; must be at least 1`."""
        reason = printable(self.answer.reason, 300)
        match self.kind:
            case "stopped-answering":
                which = "this message, or another message that was sent at the same time"
                return f"stopped answering ({reason}) while it processed {which}"
            case "repeated-crash":
                return f"crashed ({reason}) when it got the same message again that it had accepted before"
            case "malformed-answer":
                return f"answered {self._message()} without a valid envelope: {printable(self.about, 300)}"
            case "invalid-accepted" if self.about:
                return f"accepts {self.about}: {counted(self.count, 'message')}"
        if self._is_about_a_rule:
            rule, more = self.reasons[0], len(self.reasons) - 1
            others = f" (and {counted(more, 'more broken rule')})" if more else ""
            return f"{contradiction(rule.rule, rule.at, rule.found, rule.demanded, self._verb)}{others}"
        return f"{self._verb} {self._message()}: {self._cause()}"

    @property
    def _is_about_a_rule(self) -> bool:
        other = self.size or self.kind in ("stopped-answering", "repeated-crash")
        return bool(self.reasons) and not other

    @property
    def _flakiness(self) -> str:
        return (
            f" (flaky: the problem occurred in {self.shown} of {counted(self.sent, 'repetition')})"
            if self.flaky
            else ""
        )

    @property
    def _advice(self) -> str:
        if self.kind != "valid-rejected":
            return ""
        if self.answer.status != CONFLICT and self.possibly_unknown:
            some = listed(self.possibly_unknown[:3], "or")
            return f"; if the target knows only certain values of {some}, list them with --values FILE"
        if self.answer.status != CONFLICT:
            return ""
        if self.fresh is None:
            return "; if the target rejects a number that it already knows, use --fresh number"
        if self.fresh == "number":
            return "; if the target rejects an omsOfferId that it already knows, use --fresh number,omsOfferId"
        return ""

    def _message(self) -> str:
        return f"{with_article(self.label)} {self.message_type.replace('-', ' ')}"

    @property
    def _verb(self) -> str:
        if self.answer.kind == "accepted":
            return "accepted"
        verb = {"timeout": "did not answer", "crashed": "crashed"}.get(self.answer.kind, self.answer.kind)
        preposition = {"timeout": " to", "crashed": " on"}.get(self.answer.kind, "")
        return f"{verb} ({printable(self.answer.reason, 100)}){preposition}"

    def _cause(self) -> str:
        if self.size:
            return f"the message has more than {self.size - 1:,} bytes"
        if self.places:
            return listed(f"{site_of(place) or 'the message'} is {self._value(place)}" for place in self.places[:4])
        if self.ambiguities:
            return f"the contract leaves {listed(self.ambiguities[:4])} open"
        sent_with = f" with {listed(self.headers)}" if self.headers else ""
        return f"the cause in this message{sent_with} was not found"

    def _value(self, place: str) -> str:
        try:
            return readable(write_tree(at_pointer(read_tree(self.body), place)), 60)
        except LookupError:
            return "absent"
        except ValueError:
            return "present"
