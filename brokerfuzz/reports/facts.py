"""States the facts of a campaign and of its findings. All reports and the failures of tests show these facts, in this
order and in these words.
"""

from collections.abc import Iterator, Mapping, Sequence

from brokerfuzz.campaign.contradictions import FINDING_KINDS
from brokerfuzz.cases.records import body_of
from brokerfuzz.contract_names import LABELS
from brokerfuzz.pointers import site_of
from brokerfuzz.reports.fact import LONGEST, Fact, message_facts
from brokerfuzz.reports.json_document import Document
from brokerfuzz.targets.answers import ANSWER_KINDS
from brokerfuzz.wording import counted, listed, printable, with_article

NOT_SENT = "with --lines plain, messages cannot contain line breaks"
"""The reason why some cases were not sent. All other targets can receive all cases."""
TOO_LONG = "too long to show: see the JSON report"
_MOST_NAMES = 4
_LONGEST_TEXT = 120
_MOST_LINES = 6
"""The maximum number of lines of a traceback, or of the output of a program. The last lines say the most."""
_READABLE = ("probe:", "as:")
"""The prefixes of the tags that reports show. Other tags, such as `pairs`, only say how a case was generated."""


def is_flaky(finding: Document) -> bool:
    return bool(finding["shown"] < finding["sent"])


def _is_shrunk_partly(finding: Document) -> bool:
    """Returns whether a limit ended the shrinking. Flaky findings are not shrunk."""
    return bool(finding["sent"] and not finding["whole"] and not is_flaky(finding))


def title_of(finding: Document) -> str:
    """Returns where and what the target does wrong. A finding that has grown begins with what is new."""
    text = printable(finding["text"], LONGEST)
    if finding["state"] == "grown":
        new = listed([printable(entry, 100) for entry in finding["new"]], most=2)
        return f"now also {new}; known: {text}"
    return f"known: {text}" if finding["state"] == "known" else text


def text_of_crash(finding: Document) -> str:
    """Returns the text of an exception, or of the response to a crash, and nothing for other kinds of findings."""
    got = finding["got"]
    if not FINDING_KINDS[finding["kind"]].text_matters:
        return ""
    text = got["reason"] if got["status"] is None else got["response"]
    return printable(text or "", _LONGEST_TEXT)


def sentence_of(finding: Document) -> str:
    return f"{title_of(finding)}{printable(finding['sentence'][len(finding['text']) :], LONGEST)}"


def facts_of(finding: Document) -> Iterator[Fact]:
    if finding["rules"]:
        yield Fact("rule", [f"{_short(broken, finding)} at {_place(broken['at'])}" for broken in finding["rules"]])
    elif finding["places"]:
        yield Fact("place", [listed(map(_place, finding["places"]), most=_MOST_NAMES)])
    smallest, twin = body_of(finding["smallest"]), finding["twin"]
    yield from message_facts(smallest, None if twin is None else body_of(twin))
    if _is_shrunk_partly(finding):
        yield Fact("", ["(shrinking stopped early: use a longer --shrink)"])
    got = finding["got"]
    answer = f"{got['answer']} ({printable(got['reason'], 300)}); expected: {printable(finding['expected'], 300)}"
    yield Fact("answer", [answer])
    if got["response"] and got["status"] is None:
        last = got["response"].splitlines()[-_MOST_LINES:]
        yield Fact("output", [printable(line, 300) for line in last], is_exact=True)
    elif got["response"]:
        yield Fact("response", [printable(got["response"], 300)], is_exact=True)
    command = printable(finding["reproduce"])
    yield Fact("reproduce", [command if len(command) <= 2 * LONGEST else TOO_LONG], is_exact=True)
    shown_sites = {site_of(place) for place in finding["places"] or [broken["at"] for broken in finding["rules"]]}
    if other_sites := [site for site in finding["sites"] if site not in shown_sites]:
        names = [printable(site, 100) or "the root" for site in other_sites]
        yield Fact("also at", [listed(names, most=6)])
    techniques = finding["techniques"] or [tag for tag in finding["tags"] if tag.startswith(_READABLE)]
    found_by = f", found by {printable(listed(techniques, most=_MOST_NAMES), 300)}" if techniques else ""
    yield Fact("cases", [f"{finding['extent']}, such as {finding['case']['id']}{found_by}"])


