import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import CONTRAST, chromium, opening
from contracts import changed_contract
from fixture_types import Run, Write

from brokerfuzz import corpus
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.reports.coverage_page import MOST_LISTED
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract

PLAIN = '{"number":"1","offerType":"Email"}'
QUOTED = '{"number":"1","offerType":"Email","orderMinimum":"5"}'
TAGS = {
    "html", "meta", "title", "style", "header", "h1", "p", "code", "b", "small", "br", "nav", "ul", "li", "a", "div",
    "label", "input", "button",
    "output", "span", "main", "section", "h2", "h3", "progress", "details", "summary", "i", "h4", "script",
}  # fmt: skip


class Page(HTMLParser):
    """Collects the tags, attributes and texts of a page. Fails if the tags are not nested correctly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.sites: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.sites += [value or "" for name, value in attrs if name == "data-site"]
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page(run: Run, *args: object) -> tuple[str, Page]:
    result = run("coverage", *args, "--html", "page.html", "--force")
    assert result.exit_code == 0, result.stderr
    text = Path("page.html").read_text()
    read = Page(text)
    assert read.open == []
    return text, read


def test_every_site_has_a_row_with_its_covered_goals(run: Run, write: Write) -> None:
    text, read = page(run, write("a.ndjson", PLAIN, QUOTED))
    assert read.sites == list(load_contract().sites["offer-creation-request"])
    row = text[text.index('data-site="orderMinimum"') : text.index('data-site="orderMaximum"')]
    assert '<b>1</b>/3<span class="unseen"> rules</span>' in row
    assert '<li class="met" title="1 message, first a.ndjson:1">absent</li>' in row
    assert '<li class="open" title="The contract' not in row
    assert 'title="One less than the minimum (one step less if there is a step size).">one-below</li>' in row


def test_the_page_loads_nothing_from_the_network(run: Run, write: Write) -> None:
    text, read = page(run, write("a.ndjson", PLAIN, QUOTED))
    assert read.tags <= TAGS
    assert {name for name, _ in read.attributes} & {"src", "srcset", "action", "data", "poster"} == set()
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", text)


def test_the_page_allows_only_its_own_script(run: Run, write: Write) -> None:
    text, _ = page(run, write("a.ndjson", PLAIN))
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in text
    assert not re.search(r"\son\w+=", text.replace(script, ""))


HOSTILE = '</script></details><img src=x onerror="alert(1)">\'&amp;'


def test_names_of_contracts_and_files_are_always_shown_as_text(run: Run, folder: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"][HOSTILE] = {"type": "integer", "minimum": 1}
        schema["properties"]["offerType"]["enum"].append(f"<b>{HOSTILE}")

    (folder / "changed").mkdir()
    changed_contract(folder / "changed", "offer-creation-request", change)
    name = "<script>alert(2)<!-- '\"&.ndjson"
    Path(name).write_text(f"{PLAIN}\n{json.dumps({'number': '1', 'offerType': 'Email', HOSTILE: 0})}\n")
    text, read = page(run, name, "--contract", "changed")
    assert read.tags <= TAGS
    assert text.count("<script>") == text.count("</script>") == 1
    assert HOSTILE in read.sites
    assert name in read.texts
    assert any(f"={'<b>'}{HOSTILE}" in said for said in read.texts)


def test_only_some_of_many_pairs_are_listed(run: Run, write: Write) -> None:
    text, _ = page(run, write("a.json", PLAIN))
    root = text[text.index('data-site=""') : text.index('data-site="number"')]
    assert root.count('<li class="open">') < MOST_LISTED + 20
    assert re.search(r"and \d,\d{3} more: use --missing to list them", root)
    assert len(text) < 1_000_000


@pytest.mark.rotated(3)
def test_the_page_of_the_whole_catalogue_is_small(run: Run, folder: Path) -> None:
    corpus.write(folder / "c.ndjson", (case for message_type in MESSAGE_TYPES for case in catalogue(message_type)))
    text, read = page(run, "c.ndjson")
    assert len(text) < 1_000_000
    assert [value for name, value in read.attributes if name == "href"] == [
        f"#{message_type}" for message_type in MESSAGE_TYPES
    ]


def test_an_existing_page_is_replaced_only_with_force(run: Run, write: Write) -> None:
    offers = write("a.json", PLAIN)
    Path("page.html").write_text("mine")
    assert run("coverage", offers, "--html", "page.html").exit_code == 2
    assert Path("page.html").read_text() == "mine"
    page(run, offers)
    assert sorted(Path().iterdir()) == [Path("a.json"), Path("page.html")]


# --------------------------------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.fixture
def opened(run: Run, write: Write, browser: Any) -> Iterator[Callable[..., Any]]:
    """The returned function opens the page for two messages."""
    page(run, write("a.ndjson", PLAIN, QUOTED))
    with opening(browser) as open_page:
        yield partial(open_page, Path("page.html").absolute().as_uri())


def shown(tab: Any) -> list[str]:
    return [row.get_attribute("data-site") for row in tab.locator(".row:visible").all()]


def test_the_filter_shows_only_matching_sites(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.fill("#filter", "PAGECOUNT")
    expected = [site for site in load_contract().sites["offer-creation-request"] if "pagecount" in site.lower()]
    assert shown(tab) == expected
    assert (
        tab.inner_text("#shown") == f"{len(expected)} of {len(load_contract().sites['offer-creation-request'])} sites"
    )
    tab.fill("#filter", "no such site")
    assert shown(tab) == []
    assert tab.locator(".heads:visible").count() == 0


def test_the_gaps_option_hides_covered_goals(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.locator('.row[data-site="orderMinimum"] > summary').click()
    numeric = tab.locator('.row[data-site="orderMinimum"] .met', has_text="absent")
    assert numeric.is_visible()
    tab.check("#gaps")
    assert not numeric.is_visible()
    assert tab.locator('.row[data-site="orderMinimum"] .open', has_text="one-below").is_visible()


def test_the_keyboard_reaches_and_opens_every_row(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.focus("#filter")
    for _ in range(20):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.parentElement.classList.contains('row')"):
            break
    tab.keyboard.press("Enter")
    assert tab.locator('.row[data-site=""] .panel').is_visible()


def test_all_rows_can_be_opened_and_closed_at_once(opened: Callable[..., Any]) -> None:
    tab = opened()
    tab.click("#unfold")
    assert tab.locator(".row[open]").count() == tab.locator(".row").count()
    tab.click("#unfold")
    assert tab.locator(".row[open]").count() == 0


def test_without_a_script_rows_open_and_the_tools_are_hidden(opened: Callable[..., Any]) -> None:
    tab = opened(java_script_enabled=False)
    assert not tab.locator("#tools").is_visible()
    tab.locator('.row[data-site="number"] > summary').click()
    assert tab.locator('.row[data-site="number"] .panel').is_visible()


@pytest.mark.parametrize("width", [320, 400, 1280])
@pytest.mark.rotated(3)
def test_the_page_fits_the_screen(opened: Callable[..., Any], width: int) -> None:
    tab = opened(viewport={"width": width, "height": 800})
    tab.click("#unfold")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.rotated(2)
def test_text_has_enough_contrast(opened: Callable[..., Any], scheme: str) -> None:
    """WCAG 2.2 requires a contrast of at least 4.5 to 1 for text (1.4.3)."""
    tab = opened(color_scheme=scheme)
    tab.click("#unfold")
    assert tab.evaluate(CONTRAST) == []
