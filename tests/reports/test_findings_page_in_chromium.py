from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import CONTRAST, chromium, opening
from example_document import example, findings, hostile_example, many
from sampled import sample

from brokerfuzz.reports.findings_page import page

Open = Callable[..., Any]
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    with opening(browser) as open_page:

        def open_document(document: dict[str, Any] | None = None, anchor: str = "", **options: Any) -> Any:
            (tmp_path / "page.html").write_text(page(document or example()), encoding="utf-8")
            return open_page(f"{(tmp_path / 'page.html').as_uri()}{anchor}", **options)

        yield open_document


def shown(tab: Any) -> set[str]:
    return {row.get_attribute("id") for row in tab.locator(".finding:visible").all()}


def having(**wanted: Any) -> set[str]:
    return {one["fingerprint"][:8] for one in findings() if all(one[name] == value for name, value in wanted.items())}


def choose(tab: Any, name: str, label: str) -> None:
    option = tab.locator(f"#by-{name} option", has_text=label).first
    tab.select_option(f"#by-{name}", option.get_attribute("value"))


# --------------------------------------------------------------------------------------------------------- filters


def test_each_filter_shows_only_the_matching_findings(opened: Open) -> None:
    tab = opened()
    for name, label, expected in (
        ("kind", "malformed answer (1)", having(kind="malformed-answer")),
        ("keyword", "minimum (1)", {"2cbdcdfc"}),
        ("site", "description (1)", {"51c2b7e0"}),
        ("family", "syntax (1)", having(families=["syntax"])),
        ("known", "known (1)", having(known=True)),
        ("flaky", "flaky (1)", having(shown=1)),
    ):
        choose(tab, name, label)
        assert shown(tab) == expected, name
        assert tab.inner_text("#shown") == "1 of 11 findings"
        tab.select_option(f"#by-{name}", "")
    assert len(shown(tab)) == 11


def test_filters_and_the_search_are_combined_and_can_be_cleared(opened: Open) -> None:
    tab = opened()
    choose(tab, "kind", "crashed")
    tab.fill("#search", "STRING-LENGTH")
    assert shown(tab) == {"deadbeef"}
    choose(tab, "flaky", "flaky")
    assert shown(tab) == set()
    assert tab.locator("#none").is_visible()
    tab.click("#all")
    assert len(shown(tab)) == 11
    assert tab.input_value("#search") == ""
    assert not tab.locator("#none").is_visible()


def test_the_search_includes_collapsed_findings(opened: Open) -> None:
    tab = opened()
    tab.fill("#search", "UnicodeEncodeError")
    assert shown(tab) == {"aa10bb20"}
    tab.fill("#search", "no such text anywhere")
    assert shown(tab) == set()


def test_the_count_is_announced_to_screen_readers(opened: Open) -> None:
    tab = opened()
    assert tab.get_attribute("#shown", "aria-live") == "polite"
    assert tab.get_by_role("search", name="Findings").is_visible()
    assert tab.get_by_role("combobox", name="Kind").is_visible()


def test_a_cell_of_the_map_filters_the_list(opened: Open) -> None:
    tab = opened()
    tab.fill("#search", "nothing")
    tab.locator(".heat a.cell", has_text="112").click()
    assert shown(tab) == {"2cbdcdfc"}
    assert tab.evaluate("document.activeElement.parentElement.id") == "2cbdcdfc"
    assert tab.locator("#list").bounding_box()["y"] < tab.viewport_size["height"]


def test_the_map_can_show_only_sites_with_findings(opened: Open) -> None:
    tab = opened()
    before = tab.locator(".heat tbody tr:visible").count()
    tab.check("#wrong-only")
    assert (
        0
        < tab.locator(".heat tbody tr:visible").count()
        == tab.locator(".heat tbody tr:visible:has(b)").count()
        < before
    )


# --------------------------------------------------------------------------------------------------- anchors, keys


def test_a_link_to_a_finding_expands_it(opened: Open) -> None:
    tab = opened(anchor="#c0ffee00")
    assert tab.locator("#c0ffee00 .panel").is_visible()
    assert tab.locator("#c0ffee00").bounding_box()["y"] < tab.viewport_size["height"]
    choose(tab, "kind", "timeout")
    tab.evaluate("location.hash = '#2cbdcdfc'")
    tab.wait_for_function("document.getElementById('2cbdcdfc').open")
    assert tab.locator("#\\32 cbdcdfc .panel").is_visible(), "filters that hide it are cleared"


def test_the_first_tab_stop_skips_to_the_findings(opened: Open) -> None:
    tab = opened()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    assert tab.locator(".skip").bounding_box()["y"] >= 0
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('.headlines') !== null")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_reaches_filters_findings_and_cells_in_order(opened: Open, key: str) -> None:
    tab = opened()
    tab.focus("#search")
    reached = []
    for _ in range(8):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.id || document.activeElement.parentElement.className"))
    assert reached == ["by-kind", "by-keyword", "by-site", "by-family", "by-known", "by-flaky", "clear", "unfold"]
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.matches('.finding > summary')")
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.keyboard.press(key)
    assert tab.locator(".finding[open] .panel").count() == 1
    tab.focus(".heat a.cell")
    tab.keyboard.press("Enter")
    assert len(shown(tab)) == 1


def test_all_matching_findings_can_be_expanded_and_collapsed(opened: Open) -> None:
    tab = opened()
    choose(tab, "kind", "crashed")
    tab.click("#unfold")
    assert tab.locator(".finding[open]").count() == 4
    tab.click("#unfold")
    assert tab.locator(".finding[open]").count() == 0


