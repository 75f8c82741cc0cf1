"""Documents of campaigns that match `report.schema.json`."""

from base64 import b64encode
from typing import Any, Final

from hypothesis import strategies as st

OFFER: Final = "offer-creation-request"
RULE = f"{OFFER}/orderMinimum:minimum"
DEEP_RULE = f"{OFFER}/productClusters[].products[].pageCount:minimum"
SMALLEST = {"number": "0", "offerType": "Direct Mail", "orderMinimum": 0}
TWIN = {**SMALLEST, "orderMinimum": 1}
REQUEST = {"url": "http://127.0.0.1:8000/offers", "method": "POST", "headers": [["content-type", "application/json"]]}
ANSWERS = {"accept": ["2xx"], "reject": ["1xx", "3xx", "4xx"], "envelope": True}
NONE: Final = {"accepted": 0, "rejected": 0, "crashed": 0, "timeout": 0}
KINDS = {
    "invalid-accepted": "invalid",
    "valid-rejected": "valid",
    "crashed": "unspecified",
    "timeout": "valid",
    "malformed-answer": "valid",
}


def finding(**changes: Any) -> dict[str, Any]:
    """Returns a finding: the target accepted an order minimum of 0."""
    return {
        "name": "01234567",
        "fingerprint": "0123456789abcdef",
        "known": False,
        "kind": "invalid-accepted",
        "sentence": "orderMinimum: accepted 0; must be at least 1 (Errors, validation rule 7)",
        "message": OFFER,
        "verdict": "invalid",
        "expected": "rejected",
        "got": got(),
        "rules": [
            {
                "rule": RULE,
                "source": "Errors, validation rule 7",
                "at": "/orderMinimum",
                "found": "0",
                "demanded": "at least 1",
            }
        ],
        "ambiguities": [],
        "places": [],
        "families": ["bound"],
        "techniques": ["one-below"],
        "tags": [],
        "count": 3,
        "sent": 2,
        "shown": 2,
        "whole": True,
        "reproduce": "curl -sS -i -X POST http://127.0.0.1:8000/offers",
        "smallest": {"body": SMALLEST},
        "twin": {"body": TWIN},
        "case": {"id": "00000000000000aa", "body": SMALLEST},
        **changes,
    }


def got(**changes: Any) -> dict[str, Any]:
    return {
        "answer": "accepted",
        "status": 201,
        "reason": "status 201",
        "response": '{"operationWasSuccessful":true}',
        "seconds": 0.25,
        **changes,
    }


def rejected(**changes: Any) -> dict[str, Any]:
    """Returns a finding without rules: the target rejected a valid message."""
    said = {
        "fingerprint": "fedcba9876543210",
        "kind": "valid-rejected",
        "verdict": "valid",
        "expected": "accepted",
        "sentence": "rejected (status 422) a valid offer creation request: number is absent",
        "got": got(answer="rejected", status=422, reason="status 422", response="no"),
        "rules": [],
        "places": ["/number"],
        "smallest": {"body": TWIN},
        "twin": None,
    }
    return finding(**{**said, **changes})


def rule(name: str = RULE, **counts: Any) -> dict[str, Any]:
    place = {"site": name.partition("/")[2].rpartition(":")[0], "keyword": name.rpartition(":")[2]}
    return {"rule": name, **place, **NONE, "unproven": 0, "why": None, **counts}


def ambiguity(name: str = "cron-syntax", **counts: int) -> dict[str, Any]:
    said = {"ambiguity": name, "question": "Which cron dialect is accepted?", **NONE, "unproven": 0, **counts}
    return {**said, "behaviour": "mixed", "examples": {"accepted": {"id": "00000000000000bb", "body": TWIN}}}


def outcome(
    state: str = "complete", reason: str = "", status: int = 1, headline: str = "1 finding", unwritten: Any = ()
) -> dict[str, Any]:
    return {"state": state, "reason": reason, "status": status, "headline": headline, "unwritten": list(unwritten)}


def headline(finding: dict[str, Any], *others: dict[str, Any], text: str = "does not check a rule") -> dict[str, Any]:
    """A headline with these findings."""
    some = (finding, *others)
    return {
        "name": finding["fingerprint"][:8],
        "known": all(one["known"] for one in some),
        "kind": finding["kind"],
        "text": text,
        "extent": f"{finding['count']} cases",
        "failed": finding["count"],
        "sent": finding["count"],
        "places": 0,
        "tried": 0,
        "findings": [one["fingerprint"][:8] for one in some],
    }


def document(**changes: Any) -> dict[str, Any]:
    """Returns the document of a campaign with one finding, two rules and an ambiguity."""
    found = {
        "brokerfuzz": "0.1.0",
        "target": "http://127.0.0.1:8000/offers",
        "message": OFFER,
        "started": "2026-01-01T12:00:00Z",
        "seconds": 2.0,
        "outcome": outcome(),
        "stopped": None,
        "seed": 7,
        "now": None,
        "cases": 1213,
        "requests": 1250,
        "left_out": 0,
        "request": REQUEST,
        "answers": ANSWERS,
        "counts": {
            "valid": {**NONE, "accepted": 10},
            "invalid": {**NONE, "accepted": 3, "rejected": 1200},
            "unspecified": NONE,
        },
        "findings": [finding()],
        "ambiguities": [ambiguity(accepted=2, rejected=1)],
        "rules": [rule(accepted=3), rule(DEEP_RULE, rejected=12)],
        "unproven": {"count": 0, "rules": [], "examples": [], "retested": 0},
        "elsewhere": [],
        "latency": dict.fromkeys(("least", "p50", "p90", "p99", "most"), 0.01),
        **changes,
    }
    return {"headlines": [headline(one) for one in found["findings"]], **found}


