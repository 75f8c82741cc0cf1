import json
from typing import Any

OFFER = "offer-creation-request"
NOW = ("--now", "2026-03-01T12:00:00Z")


def data(run: Any, *args: str) -> Any:
    done = run("catalogue", *NOW, "--json", *args)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_sizes_are_given_by_message_verdict_rule_technique_and_ambiguity(run: Any) -> None:
    messages = data(run)["messages"]
    assert list(messages) == [OFFER, "product-list-response", "offer-pricing-response"]
    for size in messages.values():
        assert size["cases"] == sum(size["verdicts"].values())
        assert sum(size["rules"].values()) == sum(size["techniques"].values())
        assert min(map(len, (size["rules"], size["techniques"], size["ambiguities"]))) > 5


def test_without_json_the_sizes_are_printed_as_lines(run: Any) -> None:
    done = run("catalogue", *NOW, "--message", "offer-pricing-response")
    assert done.exit_code == 0
    assert done.stdout.startswith("offer-pricing-response: ")
    assert " offer-pricing-response/data.offers[].quantity:minimum\n" in done.stdout


def test_the_output_is_the_same_in_every_process(spawn: Any) -> None:
    args = ("catalogue", *NOW, "--message", "offer-pricing-response", "--verdict", "unspecified")
    done = [spawn(*args, env={"PYTHONHASHSEED": seed}) for seed in "013"]
    assert done[0].returncode == 0
    assert len({one.stdout for one in done}) == 1


def test_each_case_lists_what_it_is_the_first_to_cover(run: Any) -> None:
    cases = data(run, "--message", "offer-pricing-response", "--cases")["cases"]
    assert [case["number"] for case in cases] == list(range(1, len(cases) + 1))
    assert cases[0]["tags"] == ["edge:complete"]
    covered = [name for case in cases for name in case["first"]]
    assert len(covered) == len(set(covered)), "each goal has one first case"
    assert "rule data.offers[].quantity minimum" in covered
    assert sum(case["first_pairs"] for case in cases) >= 178


def test_faults_can_be_selected_by_rule_and_technique(run: Any) -> None:
    size = data(run, "--rule", "*pageCount:minimum", "--technique", "one-below")["messages"]
    assert set(size) == {OFFER, "offer-pricing-response"}
    assert set(size[OFFER]["techniques"]) == {"one-below"}
