import json
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run, Write
from html_page import Page

from brokerfuzz import corpus
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.schemas import load_contract

PLAIN = '{"number":"1","offerType":"Email"}'
QUOTED = '{"number":"1","offerType":"Email","orderMinimum":"5"}'
HOSTILE = '</script></details><img src=x onerror="alert(1)">\'&amp;'


def page(run: Run, *args: object) -> tuple[str, Page]:
    result = run("coverage", *args, "--html", "page.html")
    assert result.exit_code == 0, result.stderr
    text = Path("page.html").read_text()
    return text, Page(text)


def test_every_site_has_a_row_with_its_covered_goals(run: Run, write: Write) -> None:
    text, read = page(run, write("a.ndjson", PLAIN, QUOTED))
    assert set(filter(None, load_contract().sites["offer-creation-request"])) <= set(read.texts)
    row = text[text.index("<code>orderMinimum</code>") : text.index("<code>orderMaximum</code>")]
    assert '<span class="open">1/3</span> <small>rules</small>' in row
    assert '<li class="met" title="1 message, first a.ndjson:1">absent</li>' in row
    assert '<li class="open">minimum one-below</li>' in row


@pytest.mark.long
def test_names_of_contracts_and_files_are_always_shown_as_text(run: Run, folder: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"][HOSTILE] = {"type": "string", "enum": [f"<b>{HOSTILE}"]}

    (folder / "changed").mkdir()
    changed_contract(folder / "changed", "offer-creation-request", change)
    name = "<script>alert(2)<!-- '\"&.ndjson"
    Path(name).write_text(json.dumps({**json.loads(PLAIN), HOSTILE: 0}))
    _, read = page(run, name, "--contract", "changed")
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert HOSTILE in read.texts
    assert name in read.texts


def test_the_page_of_a_whole_catalogue_is_small(run: Run, folder: Path) -> None:
    corpus.write(folder / "c.ndjson", catalogue("offer-pricing-response"))
    text, _ = page(run, "c.ndjson")
    assert len(text) < 300_000