def _short(broken: Document, finding: Document) -> str:
    return printable(str(broken["rule"]).removeprefix(f"{finding['message']}/"), 200)


def _place(pointer: str) -> str:
    return printable(pointer, 200) or "the root"


# -------------------------------------------------------------------------------------------------------- campaign


def campaign_facts(document: Document) -> Iterator[Fact]:
    if document["advice"]:
        yield _fact("next", document["advice"])
    if document["stopped"] and document["outcome"]["state"] == "complete":
        yield _fact("stopped", document["stopped"])
    yield _fact("message", document["message"])
    yield _fact(
        "sent",
        f"{counted(document['cases'], 'case')}, {counted(document['requests'], 'request')} in "
        f"{document['seconds']:.1f} s",
    )
    if left_out := document.get("left_out"):
        yield _fact("not sent", f"{counted(left_out, 'case')}: {NOT_SENT}")
    if old := document["old"]["cases"]:
        again = f"{document['old']['asked_again']:,} of them were sent again, with the same answers"
        yield _fact("from journal", f"{counted(old, 'answer')}; {again}")
    for label in LABELS:
        if answers := answers_in_words(document["counts"][label]):
            yield _fact(label, answers)
    unproven = document["unproven"]
    if unproven["count"]:
        of_all = f"{unproven['count']:,} of {counted(unproven['rejections'], 'rejection')}"
        because = "".join(f", {reason['count']:,} because of {reason['finding']}" for reason in unproven["because"])
        rules = f", including all rejections for {counted(len(unproven['rules']), 'rule')}" if unproven["rules"] else ""
        yield _fact("unproven", f"{of_all}{because}{rules}")
    known_values = document["known_identifiers"]
    if known_values["messages"]:
        messages = counted(known_values["messages"], "valid message was", "valid messages were")
        properties = with_article(listed(known_values["properties"], "or"))
        yield _fact(
            "known values",
            f"{messages} accepted only with {properties} that the target does not know{known_values['advice']}",
        )
    if away := document.get("away"):
        yield _fact("outage", f"the target was away for {away:.1f} s")
    if document.get("sporadic"):
        yield _fact("sporadic", sporadic_in_words(document["sporadic"]))
    if early := sum(map(_is_shrunk_partly, document["findings"])):
        yield _fact("shrinking", f"stopped early for {counted(early, 'finding')}: use a longer --shrink")
    if document["ambiguities"]:
        yield _fact("open", _open_questions(document["ambiguities"]))
    for name in ("seed", "now", "campaign"):
        if document.get(name) is not None:
            yield _fact(name, str(document[name]))


def answers_in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in ANSWER_KINDS if counts[kind])


def is_contradictory(ambiguity: Document) -> bool:
    """Returns whether the target answers a question that the contract leaves open in contradictory ways, or crashes."""
    return bool(ambiguity["behaviour"] == "mixed" or ambiguity["crashed"] + ambiguity["timeout"])


def unproven_lines(document: Document) -> Iterator[str]:
    """Yields the reasons why rejections prove nothing."""
    for example in document["unproven"]["examples"]:
        yield f"{example['count']:,}: {printable(example['why'], 300)}, first case {example['case']}"


def _fact(label: str, text: str) -> Fact:
    return Fact(label, [printable(text, 500)])


def _open_questions(ambiguities: Sequence[Document]) -> str:
    mixed = [ambiguity for ambiguity in ambiguities if is_contradictory(ambiguity)]
    answered = f"{counted(len(ambiguities), 'open question')} of the contract"
    return f"{answered}; contradictory answers to {len(mixed):,}" if mixed else answered


def sporadic_in_words(answers: Sequence[Document]) -> str:
    reasons = listed(
        (f"{answer['answer']} ({printable(answer['reason'], 100)}): {answer['count']:,}" for answer in answers),
        most=_MOST_NAMES,
    )
    messages = counted(sum(answer["count"] for answer in answers), "wrong answer")
    advice = "" if {answer["answer"] for answer in answers} == {"accepted"} else "; a lower --concurrency may help"
    return f"{messages} did not occur again when the message was sent again: {reasons}{advice}"
