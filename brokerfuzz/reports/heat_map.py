"""Creates an HTML table with one row per site and one column per keyword. Each cell shows how many invalid messages the
target did not reject.

A cell is grey if the target rejected all of these messages, but possibly for another reason than the broken rule.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from brokerfuzz.reports.coverage_table import ROOT, split_site
from brokerfuzz.reports.document_messages import Document, name_of
from brokerfuzz.reports.findings_list import Choices, FindingEntry
from brokerfuzz.reports.markup import Markup, element
from brokerfuzz.wording import counted

MOST_SITES = 400
MOST_KEYWORDS = 24
_LONGEST_NAME = 120
_DEEPEST = 6
_SHADES = (
    ("s4", "none"),
    ("s3", "under a third"),
    ("s2", "under two thirds"),
    ("s1", "more"),
    ("s0", "all"),
    ("unproven", "no rejection is proven"),
)


class Cell(NamedTuple):
    """Counts the answers to messages that break a rule with a certain keyword, such as `minimum`, at a certain site.

    `wrong` counts all answers except `rejected`. `unproven` counts the rejections that may have another reason than the
    broken rule.
    """

    rejected: int
    wrong: int
    unproven: int = 0

    @property
    def shade(self) -> str:
        if self.unproven and not self.wrong and self.rejected == self.unproven:
            return "unproven"
        share = self.wrong / ((self.rejected + self.wrong) or 1)
        return "s4" if not self.wrong else "s0" if share == 1 else f"s{3 - min(int(3 * share), 2)}"


def heat_map(rules: Sequence[Document], entries: Sequence[FindingEntry], choices: Choices) -> Iterator[Markup]:
    """Each cell with findings is a link to these findings."""
    cells = _cells(rules)
    keywords = list(dict.fromkeys(keyword for _, keyword in sorted(cells, key=lambda key: _commonness(cells, key[1]))))[
        :MOST_KEYWORDS
    ]
    sites = list(dict.fromkeys(site for site, _ in cells))
    firsts: dict[tuple[str, str], str] = {}
    for entry in entries:
        for key in entry.sites_and_keywords:
            firsts.setdefault(key, name_of(entry.finding))
    wrong = element(
        "label",
        element("input", type="checkbox", id="wrong-only"),
        " only sites with invalid messages that were not rejected",
    )
    yield element("div", _legend(), wrong if firsts else None, class_="heat-tools")
    heads = [
        element("th", "site", scope="col"),
        *(element("th", _breakable(keyword[:_LONGEST_NAME]), scope="col") for keyword in keywords),
    ]
    rows = (_row(site, keywords, cells, firsts, choices) for site in sites[:MOST_SITES])
    yield element("table", element("thead", element("tr", heads)), element("tbody", rows), class_="heat")
    if left := len(sites) - MOST_SITES:
        yield (
            element("p", f"and {counted(left, 'more site')}: see the JSON report.", class_="more")
            if left > 0
            else Markup()
        )


def _cells(rules: Sequence[Document]) -> dict[tuple[str, str], Cell]:
    cells: dict[tuple[str, str], Cell] = {}
    for rule in rules:
        key = (rule["site"], rule["keyword"])
        rejected, wrong, unproven = cells.get(key, Cell(0, 0))
        wrong += rule["accepted"] + rule["crashed"] + rule["timeout"]
        cells[key] = Cell(rejected + rule["rejected"], wrong, unproven + rule["unproven"])
    return cells


def _commonness(cells: Mapping[tuple[str, str], Cell], keyword: str) -> tuple[int, str]:
    return -sum(name == keyword for _, name in cells), keyword


def _breakable(keyword: str) -> Iterator[Markup | str]:
    """Lets the browser break the line before each capital letter of the keyword."""
    for part in re.split("(?<=[a-z])(?=[A-Z])", keyword):
        yield from (part, element("wbr"))


def _legend() -> Markup:
    shades = (element("span", text, class_=f"cell {shade}") for shade, text in _SHADES)
    return element(
        "p", element("span", "Share of the invalid messages that were not rejected:"), shades, class_="legend"
    )


def _row(
    site: str,
    keywords: Sequence[str],
    cells: Mapping[tuple[str, str], Cell],
    firsts: Mapping[tuple[str, str], str],
    choices: Choices,
) -> Markup:
    depth = min(site.count(".") + site.count("[]"), _DEEPEST)
    above, name = split_site(site)
    head = element(
        "th", element("i", above[:_LONGEST_NAME]), name[:_LONGEST_NAME], scope="row", class_=f"site d{depth}"
    )
    row = (
        _cell(site, keyword, cells.get((site, keyword)), firsts.get((site, keyword)), choices) for keyword in keywords
    )
    return element(
        "tr",
        head,
        row,
        class_=None if any(cells.get((site, keyword), Cell(0, 0)).wrong for keyword in keywords) else "well",
    )


def _cell(site: str, keyword: str, cell: Cell | None, first: str | None, choices: Choices) -> Markup:
    if cell is None:
        return element("td")
    every = cell.rejected + cell.wrong
    name = element("span", keyword[:_LONGEST_NAME], class_="keyword")
    counts = f"{cell.wrong:,} of {counted(every, 'case')} not rejected"
    counts += f", {counted(cell.unproven, 'rejection')} unproven" if cell.unproven else ""
    text = [element("b", f"{cell.wrong:,}"), f"/{every:,}"] if cell.wrong else f"{every:,}"
    if first is None:
        return element(
            "td", element("span", name, text, class_=f"cell {cell.shade}", title=f"{keyword[:_LONGEST_NAME]}: {counts}")
        )
    number = {"data_site": choices.number("site", site), "data_keyword": choices.number("keyword", keyword)}
    label = f"{keyword[:_LONGEST_NAME]} of {site[:_LONGEST_NAME] or ROOT}: {counts}; show the findings"
    return element(
        "td", element("a", name, text, class_=f"cell {cell.shade}", href=f"#{first}", aria_label=label, **number)
    )
