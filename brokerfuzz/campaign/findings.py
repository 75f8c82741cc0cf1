"""Defines findings: contradictions between a verdict and an answer. Each finding has a sentence that describes the
problem to developers.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from brokerfuzz.campaign.contradictions import AnsweredCase, FindingKind
from brokerfuzz.campaign.identity import IdentityKey, fingerprint, merged
from brokerfuzz.campaign.sending import CONFLICT
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import MARK, FreshValues, marked
from brokerfuzz.json_trees import Number, Tree, at, at_pointer, paths, pointer, read_tree, site, tree_of, write_tree
from brokerfuzz.pointers import site_of
from brokerfuzz.schemas import Contract, Label, MessageType
from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.headers import in_words
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS, contradiction
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.target import Target
from brokerfuzz.wording import counted, listed, printable, readable, with_article

ENOUGH = 2
"""Shrinking sends the smallest message up to `ENOUGH` times. Further repetitions are made while no other message is
sent.
"""
MANY = 4
"""If the target accepted at least this number of values at a site, it does not know only certain values."""
_READABLE = ("probe:", "as:")
"""The prefixes of the tags that reports show. Other tags, such as `pairs:0-15`, only say how a case was generated."""
_NEW_IN_QUOTES = "-'\"$NEW\"'"
"""In all commands, the message is between single quotes."""
_ID = re.compile(r"[a-z0-9][\w.-]*", re.ASCII | re.IGNORECASE)
_POSITIVE = re.compile(r"[1-9][0-9]*")


@dataclass(frozen=True)
class BrokenRule:
    """A rule that the smallest message of a finding breaks. `source` is the part of the contract that states the rule.
    `at` is the JSON Pointer of the wrong value. `found` describes the wrong value, and `demanded` describes the values
    that the rule allows.
    """

    rule: str
    source: str
    at: str
    found: str
    demanded: str


@dataclass(frozen=True)
class Finding:
    """A contradiction between the verdict of a message and the answer of the target.

    `count` cases showed the contradiction, and `case` is the first of these cases. `body` is the smallest message that
    shows the contradiction, and `answer` is the answer to this message. `reasons` are the rules that the smallest
    message breaks. `ambiguities` are the ambiguities that the smallest message touches.

    `places` are the JSON Pointers of the causes. If the message has no value at a place, the missing value is the
    cause. `techniques`, `tags` and `families` (of techniques) come from all cases that showed the contradiction.
    `sites` contains the sites of the causes. `identity` consists of strings that
    identify the finding in every campaign. `sent` counts how often the smallest message was sent again, and `shown`
    counts how often the problem then occurred again. `whole` is True if shrinking was completed. `reproduction` is a
    shell command that sends the smallest message. `twin` is the valid counterpart of the smallest message. `about`
    describes the problem of a malformed answer, or what a target that accepts everything accepted. `known` is True if
    the baseline contains the finding. `fresh` is the property that gets a new value each time that the smallest message
    is sent, and `twin_fresh` the same for the twin (None: the message stays the same). `size` is the smallest size in
    bytes that shows the contradiction, if the size is the cause (else 0). `numbers` are the numbers of the cases that
    showed the contradiction. `possibly_unknown` are the sites of values that the target may not know.
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
    identity: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    fresh: str | None = None
    twin_fresh: str | None = None
    size: int = 0
    numbers: frozenset[int] = frozenset()
    possibly_unknown: tuple[str, ...] = ()

    @property
    def flaky(self) -> bool:
        """True if the smallest message was sent again, and the problem did not occur every time."""
        return self.shown < self.sent

    @property
    def reproduced(self) -> bool | None:
        """False if the finding is flaky. None if the smallest message was not sent again."""
        return not self.flaky if self.sent else None

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that identify the finding in every campaign (see `identity`)."""
        return fingerprint(self.identity)

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
        """Descriptions of the unusual headers with which the smallest message was sent."""
        return [in_words(name, value) for name, value in self.case.headers]

    @property
    def hint(self) -> str:
        """Names up to three techniques that found the problem, such as `one-below`, and says how many more there are.
        If no technique is known, names tags instead, such as `probe:string-length`.
        """
        names = self.techniques or [tag for tag in self.tags if tag.startswith(_READABLE)]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

    def sentence(self) -> str:
        """The first line about the finding in all reports: what the target did, what the contract demands, and the
        row of the contract.
        """
        source = self.reasons[0].source if self._is_about_a_rule else ""
        row = f" ({source})" if source else ""
        return f"{self.claim()}{row}{self._flakiness}{self._advice}"

    def claim(self) -> str:
        """Says what the target did, and what the contract demands: `orderMinimum: accepted 0; must be at least 1`."""
        reason = printable(self.answer.reason, 300)
        match self.kind:
            case "stopped-answering":
                which = "this message, or another message that was sent at the same time"
                return f"stopped answering ({reason}) while it processed {which}"
            case "sporadic-crash":
                alone = "but not when each was sent again alone: concurrent requests probably cause this"
                return f"crashed on {counted(self.count, 'message')} ({reason}), {alone}"
            case "repeated-crash":
                return f"crashed ({reason}) when it got the same message again that it had accepted before"
            case "malformed-answer":
                return f"answered {self._message()} without a valid envelope: {printable(self.about, 300)}"
            case "invalid-accepted" if self.about:
                return f"accepts everything: {counted(self.count, 'invalid message')}, and also {self.about}"
        if self._is_about_a_rule:
            rule, more = self.reasons[0], len(self.reasons) - 1
            others = f" (and {counted(more, 'more broken rule')})" if more else ""
            return f"{contradiction(rule.rule, rule.at, rule.found, rule.demanded, self._verb)}{others}"
        return f"{self._verb} {self._message()}: {self._cause()}"

    @property
    def _is_about_a_rule(self) -> bool:
        other = self.about or self.size or self.kind in ("stopped-answering", "sporadic-crash", "repeated-crash")
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
        if self.reproduced and self.whole and self.sent > ENOUGH:
            return f"even the simplest message{sent_with} causes this"
        return f"the cause in this message{sent_with} was not found"

    def _value(self, place: str) -> str:
        try:
            return readable(write_tree(at_pointer(read_tree(self.body), place)), 60)
        except LookupError:
            return "absent"
        except ValueError:
            return "present"


def findings_of(
    suspicions: Iterable[Suspicion],
    target: Target,
    contract: Contract,
    fresh: FreshValues | None = None,
    sent: Iterable[AnsweredCase] = (),
) -> tuple[Finding, ...]:
    """`sent` are the cases of the campaign, with their answers."""
    found = [finding_of(suspicion, key, target, contract, fresh) for key, suspicion in merged(suspicions)]
    varied = _varied({site for one in found for site in one.possibly_unknown}, sent)
    return tuple(
        replace(one, possibly_unknown=tuple(site for site in one.possibly_unknown if site not in varied))
        for one in found
    )


def _varied(sites: Collection[str], sent: Iterable[AnsweredCase]) -> set[str]:
    """Returns those sites at which the target accepted many values, so that it does not know only certain values."""
    accepted: dict[str, set[Tree]] = {site: set() for site in sites}
    for one in sent if accepted else ():
        if one.answer == "accepted":
            tree = tree_of(one.case.body)
            for path in paths(tree):
                accepted.get(site(tree, path), set()).add(at(tree, path))
    return {site for site, values in accepted.items() if len(values) >= MANY}


def finding_of(
    suspicion: Suspicion, identity: IdentityKey, target: Target, contract: Contract, fresh: FreshValues | None
) -> Finding:
    case, verdict, twin = suspicion.case, suspicion.verdict, suspicion.twin
    name = fresh.name if fresh is not None and fresh.changes(suspicion.case, suspicion.body) else None
    return Finding(
        kind=suspicion.kind,
        message_type=suspicion.case.message_type,
        label=verdict.label,
        reasons=tuple(
            BrokenRule(b.rule, source_of(b.rule, contract) or "", b.at, b.found, b.demanded) for b in verdict.broken
        ),
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
        reproduction=_reproduction(suspicion, target, name),
        whole=suspicion.whole,
        families=tuple(suspicion.families),
        twin=twin,
        about=suspicion.about,
        identity=identity,
        sites=tuple(sorted(set(suspicion.sites) & contract.sites[case.message_type].keys())),
        fresh=name,
        twin_fresh=fresh.name
        if fresh is not None and twin is not None and fresh.changes(suspicion.case, twin)
        else None,
        size=suspicion.size,
        possibly_unknown=tuple(_possibly_unknown(suspicion, contract)),
        numbers=frozenset(suspicion.numbers),
    )


def _possibly_unknown(suspicion: Suspicion, contract: Contract) -> Iterator[str]:
    """Yields the sites of strings and integers among the causes that look like IDs."""
    known, tree = contract.sites[suspicion.case.message_type], tree_of(suspicion.body)
    for path in paths(tree):
        place, where, value = pointer(tree, path), site(tree, path), at(tree, path)
        is_id = _ID.fullmatch(value) if isinstance(value, str) else None
        is_positive = _POSITIVE.fullmatch(value.literal) if isinstance(value, Number) else None
        is_cause = any(place == cause or place.startswith(f"{cause}/") for cause in suspicion.places)
        is_free = where in known and {"enum", "const", KNOWN}.isdisjoint(known[where].schema)
        if is_cause and is_free and (is_id or is_positive):
            yield where


def _reproduction(suspicion: Suspicion, target: Target, fresh: str | None) -> str:
    """Returns a command that sends the smallest message. If the property `fresh` gets a new value each time, the shell
    variable `NEW` contains a part of this value.
    """
    if fresh is not None and target.runs_in_shell:
        line = _command(suspicion, target, marked(suspicion.body, fresh))
        if MARK in line:
            return f"NEW=$(date +%s%N); {line.replace(MARK, _NEW_IN_QUOTES)}"
    return _command(suspicion, target, suspicion.body)


def _command(suspicion: Suspicion, target: Target, body: bytes) -> str:
    headers = suspicion.case.headers
    line = target.reproduction(body, headers) if headers else target.reproduction(body)
    if suspicion.kind == "repeated-crash":
        line = f"{line}; {line}"
    elif suspicion.kind == "sporadic-crash" and target.is_http:
        line = f"for i in 1 2 3 4 5 6 7 8; do {line} & done; wait"
    return line
