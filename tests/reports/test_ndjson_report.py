import json
from typing import Any

from campaign_documents import RULE, document, documents, finding
from hypothesis import given

from brokerfuzz.reports import ndjson


@given(documents)
def test_each_line_is_an_object_with_a_type_and_only_the_last_one_is_marked_as_last(hostile: dict[str, Any]) -> None:
    text = ndjson.report(hostile)
    assert text.isascii()
    records = [json.loads(line) for line in text.split("\n")[:-1]]
    assert [record.get("last") for record in records] == [*[None] * (len(records) - 1), True]
    findings = json.loads(json.dumps(hostile["findings"]))  # JSON joins two adjacent halves of a surrogate pair
    assert [record for record in records if record["record"] == "finding"] == [{"record": "finding", **found} for found in findings]


def test_records_come_in_order() -> None:
    one = {"rule": RULE, "at": "/orderMinimum", "named": ["number"], "said": "number?", "case": "00000000000000aa", "count": 1}
    unproven = {
        "rule": RULE, "technique": "one-below", "case": "00000000000000aa", "twin": finding()["case"], "got": finding()["got"], "count": 4,
    }  # fmt: skip
    records = [json.loads(line) for line in ndjson.report(document(elsewhere=[one], unproven={"count": 4, "examples": [unproven]})).splitlines()]
    assert [record["record"] for record in records] == ["campaign", "finding", "ambiguity", "rule", "rule", "unproven", "elsewhere", "timing"]
    campaign = records[0]
    assert (campaign["findings"], campaign["ambiguities"], campaign["rules"], campaign["unproven"], campaign["elsewhere"]) == (1, 1, 2, 4, 1)
    assert (campaign["target"], campaign["seed"], campaign["counts"]["valid"]["accepted"]) == ("http://127.0.0.1:8000/offers", 7, 10)


def test_the_records_contain_the_whole_document() -> None:
    whole = document()
    records = [json.loads(line) for line in ndjson.report(whole).splitlines()]
    campaign, timing = records[0], records[-1]
    assert {key: value for key, value in campaign.items() if key not in ("findings", "ambiguities", "rules", "unproven", "elsewhere")} == {
        "record": "campaign",
        **{key: value for key, value in whole.items() if key not in ("findings", "ambiguities", "rules", "unproven", "elsewhere", "timing")},
    }
    assert timing == {"record": "timing", **whole["timing"], "last": True}
