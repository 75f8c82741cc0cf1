"""Creates the report for a comment on a pull request, in the Markdown of GitHub and GitLab.

All text from a target, a message or a contract is marked as code, so that it cannot become a link, an image or a
mention. Comments on pull requests have a maximum size. To stay below this size, the report omits rows and details, and
says how many it omits.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from html import escape
from itertools import groupby

from brokerfuzz.contract_names import LABELS
from brokerfuzz.reports.document_messages import Document, body_of, is_flaky, name_of, retested_in_words, sporadic_lines
from brokerfuzz.targets.answers import ANSWER_KINDS
from brokerfuzz.wording import counted, printable, readable

LONGEST = 60_000
"""The maximum number of characters of the report. GitHub allows 65,536 characters in a comment."""

MOST_ROWS = 50
"""The maximum number of rows in a table."""

_HEADLINES, _TABLE, _LEDGER = (
    8_000,
    14_000,
    10_000,
)  # the maximum number of characters for the tables; the remaining characters are for the details
_LONGEST_BODY = 2_000
_MOST_REASONS = 5
_LONGEST_DIFF = 60  # lines
_MOST_COMPARED = 20_000  # the maximum number of bytes of a message that is compared with its twin
_NAMES = {
    "offer-creation-request": "offer creation requests",
    "product-list-response": "product lists",
    "offer-pricing-response": "offer pricings",
}
_PLAIN = re.compile(r"\(?(?:[A-Za-z]{1,30}(?:\(s\))?|[0-9]{1,6})\)?[.,:;?]?")
_END = re.compile(r"(.*[^.,:;?])([.,:;?]+)")
_MANY_BACKTICKS = re.compile("`{20,}")
_ELSEWHERE = "see the JSON report"


def report(document: Document) -> str:
    """The heading of the report is the outcome of the campaign."""
    findings = [
        (number, finding)
        for number, finding in enumerate(sorted(document["findings"], key=lambda finding: finding["known"]), 1)
    ]
    head = "\n".join([f"## brokerfuzz: {prose(document['outcome']['headline'], 500)}", "", *_facts(document)])
    headlines = _headlines(document["headlines"])
    table = _table("findings", _HEADS, [_row(number, finding) for number, finding in findings], _TABLE)
    ledger = _ledger(document["ambiguities"])
    room = LONGEST - sum(_size(part) + 2 for part in (head, headlines, table, ledger)) - 200
    new = [(number, finding) for number, finding in findings if not finding["known"]]
    details, _ = _fitting((_details(number, finding) for number, finding in new[:MOST_ROWS]), room)
    if left := len(new) - len(details):
        details.append(f"The details of {counted(left, 'more finding')} are omitted: see the JSON report.")
    return "\n\n".join(part for part in (head, headlines, table, *details, ledger) if part) + "\n"


# ------------------------------------------------------------------------------------------------------------ head


def _facts(document: Document) -> Iterator[str]:
    message = document["message"]
    work = (
        f"{counted(document['cases'], 'case')}, {counted(document['requests'], 'request')} in "
        f"{document['seconds']:.1f} s"
    )
    yield f"{_NAMES[message].capitalize()} at {code(document['target'], 300)}: {work}."
    for label in LABELS:
        counts = document["counts"][label]
        if text := ", ".join(f"{counts[kind]:,} {kind}" for kind in ANSWER_KINDS if counts[kind]):
            yield f"- {label}: {text}"
    if unproven := document["unproven"]["count"]:
        yield (
            f"- {counted(unproven, 'unproven rejection')}, including all rejections for "
            f"{counted(len(document['unproven']['rules']), 'rule')}"
        )
        yield from (f"  - {_unproven(one)}" for one in document["unproven"]["examples"][:_MOST_REASONS])
    if retested := document["unproven"]["retested"]:
        yield f"- {retested_in_words(retested)}"
    yield from (f"- {prose(line, 300)}" for line in sporadic_lines(document))
    if elsewhere := sum(one["count"] for one in document["elsewhere"]):
        yield f"- {counted(elsewhere, 'rejection names', 'rejections name')} a different property than the invalid one"
    if campaign := document.get("campaign"):
        yield f"- campaign: {code(campaign, 20)}"
    if document["stopped"]:
        yield f"- The campaign stopped early: {prose(document['stopped'], 300)}"
    yield from (f"- {prose(problem, 300)}" for problem in document["outcome"]["unwritten"][:_MOST_REASONS])


def _unproven(one: Document) -> str:
    return f"{one['count']:,}: {prose(one['why'], 300)}"


# ---------------------------------------------------------------------------------------------------------- tables


def _headlines(headlines: Sequence[Document]) -> str:
    """Returns a list of the headlines, or nothing if each has only one finding."""
    if all(len(headline["findings"]) == 1 for headline in headlines):
        return ""
    kept, left = _fitting((_headline(headline) for headline in headlines), _HEADLINES, MOST_ROWS)
    more = [f"1. and {counted(left, 'more headline')}: see the JSON report"] if left else []
    return "\n".join([*kept, *more])


def _headline(headline: Document) -> str:
    known = "known: " if headline["known"] else ""
    return f"1. {known}{prose(headline['text'], 300)} ({headline['extent']})"


_HEADS = ("", "finding", "rule", "place", "got", "cases")


def _row(number: int, finding: Document) -> list[str]:
    rules = list(dict.fromkeys(broken["rule"] for broken in finding["rules"])) or finding["ambiguities"]
    places = list(dict.fromkeys(broken["at"] for broken in finding["rules"])) or finding["places"]
    marks = [mark for mark, there in (("known", finding["known"]), ("flaky", is_flaky(finding))) if there]
    got = finding["got"]
    return [
        f"{number}",
        ", ".join([finding["kind"], *marks]),
        _some(rules, 150, "none"),
        _some(places, 100, "the root"),
        f"{got['answer']}, {code(got['reason'], 80, cell=True)}",
        f"{finding['count']:,}",
    ]


def _some(names: Sequence[str], limit: int, instead: str) -> str:
    """Returns the first name as code, and the number of further names."""
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return (code(names[0], limit, cell=True) if names and names[0] else instead) + more


def _ledger(ambiguities: Sequence[Document]) -> str:
    heads = ("ambiguity", "behaviour", *ANSWER_KINDS, "unproven", "question")
    rows = (
        [
            code(one["ambiguity"], 80, cell=True),
            one["behaviour"],
            *(f"{one[kind]:,}" for kind in (*ANSWER_KINDS, "unproven")),
            prose(one["question"], 200, cell=True),
        ]
        for one in ambiguities
    )
    table = _table("ambiguities", heads, rows, _LEDGER)
    title = "Questions that the contract leaves open, and the behaviour of this target"
    return f"<details><summary>{title}</summary>\n\n{table}\n\n</details>" if table else ""


def _table(what: str, heads: Sequence[str], rows: Iterable[Sequence[str]], room: int) -> str:
    kept, left = _fitting((_line(row) for row in rows), room, MOST_ROWS)
    if not kept and not left:
        return ""
    more = ["", f"... and {left:,} more {what}: see the JSON report."] if left else []
    return "\n".join([_line(heads), _line(["---"] * len(heads)), *kept, *more])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fitting(parts: Iterable[str], room: int, limit: int | None = None) -> tuple[list[str], int]:
    """Returns the parts that fit into `room` characters, and the number of parts that do not fit."""
    kept: list[str] = []
    left = 0
    for part in parts:
        room -= _size(part) + 2
        if left or room < 0 or len(kept) == limit:
            left += 1
        else:
            kept.append(part)
    return kept, left


def _size(text: str) -> int:
    """Counts the characters of a text as GitHub does: a character beyond U+FFFF, such as an emoji, counts twice."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


