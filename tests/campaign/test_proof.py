import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import chosen_campaigns
import pytest
from hand_made_servers import OFFER, Service, conforming

from brokerfuzz.campaign import Result
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plainest
from brokerfuzz.reports import json_document, terminal
from brokerfuzz.service.judging import answering
from brokerfuzz.targets import Answer, Message

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def faults(count: int = 300) -> list[Case]:
    return list(islice((case for case in catalogue(OFFER, now=NOW) if case.twin is not None and case.faults), count))


def with_twins(cases: list[Case]) -> list[Case]:
    return [one for case in cases for one in (case.twin, case) if one is not None]


def fired(cases: Iterable[Case], target: Service, **options: Any) -> Result:
    return chosen_campaigns.fired(cases, target, shrink=0.0, **options)


# ---------------------------------------------------------------------------------------------------- twins


def test_the_twin_of_a_rejected_fault_is_sent_if_it_is_not_a_case() -> None:
    target = Service(conforming)
    cases = faults(50)
    result = fired(cases, target)
    twins = {case.twin.body for case in cases if case.twin}
    assert twins <= set(target.bodies)
    assert (result.cases, result.requests) == (50, 50 + len(twins))
    assert (result.proofs.rejected, result.unproven) == (result.counts["invalid", "rejected"], 0)


def test_no_twin_is_sent_twice_or_after_it_was_sent_as_a_case() -> None:
    target = Service(conforming)
    fired(list(dict.fromkeys(with_twins(faults()))), target, concurrency=8)
    assert len(target.bodies) == len(set(target.bodies))


def test_the_twin_of_an_accepted_fault_is_not_sent() -> None:
    target = Service(
        lambda body: 400 if body == b"{}" else 201
    )  # `{}` tests at the end whether the target accepts everything
    fired(faults(50), target)
    assert len([body for body in target.bodies if body != b"{}"]) == 50


@pytest.mark.parametrize("concurrency", [1, 16])
def test_rejections_of_a_target_that_rejects_everything_are_unproven_for_one_reason(concurrency: int) -> None:
    cases = with_twins(faults())
    result = fired(cases, Service(lambda _: 400), concurrency=concurrency)
    assert result.unproven == sum(1 for case in cases if case.faults)
    (reason,) = result.proofs.examples()
    assert (reason.count, reason.why) == (
        result.unproven,
        "the twin (the valid counterpart) was not accepted (status 400)",
    )
    assert set(result.unproven_rules) == {case.faults[0].rule for case in cases if len(case.faults) == 1}
    assert (result.outcome.state, result.outcome.reason) == ("untested", "no valid message was accepted")
    assert "300 rejections unproven" in "\n".join(terminal.lines_of(json_document.document(result), verbose=True))


@pytest.mark.parametrize("status", [401, 403, 407, 429])
def test_statuses_about_the_client_prove_nothing_even_if_the_twin_is_accepted(status: int) -> None:
    result = fired(
        faults(50), Service(lambda body: status if conforming(body) == 400 else 201, lambda: "orderMinimum is wrong")
    )
    assert result.proofs.rejected == result.counts["invalid", "rejected"]
    assert result.proofs.proven == 0
    assert result.unproven_rules
    assert {reason.why for reason in result.proofs.examples()} == {f"status {status} says nothing about the message"}


def test_an_answer_that_names_the_faulty_property_proves_a_rejection_if_the_plain_message_is_accepted() -> None:
    cases = [case for case in faults(3000) if case.faults[0].rule == f"{OFFER}/orderMinimum:minimum"][:5]
    plain = plainest(OFFER)
    cases = [case for case in cases if case.twin and case.twin.body != plain.body]
    for named, accepted, proven in (
        ("orderMinimum", True, True),
        ("comments", True, False),
        ("orderMinimum", False, False),
    ):
        said = f"'{named}' is wrong"
        first = iter([201 if accepted else 400])
        target = Service(lambda _, first=first: next(first, 400), lambda said=said: said)  # type: ignore[misc]
        result = fired(cases, target, plain=(plain,))
        assert result.proofs.proven == (len(cases) if proven else 0)


def test_a_rejected_twin_is_a_finding_even_if_it_is_not_a_case() -> None:
    result = fired(faults(5), Service(lambda _: 400))
    assert {finding.kind for finding in result.findings} == {"valid-rejected"}


# ------------------------------------------------------------------------------------------------- what an answer names


def test_a_rejection_that_names_another_property_is_noted_but_is_not_a_finding() -> None:
    rule = f"{OFFER}/orderMinimum:minimum"
    cases = [case for case in faults(3000) if case.faults[0].rule == rule][:5]
    result = fired(cases, Service(conforming, lambda: "'customerNumber' is unknown; see deliveryScheduleCron"))
    (elsewhere,) = result.proofs.elsewhere.values()
    assert (elsewhere.named, elsewhere.count, elsewhere.case.id) == (("deliveryScheduleCron",), 5, cases[0].id)
    assert result.findings == ()
    said = " ".join("\n".join(terminal.lines_of(json_document.document(result), verbose=True)).split())
    assert f"{rule}: deliveryScheduleCron (5 times, first case {cases[0].id})" in said


@pytest.mark.parametrize(
    "said", ["'orderMinimum' is wrong", "orderMinimum and deliveryScheduleCron are wrong", "it is wrong", ""]
)
def test_a_rejection_that_names_the_broken_property_or_none_is_not_noted(said: str) -> None:
    cases = [case for case in faults(3000) if case.faults[0].rule == f"{OFFER}/orderMinimum:minimum"][:5]
    assert fired(cases, Service(conforming, lambda: said)).proofs.elsewhere == {}


def test_the_reference_service_always_names_the_broken_property() -> None:
    answer_to = answering(now=NOW)

    class Reference(Service):
        async def send(self, message: Message) -> Answer:
            said = answer_to(message.body)
            envelope = json.dumps(said.envelope).encode() if said.envelope else b""
            return Answer("accepted" if said.accepts else "rejected", said.status, envelope[:2048])

    result = fired(catalogue(OFFER, now=NOW, verdicts=["invalid"]), Reference(lambda _: 0))
    assert result.counts["invalid", "rejected"] > 1500
    assert result.proofs.elsewhere == {}


# ---------------------------------------------------------------------------------------------------- ambiguities


def probes(ambiguity: str) -> list[Case]:
    return [case for case in catalogue(OFFER, now=NOW) if f"probe:{ambiguity}" in case.tags]


def test_a_rejected_probe_counts_only_if_its_twin_is_accepted() -> None:
    plain = plainest(OFFER)
    cron = json.dumps(plain.value["deliveryScheduleCron"]).encode()
    cases = probes("cron-syntax") + probes("encoding.other") + probes("content-type")
    strict = {
        seen.ambiguity.id: seen
        for seen in fired(cases, Service(lambda body: 201 if cron in body else 400), plain=(plain,)).ambiguities
    }
    assert {"cron-syntax", "encoding.other", "content-type"} <= set(strict)
    assert all(seen.unproven == 0 for seen in strict.values())
    assert strict["cron-syntax"].counts["rejected"] > 15
    for seen in fired(cases, Service(lambda _: 400), plain=(plain,)).ambiguities:
        assert (seen.counts["rejected"], seen.pinnable, seen.behaviour) == (0, (), "unclear")
        assert (
            seen.unproven == strict[seen.ambiguity.id].counts["rejected"] + strict[seen.ambiguity.id].counts["accepted"]
        )