# -------------------------------------------------------------------------------------------------------- hostile texts

_EVIL = (
    "\x00",
    "\x1b[31m",
    "\r\n",
    "\n\n",
    "\ud800",
    "\udfff",
    "\ufffe",
    "\u2028",
    "\u202e",
    "\U0001f600",
    "]]>",
    "<![CDATA[",
    "<!--",
    "-->",
    "&#0;",
    "&amp;",
    "</script>",
    "<img src=x onerror=y>",
    "<details>",
    "</details>",
    "<b>",
    '"""',
    "'''",
    "\\",
    "\\\n",
    "'",
    '"',
    "{0}",
    "%s",
    "$X",
    "`",
    "``",
    "````",
    "~~~",
    "|",
    "\\|",
    "\\\\|",
    "@user",
    "@org/team",
    "#12",
    "GH-7",
    "a/b#1",
    "![x](http://x.example/y.png)",
    "[x](javascript:y)",
    "http://x.example",
    "www.x.example",
    "x@y.example",
    ":smile:",
    "* ",
    "# ",
    "> ",
    "1. ",
    "---",
    "===",
    "    ",
    "/close",
    "{{x}}",
    "${x}",
    "exit()",
    "# noqa",
    "www.",
    "\\u0000",
)
hostile = st.lists(st.one_of(st.sampled_from(_EVIL), st.text(st.characters(), max_size=10)), max_size=6).map("".join)
"""Texts that contain the special syntax of the formats."""

_count = st.integers(0, 10_000)
_counts = st.fixed_dictionaries(dict.fromkeys(NONE, _count))
_values = st.one_of(
    hostile.map(lambda text: text.encode(errors="ignore").decode()), st.integers(-9, 9), st.none(), st.booleans()
)
_values_within = st.one_of(
    _values, st.lists(_values, max_size=3), st.dictionaries(_values.map(str), _values, max_size=3)
)
_bytes = st.one_of(st.binary(max_size=400), hostile.map(lambda text: text.encode(errors="replace")))
_bodies = st.one_of(
    _values_within.map(lambda value: {"body": value}), _bytes.map(lambda raw: {"raw": b64encode(raw).decode()})
)
_headers = st.lists(st.tuples(hostile, st.one_of(st.none(), hostile)).map(list), max_size=2)
_messages = st.one_of(_bodies, st.builds(lambda body, headers: {**body, "headers": headers}, _bodies, _headers))
_cases = _messages.map(lambda message: {"id": "00000000000000aa", **message})
_texts = st.lists(hostile, max_size=2)
_rules = st.lists(
    st.fixed_dictionaries(dict.fromkeys(("rule", "source", "at", "found", "demanded"), hostile)), max_size=2
)
_got = st.builds(
    got,
    answer=st.sampled_from(tuple(NONE)),
    status=st.one_of(st.none(), st.integers(100, 599)),
    reason=hostile,
    response=st.one_of(hostile, hostile.map(lambda text: text * 400)),
    seconds=st.floats(0, 10),
)
_findings = st.sampled_from(tuple(KINDS)).flatmap(
    lambda kind: st.builds(
        finding,
        kind=st.just(kind),
        verdict=st.just(KINDS[kind]),
        known=st.booleans(),
        sentence=hostile,
        expected=hostile,
        got=_got,
        rules=_rules,
        ambiguities=_texts,
        places=_texts,
        techniques=_texts,
        count=_count,
        sent=st.integers(0, 3),
        shown=st.integers(0, 3),
        whole=st.booleans(),
        reproduce=hostile,
        smallest=_messages,
        twin=st.one_of(st.none(), _messages),
        case=_cases,
    )
)
documents = st.builds(
    document,
    brokerfuzz=hostile,
    target=hostile,
    outcome=st.builds(
        outcome,
        st.sampled_from(("complete", "partial", "untested")),
        hostile,
        st.just(2),
        hostile,
        st.lists(hostile, max_size=2),
    ),
    stopped=st.one_of(st.none(), hostile),
    cases=_count,
    request=st.fixed_dictionaries(
        {"url": hostile, "method": hostile, "headers": st.lists(st.tuples(hostile, hostile).map(list), max_size=2)}
    ),
    answers=st.one_of(
        st.none(), st.fixed_dictionaries({"accept": _texts, "reject": _texts, "envelope": st.booleans()})
    ),
    findings=st.lists(_findings, max_size=3),
    ambiguities=st.lists(
        st.builds(
            lambda name, question, counts: {**ambiguity(name, **counts), "question": question},
            hostile,
            hostile,
            _counts,
        ),
        max_size=2,
    ),
    rules=st.lists(
        st.builds(lambda name, site, counts: {**rule(name, **counts), "site": site}, hostile, hostile, _counts),
        max_size=2,
    ),
)
"""Documents in which every text may be hostile."""
