"""A contract folder with message types of its own, which every command, format, report and strategy can use."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import ORDER, own_contract
from fixture_types import Run
from hand_made_servers import answers, serving
from hypothesis import given, settings
from hypothesis.errors import InvalidArgument

import brokerfuzz
from brokerfuzz.corpus import write
from brokerfuzz.strategies import cases, offer_requests

OFFER, PRODUCTS, PRICING = brokerfuzz.MESSAGE_TYPES
STATUS = "order-status-response"
REQUEST = "order-request"
LINE = {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string", "minLength": 1}}}
FILES: dict[str, Any] = {
    "messages.json": {
        STATUS: {"direction": "response", "route": "GET /orders/{id}"},
        REQUEST: {"direction": "request", "route": "POST /orders"},
    },
    f"{STATUS}.schema.json": {
        "type": "object",
        "required": ["id", "status"],
        "properties": {
            "id": {"type": "string", "minLength": 1},
            "status": {"enum": ["open", "sent"]},
            "lines": {"type": "array", "items": {"$ref": "line.schema.json"}},
        },
    },
    f"{REQUEST}.schema.json": {
        "type": "object",
        "required": ["sku"],
        "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    },
    "line.schema.json": LINE,
    "ambiguities.json": [{"id": "duplicate-items", "sites": {STATUS: [["lines", "sku"]]}}],
}


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    for name, content in FILES.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def corpus(orders: Path) -> Path:
    contract, out = brokerfuzz.load_contract(orders), orders.with_name("orders.ndjson")
    write(
        out, (case for name in (STATUS, REQUEST) for case in islice(brokerfuzz.catalogue(name, contract=contract), 60))
    )
    return out


COMMANDS = {
    "export": "export OUT --format pytest --rule *status:enum --rule *quantity:minimum",
    "rules": f"rules --message {STATUS}",
    "contract check": "",
    "explain": f"explain {STATUS}/status:enum",
    "check": "check CORPUS --summary",
    "coverage": "coverage CORPUS",
    "show": f"corpus show CORPUS --message {STATUS}",
    "verify": "corpus verify CORPUS",
    "fire": f"fire --demo --message {REQUEST} --rule *quantity:minimum --shrink off",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_works_with_an_own_message_type(name: str, orders: Path, corpus: Path, run: Run) -> None:
    places = {"CORPUS": str(corpus), "OUT": str(orders.with_name("out"))}
    words = [places.get(word, word) for word in COMMANDS[name].split()]
    found = run(*words, "--contract", str(orders)) if words else run("contract", "check", str(orders))
    assert found.exit_code == (name == "check"), found.stderr
    assert "order-" in found.stdout or name in ("fire", "verify", "check")


def test_reports_and_replays_name_the_own_message_type(orders: Path, tmp_path: Path, run: Run) -> None:
    paths = {kind: str(tmp_path / f"report.{kind}") for kind in ("json", "html", "md", "xml", "har")}
    reports = [word for path in paths.values() for word in ("--report", path)]
    journal = str(tmp_path / "run.ndjson")
    own = ["--contract", str(orders)]
    with serving(answers(lambda body: 201)) as url:
        filters = ["--message", REQUEST, "--rule", "*quantity:minimum", "--shrink", "off"]
        fired = run("fire", url, *own, *filters, "--journal", journal, *reports)
        assert fired.exit_code == 1, fired.stderr
        texts = {kind: Path(path).read_text(encoding="utf-8") for kind, path in paths.items()}
        assert {kind for kind, text in texts.items() if REQUEST not in text} == {"har"}  # it contains only the traffic
        replayed = run("replay", paths["json"], url, *own)
        assert replayed.exit_code == 1, replayed.stderr
        recorded = run("check", paths["har"], *own, "--summary")
        assert "invalid" in recorded.stdout, recorded.output
        other = run("fire", url, "--resume", journal)
    assert other.exit_code == 2
    assert len(other.stderr.splitlines()) == 1


def test_python_functions_and_strategies_take_the_own_message_type(orders: Path) -> None:
    contract = brokerfuzz.load_contract(orders)
    assert contract.message_types == (STATUS, REQUEST)
    for message in islice(brokerfuzz.messages(STATUS, 0, contract=contract), 10):
        assert brokerfuzz.check(STATUS, message, contract=contract).label == "valid"

    @settings(max_examples=10, database=None, deadline=None)
    @given(cases(STATUS, contract=contract))
    def each(case: brokerfuzz.Case) -> None:
        assert case.message_type == STATUS

    each()
    with pytest.raises(InvalidArgument, match="unknown message type 'offer-creation-request'"):
        offer_requests(contract=contract).validate()


def test_the_questions_about_json_apply_and_own_ones_are_added(orders: Path, run: Run) -> None:
    listed = json.loads(run("rules", "--ambiguities", "--json", "--contract", str(orders)).stdout)["ambiguities"]
    concerned = {entry["id"]: entry["messages"] for entry in listed}
    assert concerned["integer-form"] == [STATUS, REQUEST]
    assert concerned["duplicate-items"] == [STATUS]
    assert not concerned.keys() & {"cron-syntax", "timestamp-format.offset"}
    twice = {"id": "1", "status": "sent", "lines": [{"sku": "a"}, {"sku": "a"}]}
    assert brokerfuzz.check(STATUS, twice, contract=brokerfuzz.load_contract(orders)).label == "unspecified"


def test_a_corpus_of_another_contract_is_reported_with_its_line(corpus: Path, run: Run) -> None:
    for command in (["check", "--summary"], ["corpus", "verify"], ["coverage"]):
        found = run(*command, str(corpus))
        assert re.search("line 1.* message type 'order-", found.stdout + found.stderr)
        assert "Traceback" not in found.stderr


@pytest.mark.every(2)
@pytest.mark.parametrize("schema", [
    {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}},
    {"type": ["null", "array"], "items": {"type": "string"}, "maxItems": 3},
    {"type": "string"},
    {"enum": ["a", 1]},
], ids=json.dumps)  # fmt: skip
def test_a_message_may_have_any_type(schema: dict[str, Any], tmp_path: Path, run: Run) -> None:
    own = tmp_path / "own"
    contract = own_contract(own, schema)
    for words in ("--random 20", "--plausible 2"):
        assert run("export", "-", "--contract", own, *words.split()).exit_code == 0
    assert run("export", tmp_path / "corpus", "--format", "pytest", "--contract", own).exit_code == 0
    covered = run("coverage", tmp_path / "corpus", "--contract", own, "--json")
    edges = json.loads(covered.stdout)["messages"][ORDER]["goals"]["edge"]
    assert edges["covered"] == edges["all"] > 0
    report = brokerfuzz.fire(lambda body: json_or_none(body) is not None, ORDER, contract=contract, shrink=0)
    assert report.findings


def json_or_none(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def test_a_new_contract_is_that_of_brokerfuzz_and_changed_rules_are_listed_with_problems_and_remedies(
    run: Run, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    assert run("contract", "new", own).exit_code == 0
    again = run("contract", "new", own)
    assert (again.exit_code, again.stderr.count("\n"), "specify a new folder" in again.stderr) == (2, 1, True)
    for other in (OFFER, PRODUCTS):
        (own / f"{other}.schema.json").unlink()
    (own / "messages.json").write_text(json.dumps({PRICING: {"direction": "response", "route": "POST /pricing"}}))
    file = own / f"{PRICING}.schema.json"
    schema = json.loads(file.read_bytes())
    offer = schema["properties"]["data"]["properties"]["offers"]["items"]["properties"]
    offer["quantity"]["maximum"] = 100
    offer["offerId"]["pattern"] = "^[A-Z]{2}[0-9]+$"
    offer["priceClass"]["maxLenght"] = 5
    offer["unitPrice"]["maximum"] = 5
    offer["pageCount"]["exclusiveMaximum"] = 1 << 40
    del offer["productIds"]
    file.write_text(json.dumps(schema))
    result = run("contract", "check", own)
    assert result.exit_code == 1
    for said in (
        "  new      data.offers[].offerId:pattern: a value that matches pattern: ^[A-Z]{2}[0-9]+$, broken by 5 techniques",
        "  changed  data.offers[].quantity:maximum: at most 100 (before: at most 2147483647), broken by",
        "  removed  data.offers[].productIds:type",
        "priceClass/maxLenght, which has no effect: did you mean 'maxLength'?",
        "data.offers[].pageCount:exclusiveMaximum: less than 1099511627776, broken by no technique",
        "--rule '!offer-pricing-response/data.offers[].pageCount:exclusiveMaximum'",
    ):
        assert said in result.stdout