def test_the_command_is_copied_unchanged(opened: Open) -> None:
    tab = opened(permissions=["clipboard-read", "clipboard-write"])
    tab.locator("#\\32 cbdcdfc > summary").click()
    tab.locator("#\\32 cbdcdfc .copy").click()
    tab.wait_for_function("document.querySelector('#\\\\32 cbdcdfc .copy').textContent === 'Copied'")
    expected = next(one["reproduce"] for one in findings() if one["fingerprint"].startswith("2cbdcdfc"))
    assert tab.evaluate("navigator.clipboard.readText()") == expected


def test_without_the_script_everything_is_shown_except_the_controls_that_need_it(opened: Open) -> None:
    tab = opened(java_script_enabled=False)
    for hidden in ("#tools", ".copy >> nth=0", "#none", "#wrong-only"):
        assert not tab.locator(hidden).is_visible(), hidden
    assert len(shown(tab)) == 11
    tab.locator("#c0ffee00 > summary").click()
    assert tab.locator("#c0ffee00 .panel").is_visible()
    assert tab.locator(".plot").first.is_visible()
    assert tab.locator(".heat a.cell").first.get_attribute("href").startswith("#")


# ----------------------------------------------------------------------------------------------------------- looks


@pytest.mark.parametrize("width", [320, 400, 1280])
@pytest.mark.parametrize("document", [example(), hostile_example(10_000)], ids=["example", "hostile"])
def test_the_page_fits_the_screen(opened: Open, document: dict[str, Any], width: int) -> None:
    tab = opened(document, viewport={"width": width, "height": 800})
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_narrow_screen_equal_lines_are_shown_once(opened: Open) -> None:
    tab = opened(viewport={"width": 400, "height": 800}, anchor="#7f35a2c1")
    lines = tab.locator("#\\37 f35a2c1 .diff td:visible").all_inner_texts()
    assert [line.strip() for line in lines] == [
        "{",
        '"number": "0",',
        '"offerType": "Drop Ship",',
        '"offerType": "DROP SHIP",',
        '"description": ""',
        "}",
    ]


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(opened: Open, scheme: str, width: int) -> None:
    tab = opened(color_scheme=scheme, viewport={"width": width, "height": 800})
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert tab.evaluate(CONTRAST) == []


def test_plots_have_a_name_and_a_description(opened: Open) -> None:
    tab = opened()
    for name in ("Response times", "Answers per second"):
        assert tab.get_by_role("img", name=name).is_visible()
    assert "median 6.84 ms" in tab.locator("#latency-plot-words").text_content()


def test_a_printed_page_contains_expanded_findings_and_no_controls(opened: Open) -> None:
    tab = opened(anchor="#c0ffee00", color_scheme="dark")
    tab.emulate_media(media="print")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 251, 249)", "paper is light"
    assert not tab.locator("#tools").is_visible()
    assert not tab.locator("#c0ffee00 .copy").is_visible()
    assert tab.locator("#c0ffee00 .panel").is_visible()


# --------------------------------------------------------------------------------------------------------- hostile


def test_hostile_texts_do_not_run_and_load_nothing(opened: Open) -> None:
    tab = opened(hostile_example(10_000_000))
    tab.click("#unfold")
    tab.wait_for_timeout(200)
    assert tab.locator("img").count() == 0
    assert tab.locator("script").count() == 1
    assert len(shown(tab)) == 12
    tab.fill("#search", "<img src=x")
    assert shown(tab) == {"bad0bad0"}
    for name in ("site", "keyword", "family"):
        choose(tab, name, "<img")
        assert shown(tab) == {"bad0bad0"}


def test_an_injected_script_does_not_run(opened: Open, tmp_path: Path, browser: Any) -> None:
    opened()
    path = tmp_path / "page.html"
    injected = (
        "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'><style>body { color: red "
        "}</style><body onclick='window.ran = 3'>"
    )
    path.write_text(path.read_text().replace("<main>", f"{injected}<main>"))
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.click("h1")
    tab.wait_for_timeout(100)
    assert tab.evaluate("window.ran") is None
    assert tab.evaluate("getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    assert tab.locator("#tools").is_visible(), "the script of the page runs"
    context.close()


# ------------------------------------------------------------------------------------------------------------ size


@sample(100, 2000)
def test_a_filter_computes_the_layout_a_few_times_for_any_number_of_findings(opened: Open, size: int) -> None:
    """If the layout were computed once for each finding, the filters of a large page would be slow."""
    tab = opened(many(size))
    tab.fill("#search", "warm")
    browser = tab.context.new_cdp_session(tab)
    browser.send("Performance.enable")
    layouts = [_layouts(browser)]
    for words in ("x", "pageCount", "no such text", ""):
        tab.fill("#search", words)
        tab.evaluate(NEXT_FRAME)
        layouts.append(_layouts(browser))
    choose(tab, "kind", "timeout")
    tab.evaluate(NEXT_FRAME)
    layouts.append(_layouts(browser))
    assert tab.inner_text("#shown") == f"{size // 11 + (size % 11 > 6)} of {size} findings"
    steps = [after - before for before, after in pairwise(layouts)]
    assert 0 < min(steps) <= max(steps) < 20, steps


def _layouts(browser: Any) -> int:
    return next(
        int(metric["value"])
        for metric in browser.send("Performance.getMetrics")["metrics"]
        if metric["name"] == "LayoutCount"
    )