# --------------------------------------------------------------------------------------------------------- details


def _details(number: int, finding: Document) -> str:
    return "\n".join(_lines(number, finding))


def _lines(number: int, finding: Document) -> Iterator[str]:
    smallest = body_of(finding["smallest"])
    rules = dict.fromkeys(broken["rule"] for broken in finding["rules"])
    about = "".join(f" <code>{escape(_cut(rule, 150))}</code>" for rule in list(rules)[:3])
    yield f"<details><summary>{number}. {name_of(finding)}: {finding['kind']}{about}</summary>"
    yield ""
    yield f"**Finding:** {prose(finding['sentence'], 1000)}"
    if sources := list(dict.fromkeys(broken["source"] for broken in finding["rules"] if broken["source"])):
        yield f"\n**Contract:** {prose('; '.join(sources[:3]), 300)}"
    if headers := finding["smallest"].get("headers"):
        yield f"\n**Headers:** {code(', '.join(f'{name}: {value}' if value is not None else f'no {name}' for name, value in headers), 300)}"
    yield ""
    yield "Minimal message" if finding["whole"] else "Smallest message found"
    yield from _block("json", readable(smallest, _LONGEST_BODY) or "(no bytes)")
    if finding["twin"] is not None:
        yield "\nDifference from its twin (the valid counterpart)"
        yield from _block("diff", *_difference(body_of(finding["twin"]), smallest))
    if finding["got"]["response"]:
        yield "\nThe answer"
        yield from _block("text", _cut(finding["got"]["response"], 1000))
    line = finding["reproduce"]
    yield "\nReproduce"
    yield from _block("sh", printable(line) if len(line) <= _LONGEST_BODY else f"# too long to show: {_ELSEWHERE}")
    yield ""
    yield "</details>"


