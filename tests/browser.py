import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

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


def chromium() -> Iterator[Any]:
    """Skips the test if no browser is installed."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as api:
        started = api.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@contextmanager
def opening(browser: Any) -> Iterator[Callable[..., Any]]:
    """Yields a function that opens a page. Every console message, error, dialog and network request fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_page(url: str, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        tab = contexts[-1].new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        tab.on(
            "request", lambda request: complaints.append(request.url) if not request.url.startswith("file:") else None
        )
        tab.goto(url)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
