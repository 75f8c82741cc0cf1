"""A response that looks like the envelope: what the contract does not show is in the ledger, and a finding once it is pinned."""

import json
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from hand_made_servers import Service

from brokerfuzz.campaign import Options, Result, exit_status, fire
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.cases.case import Case
from brokerfuzz.schemas import Policy, load_contract
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import Answer

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CASES = [Case.judged(OFFER, b'{"number":"%d","offerType":"Email"}' % number, now=NOW) for number in range(5)]
PROPER: dict[str, Any] = {"data": None, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}


class Saying(Service):
    def __init__(self, said: Any) -> None:
        super().__init__(lambda _: 201)
        self.said = said if isinstance(said, bytes) else json.dumps(said).encode()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        return Answer("accepted", 201, self.said, "status 201")


def fired(said: Any, policy: Policy | None = None) -> Result:
    return fire(CASES, Saying(said), Options(now=NOW, policies={"response-envelope": policy} if policy else None))


LACKING = {name: value for name, value in PROPER.items() if name != "failureMessages"}
BROKEN = [LACKING, {**PROPER, "operationWasSuccessful": "yes"}, {**PROPER, "traceId": "1"}, b'{"operationWasSuccessful": tru']


@pytest.mark.parametrize("said", BROKEN)
def test_a_malformed_envelope_is_noted_in_the_ledger_and_no_finding(said: Any) -> None:
    result = fired(said)
    assert result.findings == ()
    (observed,) = result.ambiguities
    assert (observed.ambiguity.id, observed.counts["accepted"], observed.examples["accepted"]) == ("response-envelope", 5, CASES[0])


@pytest.mark.parametrize("said", BROKEN)
def test_a_malformed_envelope_is_one_finding_once_it_is_pinned(said: Any) -> None:
    result = fired(said, "reject")
    (finding,) = result.findings
    assert (finding.kind, finding.count, finding.body) == ("malformed-answer", 5, b'{"number":"0","offerType":"Direct Mail"}')
    assert finding.sentence().startswith("The answer to a valid offer creation request is no proper envelope: ")
    assert finding.expected == "accepted, in a proper envelope"
    assert exit_status(result) == 1
    assert result.ambiguities == ()


def test_what_is_said_names_what_is_wrong() -> None:
    (finding,) = fired(LACKING, "reject").findings
    assert '"failureMessages" is a required property' in finding.sentence()


@pytest.mark.parametrize("policy", [None, "accept", "reject"])
@pytest.mark.parametrize("said", [PROPER, {"id": 7}, [], b"", b"created", b"\xff"])
def test_a_proper_envelope_and_what_does_not_look_like_one_is_nothing(said: Any, policy: Policy | None) -> None:
    result = fired(said, policy)
    assert (result.findings, result.ambiguities) == ((), ())


def test_a_malformed_envelope_is_passed_over_where_that_is_pinned() -> None:
    result = fired(LACKING, "accept")
    assert (result.findings, result.ambiguities) == ((), ())


def test_an_answer_of_which_only_the_beginning_is_known_is_not_judged() -> None:
    cut = json.dumps({**PROPER, "failureMessages": ["x" * 3000]}).encode()[:2048]
    assert malformed(Answer("rejected", 400, cut), load_contract()) is None
