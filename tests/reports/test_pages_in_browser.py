"""Opens the page with findings in Chromium. Every console message, error, dialog and network request fails the test."""

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from campaign_documents import CAMPAIGN, document, finding

from brokerfuzz.reports.report_files import read_report, write_reports

COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, COMMANDS)), None)
"""The headless shell comes first, because it needs a third of the processor time of a complete browser."""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
CONTRAST = """() => {
  const part = (value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = (colour) => { const [r, g, b] = colour.match(/[\\d.]+/g).map((n) => part(n / 255)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (node) => { const own = getComputedStyle(node).backgroundColor; return /, 0\\)$/.test(own) ? ground(node.parentElement) : own; };
  const low = new Set();
  for (const node of document.querySelectorAll('body *')) {
    const says = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!says || !node.checkVisibility() || node.closest('.unseen')) continue;
    const drawn = node.closest('svg') ? getComputedStyle(node).fill : getComputedStyle(node).color;
    const [a, b] = [light(drawn), light(ground(node))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.add(`${node.tagName}.${node.className}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return [...low];
}"""
"""JavaScript that returns the elements with a contrast of less than 4.5 to 1, the minimum for text in WCAG 2.2
(1.4.3).
"""
ATTACK = "<script>alert(1)</script><img src=http://x.example/ onerror=alert(2)>\"'>{{7*7}}"
OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as api:
        started = api.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    complaints: list[str] = []
    contexts: list[Any] = []

    def opened(path: Path, name: str = "", **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        tab = contexts[-1].new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        tab.on("request", lambda request: complaints.extend({request.url} - {path.as_uri()}))
        tab.goto(f"{path.as_uri()}#{name}")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_page_can_be_read_searched_and_used_with_the_keyboard_and_without_a_script(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert write_reports([str(page)], read_report(CAMPAIGN)) == {}
    for scheme, width in product(("light", "dark"), (400, 1200)):
        tab = open_page(page, color_scheme=scheme, viewport={"width": width, "height": 800})
        tab.click("#unfold")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate(CONTRAST) == []

    tab = open_page(page)
    every = tab.locator(".group:visible").count()
    tab.fill("#search", "ORDERMINIMUM")
    assert 0 < tab.locator(".group:visible").count() < every
    tab.fill("#search", "no such text anywhere")
    assert tab.locator(".group:visible").count() == 0
    tab.fill("#search", "")
    assert tab.locator(".group:visible").count() == every

    tab.locator(".group > summary").first.focus()
    tab.keyboard.press("Enter")
    assert tab.locator(".group[open]").count() == 1
    if name := tab.locator(".group").first.get_attribute("id"):
        assert open_page(page, name).locator(".group[open]").count() == 1

    plain = open_page(page, java_script_enabled=False)
    assert not plain.locator("#tools").is_visible()
    plain.locator(".group > summary").first.click()
    assert plain.locator(".group[open]").count() == 1


def test_hostile_texts_do_not_run_and_load_nothing(open_page: OpenPage, tmp_path: Path) -> None:
    found = finding(sentence=ATTACK, expected=ATTACK, reproduce=ATTACK, smallest={"body": ATTACK})
    path = tmp_path / "page.html"
    assert write_reports([str(path)], document(found, target=ATTACK)) == {}
    tab = open_page(path)
    tab.click("#unfold")
    assert tab.locator("img").count() == 0
    assert tab.get_by_text(ATTACK, exact=True).count() > 0