def _difference(twin: bytes, smallest: bytes) -> Iterator[str]:
    """Yields the lines of a unified diff, in which each line contains one property."""
    if max(len(twin), len(smallest)) > _MOST_COMPARED:
        yield f"# too long to show: {_ELSEWHERE}"
        return
    before, after = _properties(twin), _properties(smallest)
    if before == after:
        before, after = [readable(twin)], [readable(smallest)]
    _, _, *lines = [*unified_diff(before, after, lineterm="", n=2)] or ["", "", "# only the headers differ"]
    yield from (_cut(line, 300) for line in lines[:_LONGEST_DIFF] if not line.startswith("@@"))
    if len(lines) > _LONGEST_DIFF:
        yield f"# and {len(lines) - _LONGEST_DIFF:,} more lines"


def _properties(body: bytes) -> list[str]:
    """Returns JSON with one property per line. If `body` is not JSON, returns a single line."""
    try:
        return [printable(line) for line in json.dumps(json.loads(body), indent=2, ensure_ascii=False).split("\n")]
    except (ValueError, RecursionError):
        return [readable(body)]


def _block(language: str, *lines: str) -> Iterator[str]:
    safe = [_with_few_backticks(line) for line in lines]
    fence = _backticks("\n".join(safe), 3)
    yield f"{fence}{language}"
    yield from safe
    yield fence


# ------------------------------------------------------------------------------------------------------------- text


def code(text: str, limit: int, *, cell: bool = False) -> str:
    """Marks text as code on one line. In a table, `|` is escaped, because it would end the cell."""
    cut = _with_few_backticks(_cut(text, limit))
    shown = cut.replace("|", "\\u007c") if cell else cut
    if not shown.strip():
        return "(empty)" if not shown else "(blank)"
    fence = _backticks(shown, 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def prose(text: str, limit: int, *, cell: bool = False) -> str:
    """Marks parts of a sentence as code. Words that contain only letters, and numbers that contain only digits, stay
    plain text.
    """
    words = groupby(_cut(text, limit).split(), key=lambda word: _PLAIN.fullmatch(word) is not None)
    return " ".join(" ".join(group) if plain else _as_code(" ".join(group), limit, cell=cell) for plain, group in words)


def _as_code(words: str, limit: int, *, cell: bool) -> str:
    """Marks words as code, like `code`, but leaves punctuation after the last word outside the code."""
    ended = _END.fullmatch(words)
    return code(ended[1], limit, cell=cell) + ended[2] if ended else code(words, limit, cell=cell)


def _cut(text: str, limit: int) -> str:
    shown = printable(text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[:limit]}..."


def _with_few_backticks(text: str) -> str:
    """Escapes long sequences of backticks. Code that contains them would need longer delimiters than GitHub
    supports.
    """
    return _MANY_BACKTICKS.sub(lambda run: "\\u0060" * len(run[0]), text)


def _backticks(text: str, least: int) -> str:
    """Returns a sequence of backticks that is longer than any such sequence in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])
