"""Checks for rejections with a wrong reason."""

import json
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

import pytest
from hand_made_servers import Service, conforming
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import Options, Result, fire
from brokerfuzz.campaign.attribution import Names, named_properties
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.reports import terminal
from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.service.judging import answering
from brokerfuzz.targets import Answer

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONTRACT: Contract = load_contract()
NAMES = Names(name for site in CONTRACT.sites[OFFER].values() for name in site.schema.get("properties", ()))
OPTIONS = Options(now=NOW, shrink_requests=0)


def faults(count: int = 300) -> list[Case]:
    return list(islice((case for case in catalogue(OFFER, now=NOW) if case.twin is not None and case.faults), count))


def with_twins(cases: list[Case]) -> list[Case]:
    return [one for case in cases for one in (case.twin, case) if one is not None]


def fired(cases: list[Case], target: Service, **options: Any) -> Result:
    return fire(cases, target, Options(now=NOW, shrink_requests=0, **options))


# ---------------------------------------------------------------------------------------------------- twins


def test_the_twin_of_a_rejected_fault_is_sent_if_it_is_not_a_case() -> None:
    target = Service(conforming)
    cases = faults(50)
    result = fired(cases, target)
    twins = {case.twin.body for case in cases if case.twin}
    assert twins <= set(target.bodies)
    assert (result.cases, result.requests) == (50, 50 + len(twins))
    assert result.attribution.rejections_unproven == 0


def test_no_twin_is_sent_twice_or_after_it_was_sent_as_a_case() -> None:
    target = Service(conforming)
    fired(list(dict.fromkeys(with_twins(faults()))), target, concurrency=8)
    assert len(target.bodies) == len(set(target.bodies))


def test_the_twin_of_an_accepted_fault_is_not_sent() -> None:
    target = Service(lambda body: 201)
    fired(faults(50), target)
    assert len(target.bodies) == 50


@pytest.mark.parametrize("concurrency", [1, 16])
def test_rejections_of_a_target_that_rejects_everything_prove_nothing_which_is_reported_once(concurrency: int) -> None:
    result = fired(with_twins(faults()), Service(lambda _: 403), concurrency=concurrency)
    assert result.attribution.rejections_unproven == sum(1 for case in with_twins(faults()) if case.faults)
    assert len(result.attribution.unproven) == 1
    text = terminal.report(result)
    assert text.count("prove nothing") == 1
    assert "300 rejections prove nothing: the twin (the valid counterpart) was rejected too" in text


def test_a_rejected_twin_is_a_finding_even_if_it_is_not_a_case() -> None:
    result = fired(faults(5), Service(lambda _: 400))
    assert {finding.kind for finding in result.findings} == {"valid-rejected"}


# ---------------------------------------------------------------------------------------------------- what an answer names


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"failureMessages": ["/orderMinimum: found 0"]}, {"orderMinimum"}),
        ({"failureMessages": ["'orderMinimum' has to be positive"]}, {"orderMinimum"}),
        ({"failureMessages": ["orderMinimum has to be positive"]}, {"orderMinimum"}),
        ({"title": "Bad", "errors": {"OrderMinimum": ["has to be positive"]}}, {"orderMinimum"}),
        ({"errors": [{"pointer": "#/productClusters/0/products/1/pageCount"}]}, {"productClusters", "products", "pageCount"}),
        ({"detail": [{"loc": ["body", "number"], "msg": "Field required"}]}, {"number"}),
        ({"errors": [{"field": "number"}]}, {"number"}),
        ({"invalid-params": [{"name": "number", "reason": "is missing"}]}, {"number"}),
        ({"message": 'the value "Post" of "offerType" is unknown'}, {"offerType"}),
        ({"failureMessages": ["has to be a number"]}, set()),
        ({"failureMessages": ["the name is too long"]}, set()),
        ({"failureMessages": ["something is wrong"], "data": None}, set()),
        ("orderMinimum has to be positive", {"orderMinimum"}),
        ("<html><body>Bad Request</body></html>", set()),
    ],
)
def test_properties_that_an_answer_clearly_names_are_recognised(said: Any, named: set[str]) -> None:
    body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
    assert named_properties(body, NAMES) == named


@given(st.binary(max_size=300))
def test_any_response_can_be_searched_for_names(body: bytes) -> None:
    assert named_properties(body, NAMES) <= set(NAMES.by_small.values())


class Complaining(Service):
    """Rejects invalid messages, always with the given response."""

    def __init__(self, said: str) -> None:
        super().__init__(conforming)
        self.said = said.encode()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        answer = await super().send(body, headers)
        return Answer(answer.kind, answer.status, self.said if answer.kind == "rejected" else b"", answer.reason)


def test_a_rejection_that_names_another_property_is_noted_but_is_not_a_finding() -> None:
    rule = f"{OFFER}/orderMinimum:minimum"
    cases = [case for case in faults(3000) if case.faults[0].rule == rule][:5]
    result = fire(cases, Complaining("'customerNumber' is unknown; see deliveryScheduleCron"), OPTIONS)
    (elsewhere,) = result.attribution.elsewhere.values()
    assert (elsewhere.named, elsewhere.count, elsewhere.case.id) == (("deliveryScheduleCron",), 5, cases[0].id)
    assert result.findings == ()
    assert f"{rule}: deliveryScheduleCron (5 times, first case {cases[0].id})" in terminal.report(result)


@pytest.mark.parametrize("said", ["'orderMinimum' is wrong", "orderMinimum and deliveryScheduleCron are wrong", "it is wrong", ""])
def test_a_rejection_that_names_the_broken_property_or_none_is_not_noted(said: str) -> None:
    cases = [case for case in faults(3000) if case.faults[0].rule == f"{OFFER}/orderMinimum:minimum"][:5]
    assert fire(cases, Complaining(said), OPTIONS).attribution.elsewhere == {}


def test_the_reference_service_always_names_the_broken_property() -> None:
    """Checks the whole catalogue: an answer that names the broken property is never reported."""
    answer_to = answering(now=NOW)

    class Reference(Service):
        async def send(self, body: bytes, headers: Headers = ()) -> Answer:
            said = answer_to(body)
            envelope = json.dumps(said.envelope).encode() if said.envelope else b""
            return Answer("accepted" if said.accepts else "rejected", said.status, envelope[:2048])

    result = fire(catalogue(OFFER, now=NOW, verdicts=["invalid"]), Reference(lambda _: 0), OPTIONS)
    assert result.counts["invalid", "rejected"] > 3000
    assert result.attribution.elsewhere == {}
