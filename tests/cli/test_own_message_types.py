"""A contract folder with a message type of its own, which every command, format, report and strategy can use."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run
from hand_made_servers import answers, serving
from hypothesis import given, settings
from hypothesis.errors import InvalidArgument

import brokerfuzz
from brokerfuzz.corpus import write
from brokerfuzz.strategies import cases, offer_requests

STATUS = "order-status-response"
ORDER = "order-request"
LINE = {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string", "minLength": 1}}}
FILES: dict[str, Any] = {
    "messages.json": {
        STATUS: {"direction": "response", "route": "GET /orders/{id}"},
        ORDER: {"direction": "request", "route": "POST /orders"},
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
    f"{ORDER}.schema.json": {
        "type": "object",
        "required": ["sku"],
        "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    },
    "line.schema.json": LINE,
    "ambiguities.json": [{"id": "duplicate-items", "sites": {STATUS: [["lines", "sku"]]}}],
}
MANIFEST = FILES["messages.json"]


def written(folder: Path, **changed: Any) -> Path:
    folder.mkdir()
    for name, content in {**FILES, **changed}.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("own") / "orders")


@pytest.fixture(scope="module")
def corpus(orders: Path) -> Path:
    contract, out = brokerfuzz.load_contract(orders), orders.parent / "orders.ndjson"
    write(out, (case for name in (STATUS, ORDER) for case in islice(brokerfuzz.catalogue(name, contract=contract), 60)))
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
    "fire": f"fire --demo --message {ORDER} --rule *quantity:minimum --shrink off",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_works_with_an_own_message_type(name: str, orders: Path, corpus: Path, run: Run) -> None:
    places = {"CORPUS": str(corpus), "OUT": str(orders.parent / "out")}
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
        filters = ["--message", ORDER, "--rule", "*quantity:minimum", "--shrink", "off"]
        fired = run("fire", url, *own, *filters, "--journal", journal, *reports)
        assert fired.exit_code == 1, fired.stderr
        texts = {kind: Path(path).read_text(encoding="utf-8") for kind, path in paths.items()}
        assert {kind for kind, text in texts.items() if ORDER not in text} == {"har"}  # it contains only the traffic
        replayed = run("replay", paths["json"], url, *own)
        assert replayed.exit_code == 1, replayed.stderr
        recorded = run("check", paths["har"], *own, "--summary")
        assert "invalid" in recorded.stdout, recorded.output
        other = run("fire", url, "--resume", journal)
    assert other.exit_code == 2
    assert len(other.stderr.splitlines()) == 1


def test_python_functions_and_strategies_take_the_own_message_type(orders: Path) -> None:
    contract = brokerfuzz.load_contract(orders)
    assert contract.message_types == (STATUS, ORDER)
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
    assert concerned["integer-form"] == [STATUS, ORDER]
    assert concerned["duplicate-items"] == [STATUS]
    assert not concerned.keys() & {"cron-syntax", "timestamp-format.offset"}
    twice = {"id": "1", "status": "sent", "lines": [{"sku": "a"}, {"sku": "a"}]}
    assert brokerfuzz.check(STATUS, twice, contract=brokerfuzz.load_contract(orders)).label == "unspecified"


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([], 'messages.json is wrong ([] is not of type "object"): list message types in lower-case letters'),
    "a wrong route": (
        {ORDER: {"direction": "request", "route": "/orders"}},
        '/order-request/route: "/orders" does not',
    ),
    "a route twice": (
        {**MANIFEST, STATUS: MANIFEST[ORDER]},
        "has the route POST /orders for order-status-response and for order-request: change one of them",
    ),
    "a schema of no message type": (
        {ORDER: MANIFEST[ORDER]},
        "order-status-response.schema.json does not belong to any message type: add order-status-response to",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_list_of_message_types_is_reported_in_one_line(kind: str, tmp_path: Path, run: Run) -> None:
    manifest, said = WRONG[kind]
    found = run("rules", "--contract", str(written(tmp_path / "orders", **{"messages.json": manifest})))
    assert found.exit_code == 2
    assert said in found.stderr
    assert str(tmp_path / "orders") in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_a_corpus_of_another_contract_is_reported_with_its_line(corpus: Path, run: Run) -> None:
    for command in (["check", "--summary"], ["corpus", "verify"], ["coverage"]):
        found = run(*command, str(corpus))
        assert re.search("line 1.* message type 'order-", found.stdout + found.stderr)
        assert "Traceback" not in found.stderr
