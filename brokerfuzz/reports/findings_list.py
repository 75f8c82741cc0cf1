"""Creates the list of findings in the HTML report. Readers can filter the list and open each finding.

The page shows all details of the first findings, few details of further findings, and only the number of all others. So
the page opens quickly, even if a campaign has many findings.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from brokerfuzz.pointers import site_of, steps_of
from brokerfuzz.reports.body_lines import lines_of
from brokerfuzz.reports.coverage_table import ROOT
from brokerfuzz.reports.document_messages import Document, is_flaky, name_of
from brokerfuzz.reports.markup import Child, Markup, element
from brokerfuzz.reports.side_by_side import block, comparison, single_message
from brokerfuzz.wording import counted, printable

KINDS = {
    "stopped-answering": "stopped answering",
    "crashed": "crashed",
    "repeated-crash": "repeated crash",
    "sporadic-crash": "sporadic crash",
    "timeout": "timeout",
    "invalid-accepted": "invalid accepted",
    "valid-rejected": "valid rejected",
    "malformed-answer": "malformed answer",
}
"""Maps each kind of finding to its label. The most serious kind comes first."""
FULL, BRIEF = 9_000_000, 3_000_000
"""After `FULL` characters of HTML, the page shows only few details of each finding. After another `BRIEF` characters,
the page shows no more findings.
"""
_MOST_LISTED = 24
_MOST_CHOICES = 400
_LONGEST_TEXT = 2_000
_LONGEST_NAME = 300
_LONGEST_LINE = 6_000


@dataclass(frozen=True)
class FindingEntry:
    """A finding, and its properties that the filters of the list compare."""

    finding: Document
    sites_of: Mapping[str, tuple[str, str]]

    @cached_property
    def rules(self) -> list[str]:
        return list(dict.fromkeys(_short(one["rule"], self.finding["message"]) for one in self.finding["rules"]))

    @cached_property
    def sites_and_keywords(self) -> list[tuple[str, str]]:
        return list(
            dict.fromkeys(
                self.sites_of.get(one["rule"]) or _site_and_keyword(one["rule"]) for one in self.finding["rules"]
            )
        )

    @cached_property
    def sites(self) -> list[str]:
        """The sites of the broken rules. If no rule is broken, these are the sites that caused the finding."""
        return list(dict.fromkeys(site for site, _ in self.sites_and_keywords)) or [
            site_of(place) for place in self.finding["places"]
        ]

    @cached_property
    def order(self) -> tuple[bool, int, int, str]:
        known, kind = self.finding["known"], self.finding["kind"]
        return known, list(KINDS).index(kind), -self.finding["count"], self.finding["fingerprint"]


def entries_of(document: Document) -> list[FindingEntry]:
    """Sorts the findings: new findings come before known ones, and serious kinds come before other kinds."""
    sites_of = {one["rule"]: (one["site"], one["keyword"]) for one in document["rules"]}
    return sorted((FindingEntry(finding, sites_of) for finding in document["findings"]), key=lambda entry: entry.order)


def _short(rule: str, message_type: str) -> str:
    return rule.removeprefix(f"{message_type}/")


def _site_and_keyword(rule: str) -> tuple[str, str]:
    site, _, keyword = rule.partition("/")[2].partition("@")[0].rpartition(":")
    return site, keyword


# --------------------------------------------------------------------------------------------------------- choices


@dataclass(frozen=True)
class Facet:
    """A filter for findings, such as the filter by site. `choices_of` returns the values of a finding, such as its
    sites. The finding appears in the list if the user selects one of these values. `label_of` returns the label of a
    value.
    """

    name: str
    label: str
    choices_of: Callable[[FindingEntry], Iterable[str]]
    label_of: Callable[[str], str] = str


FACETS = (
    Facet("kind", "Kind", lambda entry: [entry.finding["kind"]], lambda kind: KINDS.get(kind, kind)),
    Facet("keyword", "Rule", lambda entry: [keyword for _, keyword in entry.sites_and_keywords]),
    Facet("site", "Site", lambda entry: entry.sites, lambda site: site or ROOT),
    Facet("family", "Family", lambda entry: entry.finding["families"]),
    Facet("known", "Baseline", lambda entry: ["known" if entry.finding["known"] else "new"]),
    Facet("flaky", "Repetition", lambda entry: ["flaky" if is_flaky(entry.finding) else "reproducible"]),
)


class Choices:
    """The numbered choices of each filter. The script of the page uses only the numbers, so names from messages or
    contracts cannot reach the script.
    """

    def __init__(self, entries: Sequence[FindingEntry]) -> None:
        counts = {
            facet.name: Counter(choice for entry in entries for choice in dict.fromkeys(facet.choices_of(entry)))
            for facet in FACETS
        }
        self.counts = {name: dict(sorted(count.most_common(_MOST_CHOICES))) for name, count in counts.items()}
        self._numbers = {
            name: {choice: str(number) for number, choice in enumerate(count)} for name, count in self.counts.items()
        }

    def number(self, facet: str, choice: str) -> str | None:
        return self._numbers[facet].get(choice)

    def of(self, entry: FindingEntry) -> dict[str, str]:
        """Returns the HTML attributes of a finding. The script of the page compares these attributes with the selected
        choices.
        """
        numbers = {
            facet.name: [self.number(facet.name, choice) for choice in facet.choices_of(entry)] for facet in FACETS
        }
        return {
            f"data_{name}": " ".join(number for number in found if number is not None)
            for name, found in numbers.items()
        }


def tools(choices: Choices) -> Markup:
    """Creates the filters of the list, which browsers without scripts do not show."""
    search = element(
        "input", id="search", type="search", placeholder="any text", autocomplete="off", spellcheck="false"
    )
    return element(
        "div",
        element("label", "Search ", search, class_="search"),
        [_select(facet, choices) for facet in FACETS if len(choices.counts[facet.name]) > 1],
        element("button", "Clear", id="clear", type="button"),
        element("button", "Open all", id="unfold", type="button", aria_pressed="false"),
        element("output", id="shown", for_="search", aria_live="polite"),
        id="tools",
        role="search",
        aria_label="Findings",
        hidden=True,
    )


def _select(facet: Facet, choices: Choices) -> Markup:
    options = [
        element(
            "option",
            printable(f"{facet.label_of(choice)[:_LONGEST_NAME]} ({count:,})"),
            value=choices.number(facet.name, choice),
        )
        for choice, count in choices.counts[facet.name].items()
    ]
    return element(
        "label",
        f"{facet.label} ",
        element("select", element("option", "any", value=""), options, id=f"by-{facet.name}"),
    )


# ------------------------------------------------------------------------------------------------------------ list


def listed(entries: Sequence[FindingEntry], choices: Choices) -> Iterator[Markup]:
    """Yields the HTML of the findings (see `FULL` and `BRIEF`), and then the number of omitted findings."""
    size = 0
    for number, entry in enumerate(entries):
        if size > FULL + BRIEF:
            left = counted(len(entries) - number, "more finding")
            yield element(
                "p", f"and {left}, omitted to limit the size of this page: see the JSON report.", class_="more"
            )
            return
        made = element(
            "details",
            element("summary", _summary(entry)),
            element("div", _panel(entry) if size < FULL else _brief(entry), class_="panel"),
            id=name_of(entry.finding),
            class_="finding",
            **choices.of(entry),
        )
        size += len(made)
        yield made


def _summary(entry: FindingEntry) -> Iterator[Markup]:
    finding = entry.finding
    yield element("span", KINDS.get(finding["kind"], finding["kind"]), class_=f"kind {finding['kind']}")
    yield element("span", _title(entry), class_="what")
    marks = [mark for mark, there in (("known", finding["known"]), ("flaky", is_flaky(finding))) if there]
    yield element("span", [element("span", mark, class_=f"mark {mark}") for mark in marks], class_="marks")
    yield element("span", counted(finding["count"], "case"), class_="count")


def _title(entry: FindingEntry) -> Iterator[Child]:
    finding = entry.finding
    if entry.rules:
        yield from _joined(entry.rules)
        found = finding["rules"][0]["found"]
        yield element("small", " found ", _cut(found, 80)) if found else None
        return
    if finding["ambiguities"]:
        yield from ("ambiguity ", *_joined(finding["ambiguities"]))
    else:
        yield from _joined([place or ROOT for place in finding["places"]]) if finding["places"] else ["every message"]
    value = _first_value(finding)
    yield element("small", f" {value}, " if value else " ", _cut(finding["got"]["reason"], 80))


def _first_value(finding: Document) -> str | None:
    """Describes the value that causes a finding. Without this value, several findings could have the same title."""
    if not finding["places"] or "body" not in finding["smallest"]:
        return None
    value = finding["smallest"]["body"]
    for name in steps_of(finding["places"][0]):
        if isinstance(value, list) and re.fullmatch("[0-9]{1,9}", name) and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return "absent"
    if isinstance(value, list | dict):
        kind, part = ("array", "item") if isinstance(value, list) else ("object", "property")
        return f"contains an {kind} with {counted(len(value), part)}"
    shown = json.dumps(value[:41] if isinstance(value, str) else value, ensure_ascii=False)
    return f"contains {shown}" if len(shown) <= 42 else f"contains {shown[:40]}…"


def _joined(names: Sequence[str]) -> Iterator[Child]:
    yield _code(names[0], 160)
    yield f" and {len(names) - 1:,} more" if len(names) > 1 else None


def _brief(entry: FindingEntry) -> Iterator[Markup]:
    yield element("p", _cut(entry.finding["sentence"], _LONGEST_NAME), class_="sentence")
    yield element(
        "p", "The details are omitted, because there are too many findings: see the JSON report.", class_="cut"
    )


def _panel(entry: FindingEntry) -> Iterator[Markup]:
    finding = entry.finding
    yield element("p", _cut(finding["sentence"], _LONGEST_TEXT), class_="sentence")
    yield element(
        "dl", (element("div", element("dt", term), element("dd", text)) for term, text in _facts(entry)), class_="facts"
    )
    yield element(
        "h4", "The message" if finding["twin"] is None else "The message next to its twin (the valid counterpart)"
    )
    yield _message(finding)
    yield element("h4", "The answer")
    yield from _answer(finding["got"])
    yield element("h4", "Reproduce")
    yield _reproduction(finding["reproduce"])
    anchor = name_of(finding)
    yield element(
        "p",
        "Finding ",
        element("a", anchor, href=f"#{anchor}"),
        ", first found by case ",
        _code(finding["case"]["id"]),
        class_="anchor",
    )


# ----------------------------------------------------------------------------------------------------------- facts


def _facts(entry: FindingEntry) -> Iterator[tuple[str, Child]]:
    finding = entry.finding
    yield "Expected", _cut(finding["expected"], _LONGEST_NAME)
    yield "Got", _got(finding["got"])
    if finding["rules"]:
        yield (
            "Rule" if len(finding["rules"]) == 1 else "Rules",
            _list(finding["rules"], lambda one: _rule(one, finding["message"])),
        )
    if finding["places"]:
        yield "Cause", _codes(finding["places"])
    if finding["ambiguities"]:
        yield "Ambiguities", _codes(finding["ambiguities"])
    if finding["techniques"]:
        yield "Techniques", _chips(finding["techniques"])
    if finding["families"]:
        yield "Family", _chips(finding["families"])
    if finding["tags"]:
        yield "Tags", _chips(finding["tags"])
    yield "Occurrences", _occurrences(finding)


def _rule(one: Document, message_type: str) -> Child:
    at = [" at ", _code(one["at"])] if one["at"] else " at the root"
    found = [", found ", _code(one["found"])] if one["found"] else None
    source = element("small", _cut(one["source"], _LONGEST_NAME), class_="source") if one["source"] else None
    return [
        _code(_short(one["rule"], message_type)),
        " requires ",
        _cut(one["demanded"], _LONGEST_NAME),
        at,
        found,
        source,
    ]


def _got(got: Document) -> Child:
    return [
        got["answer"],
        " (",
        _cut(got["reason"], _LONGEST_NAME),
        ") ",
        element("small", f"in {milliseconds(got['seconds'])}"),
    ]


def _occurrences(finding: Document) -> Child:
    sent, shown = finding["sent"], finding["shown"]
    repetitions = f"; reproduced in {shown:,} of {counted(sent, 'repetition')}" if sent else None
    return [
        f"in {counted(finding['count'], 'case')}",
        repetitions,
        [": ", element("b", "flaky")] if is_flaky(finding) else None,
    ]


def milliseconds(seconds: float) -> str:
    """Writes a time in milliseconds: `0.53 ms`, `4,250 ms`."""
    shown = 1000 * seconds
    return f"{shown:.2f} ms" if shown < 10 else f"{shown:,.0f} ms"


def _list(items: Sequence[Document], formatted: Callable[[Document], Child]) -> Child:
    more = element("li", f"and {len(items) - _MOST_LISTED:,} more") if len(items) > _MOST_LISTED else None
    return (
        formatted(items[0])
        if len(items) == 1
        else element("ul", [element("li", formatted(item)) for item in items[:_MOST_LISTED]], more)
    )


def _codes(names: Sequence[str]) -> Child:
    shown = [
        [", " if number else None, _code(name) if name else "the root"]
        for number, name in enumerate(names[:_MOST_LISTED])
    ]
    return [*shown, f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else None]


def _chips(names: Sequence[str]) -> Markup:
    more = element("li", f"{len(names) - _MOST_LISTED:,} more", class_="more") if len(names) > _MOST_LISTED else None
    return element(
        "ul", [element("li", _cut(name, _LONGEST_NAME)) for name in names[:_MOST_LISTED]], more, class_="chips"
    )


# -------------------------------------------------------------------------------------------------------- messages


def _message(finding: Document) -> Markup:
    smallest = "Minimal message" if finding["whole"] else "Smallest message found"
    if finding["twin"] is None:
        return single_message(finding["smallest"], smallest)
    return comparison(finding["twin"], finding["smallest"], ("Twin (valid)", smallest))


def _answer(got: Document) -> Iterator[Markup]:
    if not got["response"]:
        yield element("p", "no body" if got["answer"] != "timeout" else "no answer", class_="cut")
        return
    shown = lines_of(got["response"].encode(errors="backslashreplace"), longest=_LONGEST_TEXT)
    yield block(shown, "The answer")


def _reproduction(line: str) -> Markup:
    if len(line) > _LONGEST_LINE:
        return element(
            "p", f"The command is too long to be shown ({len(line):,} characters): see the JSON report.", class_="cut"
        )
    exact = printable(line) == line
    button = element("button", "Copy", type="button", class_="copy", aria_label="Copy the command") if exact else None
    return element("div", element("pre", element("code", line)), button, class_="line")


def _cut(text: str, limit: int) -> Child:
    left = len(text) - limit
    return [text[:limit], element("small", f"… {left:,} more characters", class_="cut")] if left > 0 else text


def _code(text: str, limit: int = _LONGEST_NAME) -> Markup:
    return element("code", _cut(text, limit))
