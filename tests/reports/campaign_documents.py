"""Documents of campaigns, all made from the recorded campaign in `golden`."""

import json
from base64 import b64encode
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

GOLDEN = Path(__file__).with_name("golden")
CAMPAIGN = GOLDEN / "campaign.json"
RULE = "offer-creation-request/orderMinimum:minimum"


def recorded() -> Any:
    return json.loads(CAMPAIGN.read_text(encoding="utf-8"))


def finding(**changes: Any) -> dict[str, Any]:
    """Returns a finding: the target accepted an order minimum of 0."""
    return {**recorded()["findings"][-1], **changes}


def rejected(**changes: Any) -> dict[str, Any]:
    """Returns a finding without rules and without a twin: the target rejected a valid message."""
    smallest = {"body": {"number": "0", "offerType": "Direct Mail"}}
    text = 'number: rejected if it contains "0"'
    said = {"kind": "valid-rejected", "verdict": "valid", "text": text, "sentence": text, "expected": "accepted"}
    return finding(**said, rules=[], places=["/number"], smallest=smallest, twin=None) | changes


def document(*findings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Returns the document of a campaign with these findings."""
    named = [{**one, "name": f"{number:08}"} for number, one in enumerate(findings)]
    return {**recorded(), "findings": named, **changes}


# -------------------------------------------------------------------------------------------------------- hostile texts

_EVIL = (
    "\x00", "\x1b[31m", "\r\n", "\n\n", "\ud800", "\udfff", "\ufffe", "\u2028", "\u202e", "\U0001f600", "]]>", "<![CDATA[",
    "<!--", "-->", "&#0;", "&amp;", "</script>", "<img src=x onerror=y>", "<details>", "</details>", "<b>", '"""', "'''",
    "\\", "\\\n", "'", '"', "{0}", "%s", "$X", "`", "``", "````", "~~~", "|", "\\|", "\\\\|", "@user", "@org/team", "#12",
    "GH-7", "a/b#1", "![x](http://x.example/y.png)", "[x](javascript:y)", "http://x.example", "www.x.example",
    "x@y.example", ":smile:", "* ", "# ", "> ", "1. ", "---", "===", "    ", "/close", "{{x}}", "${x}", "exit()",
    "# noqa", "www.", "\\u0000",
)  # fmt: skip
_texts = st.lists(st.one_of(st.sampled_from(_EVIL), st.text(st.characters(), max_size=10)), max_size=6).map("".join)
_FIXED = (
    "kind", "verdict", "answer", "state", "name", "finding", "id", "started", "behaviour", "extent", "case",
    "message", "campaign",
)  # fmt: skip
"""The properties whose strings brokerfuzz itself chooses."""


def _with_texts(value: Any, texts: Iterator[str], at: str = "") -> Any:
    """Replaces each string that a target, a message or a contract may determine."""
    match value:
        case dict():
            return {key: _with_texts(inner, texts, key) for key, inner in value.items()}
        case list():
            return [_with_texts(inner, texts, at) for inner in value]
        case str():
            return value if at in _FIXED else next(texts)
        case _:
            return value


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Documents in which every text may be hostile."""
    texts = cycle(draw(st.lists(_texts, min_size=3)))
    raw, long = draw(st.binary(max_size=400)), draw(_texts) * 400
    some = [
        rejected(state=draw(st.sampled_from(["new", "grown", "known"]))),
        finding(smallest={"raw": b64encode(raw).decode()}, shown=0),
        finding(got={**finding()["got"], "response": long, "reason": long}, text=long, sentence=long, reproduce=long),
    ]
    state = draw(st.sampled_from(["complete", "partial", "untested"]))
    outcome = {**recorded()["outcome"], "state": state}
    made = document(*draw(st.lists(st.sampled_from(some), max_size=3)), outcome=outcome, stopped="a")
    hostile: dict[str, Any] = _with_texts(made, texts)
    for changed, original in zip(hostile["findings"], made["findings"], strict=True):
        if "raw" in original["smallest"]:
            changed["smallest"]["raw"] = original["smallest"]["raw"]
    return hostile
