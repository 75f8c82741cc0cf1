import json
from pathlib import Path
from typing import Any

from contracts import changed_contract
from fixture_types import Run
from html_page import Page

from brokerfuzz.schemas import load_contract

PLAIN = {"number": "1", "offerType": "Email"}
HOSTILE = '</script></details><img src=x onerror="alert(1)">\'&amp;'
NAME = "<script>alert(2)<!-- '\"&.ndjson"


def test_every_site_has_a_row_with_its_covered_goals_and_every_name_is_shown_as_text(run: Run, folder: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"][HOSTILE] = {"type": "string", "enum": [f"<b>{HOSTILE}"]}

    (folder / "changed").mkdir()
    changed_contract(folder / "changed", "offer-creation-request", change)
    messages = (PLAIN, {**PLAIN, "orderMinimum": "5"}, {**PLAIN, HOSTILE: 0})
    Path(NAME).write_text("".join(f"{json.dumps(message)}\n" for message in messages))
    result = run("coverage", NAME, "--contract", "changed", "--html", "page.html")
    assert result.exit_code == 0, result.stderr
    text = Path("page.html").read_text()
    assert len(text) < 300_000
    page = Page(text)
    assert set(filter(None, load_contract().sites["offer-creation-request"])) <= set(page.texts)
    row = text[text.index("<code>orderMinimum</code>") : text.index("<code>orderMaximum</code>")]
    assert '<span class="open">1/3</span> <small>rules</small>' in row
    assert '<li class="met" title="1 message, first ' in row
    assert '<li class="open">minimum one-below</li>' in row
    tags = [tag for tag, _ in page.tags]
    assert (tags.count("script"), "img" in tags) == (1, False)
    assert {HOSTILE, NAME} <= set(page.texts)
