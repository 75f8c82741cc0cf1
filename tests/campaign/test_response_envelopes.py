import json
from datetime import UTC, datetime
from typing import Any

import chosen_campaigns
import pytest
from hand_made_servers import OFFER, Service, response, serving

import brokerfuzz
from brokerfuzz.campaign import Result
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import load_contract
from brokerfuzz.targets import Answer, Message

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CASES = [Case.judged(OFFER, b'{"number":"%d","offerType":"Email"}' % number, now=NOW) for number in range(5)]
PROPER: dict[str, Any] = {
    "data": None,
    "failureMessages": [],
    "informationalMessages": [],
    "operationWasSuccessful": True,
}


class Saying(Service):
    def __init__(self, said: Any) -> None:
        super().__init__(lambda _: 201)
        self.text = said if isinstance(said, bytes) else json.dumps(said).encode()

    async def send(self, message: Message) -> Answer:
        return Answer("accepted", 201, self.text, "status 201")


def fired(said: Any, policy: str | None = None) -> Result:
    return chosen_campaigns.fired(CASES, Saying(said), policies={"response-envelope": policy} if policy else None)


LACKING = {name: value for name, value in PROPER.items() if name != "failureMessages"}
BROKEN = [
    LACKING,
    {**PROPER, "operationWasSuccessful": "yes"},
    {**PROPER, "traceId": "1"},
    b'{"operationWasSuccessful": tru',
]


@pytest.mark.parametrize("said", BROKEN)
def test_a_malformed_envelope_is_listed_in_the_ledger_and_is_not_a_finding(said: Any) -> None:
    result = fired(said)
    assert result.findings == ()
    (observed,) = result.ambiguities
    assert (observed.ambiguity.id, observed.counts["accepted"], observed.examples["accepted"]) == (
        "response-envelope",
        5,
        CASES[0],
    )


@pytest.mark.parametrize("said", BROKEN)
def test_a_malformed_envelope_is_one_finding_with_the_policy_rejected(said: Any) -> None:
    result = fired(said, "rejected")
    (finding,) = result.findings
    assert (finding.kind, finding.count, finding.body) == (
        "malformed-answer",
        5,
        b'{"number":"0","offerType":"Direct Mail"}',
    )
    assert finding.sentence().startswith("answered a valid offer creation request without a valid envelope: ")
    assert finding.expected == "accepted, in a valid envelope"
    assert result.outcome.status == 1
    assert result.ambiguities == ()


def test_the_sentence_names_the_error_in_the_envelope() -> None:
    (finding,) = fired(LACKING, "rejected").findings
    assert '"failureMessages" is a required property' in finding.sentence()


def test_a_rejection_that_claims_success_is_one_finding_with_the_policy_rejected() -> None:
    async def behave(body: bytes, writer: Any) -> None:
        status = 400 if brokerfuzz.check(OFFER, body).label == "invalid" else 201
        writer.write(response(status, json.dumps(PROPER).encode()))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, rules=["*number:minLength"], policies={"response-envelope": "rejected"})
    (finding,) = report.findings
    assert "operationWasSuccessful is true, although the offer was rejected" in finding.sentence()


@pytest.mark.parametrize("policy", [None, "accepted", "rejected"])
@pytest.mark.parametrize("said", [PROPER, {"id": 7}, [], b"", b"created", b"\xff"])
def test_a_valid_envelope_or_another_response_is_not_reported(said: Any, policy: str | None) -> None:
    result = fired(said, policy)
    assert (result.findings, result.ambiguities) == ((), ())


def test_a_malformed_envelope_is_ignored_with_the_policy_accepted() -> None:
    result = fired(LACKING, "accepted")
    assert (result.findings, result.ambiguities) == ((), ())


def test_a_response_that_was_cut_is_not_judged() -> None:
    cut = json.dumps({**PROPER, "failureMessages": ["x" * 3000]}).encode()[:2048]
    assert malformed(Answer("rejected", 400, cut), load_contract()) is None
