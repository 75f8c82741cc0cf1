"""Creates an HTML page with the findings of a campaign.

The page is a single file that loads no other files. In a browser without scripts, everything except the filters and the
copy buttons works. Only the module `markup` creates HTML, and `markup` escapes all text.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from brokerfuzz.reports import plots
from brokerfuzz.reports.ambiguity_ledger import ledger
from brokerfuzz.reports.document_messages import Document, sporadic_lines
from brokerfuzz.reports.findings_list import Choices, FindingEntry, entries_of, listed, tools
from brokerfuzz.reports.heat_map import heat_map
from brokerfuzz.reports.markup import Child, Markup, element, trusted
from brokerfuzz.reports.unproven_rejections import rejections
from brokerfuzz.schemas.verdicts import RIGHT_ANSWERS
from brokerfuzz.targets import ANSWER_KINDS
from brokerfuzz.wording import counted, printable

_HERE = Path(__file__).parent
_POLICY = (
    "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'"
)
_MOST_HEADERS = 20
_LONGEST = 500  # the maximum number of characters of a text in the head of the page
_NAMES = {
    "offer-creation-request": "Offer creation requests",
    "product-list-response": "Product lists",
    "offer-pricing-response": "Offer pricings",
}
_SECTIONS = (
    ("findings", "Findings"),
    ("rules", "Rules by site"),
    ("ambiguities", "Ambiguities"),
    ("rejections", "Rejections"),
    ("timing", "Timing"),
)


def page(document: Document) -> str:
    style = "".join((_HERE / name).read_text(encoding="utf-8") for name in ("pages.css", "findings_page.css"))
    script = (_HERE / "findings_page.js").read_text(encoding="utf-8")
    entries = entries_of(document)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="generator", content="brokerfuzz"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY.format(_digest(style), _digest(script))),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", printable(f"{document['outcome']['headline'][:_LONGEST]}: {document['target'][:_LONGEST]}")),
        element("style", trusted(style)),
    )
    body = element(
        "body",
        _skip(),
        _header(document, entries),
        _nav(),
        element("main", _sections(document, entries)),
        element("script", trusted(script)),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


# ------------------------------------------------------------------------------------------------------------ head


def _skip() -> Markup:
    return element("a", "Skip to the findings", class_="skip", href="#findings")


def _header(document: Document, entries: Sequence[FindingEntry]) -> Markup:
    known = sum(entry.finding["known"] for entry in entries)
    sent = [_NAMES[document["message"]], " sent to ", element("code", _cut(document["target"]))]
    number = element(
        "p",
        element("b", f"{len(entries) - known:,}"),
        "new" if known else counted(len(entries), "finding").split()[-1],
        class_="whole",
    )
    beside: Child = element("p", f"{known:,} known", class_="beside") if known else None
    outcome = document["outcome"]
    said = [(outcome["state"], outcome["reason"])] if outcome["reason"] else []
    said += [("Stopped early", document["stopped"])] if document["stopped"] and not said else []
    notes = [element("p", element("b", f"{what}: "), _cut(why), class_="stopped") for what, why in said]
    notes += [element("p", _cut(line), class_="stopped") for line in (*sporadic_lines(document), *outcome["unwritten"])]
    if unproven := len(document["unproven"]["rules"]):
        beside = [beside, element("p", f"{counted(unproven, 'rule')} unproven", class_="beside")]
    return element(
        "header",
        element("h1", "Findings of the campaign"),
        element("p", sent, class_="sources"),
        element("div", number, beside, class_="numbers-of"),
        element("div", notes, _facts(document), _verdicts(document["counts"]), class_="summary"),
    )


def _facts(document: Document) -> Markup:
    return element(
        "dl",
        (element("div", element("dt", term), element("dd", text)) for term, text in _campaign_facts(document)),
        class_="facts",
    )


def _campaign_facts(document: Document) -> Iterator[tuple[str, Child]]:
    yield (
        "Started",
        element("time", document["started"].replace("T", " ").replace("Z", " UTC"), datetime=document["started"]),
    )
    yield "Duration", f"{document['seconds']:,.1f} s"
    left_out = document.get("left_out")
    yield (
        "Cases",
        [
            f"{document['cases']:,}",
            element("small", f", {left_out:,} not sent (unsuitable for this target)") if left_out else None,
        ],
    )
    yield "Requests", [f"{document['requests']:,}", element("small", ", including twins and shrinking")]
    if document["seed"] is not None:
        yield "Seed", f"{document['seed']}"
    if document["now"] is not None:
        yield "Judged at", document["now"]
    if campaign := document.get("campaign"):
        yield "Campaign", campaign
    yield "Version", ["brokerfuzz ", _cut(document["brokerfuzz"])]
    if request := document.get("request"):
        headers = [
            [element("br"), element("code", _cut(f"{name}: {value}"))]
            for name, value in request["headers"][:_MOST_HEADERS]
        ]
        yield "Request", [element("code", _cut(f"{request['method']} {request['url']}")), headers]
    if answers := document.get("answers"):
        yield "Answers", _interpretation(answers)


def _interpretation(answers: Document) -> Child:
    accept = ((element("code", _cut(pattern)), " ") for pattern in answers["accept"][:_MOST_HEADERS])
    reject = ((element("code", _cut(pattern)), " ") for pattern in answers["reject"][:_MOST_HEADERS])
    envelope = (
        [element("br"), element("code", "operationWasSuccessful: false"), " means rejected"]
        if answers["envelope"]
        else None
    )
    return [accept, "mean accepted, ", reject, "mean rejected", envelope]


def _verdicts(counts: Document) -> Markup:
    """Creates a table with one row per verdict and one column per kind of answer. Wrong answers have a colour and a
    mark.
    """
    heads = [element("th", "verdict", scope="col"), *(element("th", kind, scope="col") for kind in ANSWER_KINDS)]
    rows = (
        element(
            "tr",
            element("th", element("span", verdict, class_=f"verdict {verdict}"), scope="row"),
            [_count(verdict, kind, row) for kind in ANSWER_KINDS],
        )
        for verdict, row in counts.items()
    )
    table = element("table", element("thead", element("tr", heads)), element("tbody", rows), class_="verdicts")
    return element("div", element("h2", "Verdicts and answers"), table)


def _count(verdict: str, kind: str, row: Document) -> Markup:
    number = row[kind]
    right = kind in RIGHT_ANSWERS[verdict]
    shade = "none" if not number else "right" if right else "wrong"
    return element(
        "td",
        f"{number:,}",
        element("span", " contradict the contract", class_="unseen") if shade == "wrong" else None,
        class_=shade,
    )


def _nav() -> Markup:
    links = (element("li", element("a", title, href=f"#{name}")) for name, title in _SECTIONS)
    return element("nav", element("ul", links), aria_label="Sections")


# -------------------------------------------------------------------------------------------------------- sections


def _sections(document: Document, entries: Sequence[FindingEntry]) -> Iterator[Markup]:
    choices = Choices(entries)
    contents: dict[str, Child] = {
        "findings": _findings(document["headlines"], entries, choices, document["outcome"]),
        "rules": heat_map(document["rules"], entries, choices),
        "ambiguities": ledger(document["ambiguities"]),
        "rejections": rejections(document["unproven"], document["elsewhere"]),
        "timing": _timing(document["timing"]),
    }
    for name, title in _SECTIONS:
        yield element(
            "section",
            element("h2", title, id=f"{name}-title"),
            contents[name],
            id=name,
            aria_labelledby=f"{name}-title",
            tabindex="-1",
        )


def _findings(
    headlines: Sequence[Document], entries: Sequence[FindingEntry], choices: Choices, outcome: Document
) -> Iterator[Markup]:
    if not entries:
        complete = outcome["state"] == "complete"
        said = (
            "No answer of the target contradicts the contract."
            if complete
            else f"No finding, but {_cut(outcome['reason'])}."
        )
        yield element("p", said, class_="well" if complete else "stopped")
        return
    yield element("ol", map(_headline, headlines), class_="headlines")
    yield tools(choices)
    yield element("div", listed(entries, choices), id="list")
    yield element(
        "p",
        "No finding matches the filters: ",
        element("button", "show all", type="button", id="all"),
        id="none",
        hidden=True,
    )


def _headline(headline: Document) -> Markup:
    known = "known: " if headline["known"] else ""
    link = element("a", _cut(headline["text"]), href=f"#{headline['findings'][0]}")
    return element("li", known, link, " ", element("small", headline["extent"]))


def _timing(timing: Document) -> Iterator[Markup]:
    yield element("h3", "Response times")
    yield from plots.latency(timing)
    yield element("h3", "Answers per second")
    yield from plots.throughput(timing)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
