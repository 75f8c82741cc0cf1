"""Opens the pages in Chromium. Every console message, error, dialog and network request fails the test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import CONTRAST, chromium, opening
from campaign_documents import CAMPAIGN, document, finding
from fixture_types import Run

from brokerfuzz.reports.report_files import read_report, write_all

ATTACK = "<script>alert(1)</script><img src=http://x.example/ onerror=alert(2)>\"'>{{7*7}}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.fixture(params=["findings", "coverage"])
def page(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    if request.param == "findings":
        assert write_all([str(path)], read_report(CAMPAIGN)) == {}
    else:
        offers = tmp_path / "a.ndjson"
        offers.write_text('{"number":"1","offerType":"Email"}\n{"number":"1","offerType":"Email","orderMinimum":"5"}\n')
        assert run("coverage", offers, "--html", path).exit_code == 0
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
def test_a_page_fits_the_screen_and_can_be_read(browser: Any, page: str, scheme: str, width: int) -> None:
    with opening(browser) as open_page:
        tab = open_page(page, color_scheme=scheme, viewport={"width": width, "height": 800})
        tab.click("#unfold")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate(CONTRAST) == []


def test_the_search_shows_only_the_matching_groups(browser: Any, page: str) -> None:
    with opening(browser) as open_page:
        tab = open_page(page)
        every = tab.locator(".group:visible").count()
        tab.fill("#search", "ORDERMINIMUM")
        assert 0 < tab.locator(".group:visible").count() < every
        tab.fill("#search", "no such text anywhere")
        assert tab.locator(".group:visible").count() == 0
        tab.fill("#search", "")
        assert tab.locator(".group:visible").count() == every


def test_the_keyboard_opens_a_group_and_a_link_opens_its_headline(browser: Any, page: str) -> None:
    with opening(browser) as open_page:
        tab = open_page(page)
        tab.locator(".group > summary").first.focus()
        tab.keyboard.press("Enter")
        assert tab.locator(".group[open]").count() == 1
        name = tab.locator(".group").first.get_attribute("id")
        if name is not None:
            assert open_page(f"{page}#{name}").locator(".group[open]").count() == 1


def test_without_a_script_everything_except_the_search_works(browser: Any, page: str) -> None:
    with opening(browser) as open_page:
        tab = open_page(page, java_script_enabled=False)
        assert not tab.locator("#tools").is_visible()
        tab.locator(".group > summary").first.click()
        assert tab.locator(".group[open]").count() == 1


def test_hostile_texts_do_not_run_and_load_nothing(browser: Any, tmp_path: Path) -> None:
    found = finding(sentence=ATTACK, expected=ATTACK, reproduce=ATTACK, smallest={"body": ATTACK})
    path = tmp_path / "page.html"
    assert write_all([str(path)], document(found, target=ATTACK)) == {}
    with opening(browser) as open_page:
        tab = open_page(path.as_uri())
        tab.click("#unfold")
        assert tab.locator("img").count() == 0
        assert tab.get_by_text(ATTACK, exact=True).count() > 0
