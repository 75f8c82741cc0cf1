import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from itertools import count

import pytest
from hand_made_servers import OFFER, Service, conforming

from brokerfuzz.campaign import Options, Result, fire
from brokerfuzz.campaign.unknown_values import ValueEvidence
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.reports import json_document, terminal
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.targets import Answer

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ID = "productClusters[].products[].productId"
WORDS = ("red", "green", "blue", "white", "black")


@cache
def cases() -> list[Case]:
    every = list(catalogue(OFFER, now=NOW))
    return every[:400] + [case for case in every[400:] if case.label == "valid"]


class Knowing(Service):
    """Accepts only known product IDs. `say` returns the answer to a message with another ID."""

    def __init__(self, say: Callable[[], str] = lambda: "{}", known: tuple[str, ...] = ("P-1",)) -> None:
        super().__init__(
            lambda body: (400 if check(OFFER, body, now=NOW).label == "invalid" else 201) if self.knows(body) else 422,
            say,
        )
        self._known = known

    def knows(self, body: bytes) -> bool:
        try:
            message = json.loads(body)
        except ValueError:
            return True
        return all(value_at(message, steps) in self._known for steps in places(message, ID))


def fired(target: Service, shrink_requests: int = 0) -> Result:
    return fire(cases(), target, Options(now=NOW, shrink_requests=shrink_requests))


def changing_text() -> Callable[[], str]:
    numbers = count()
    return lambda: " ".join(WORDS[next(numbers) * factor % len(WORDS)] for factor in (1, 2, 3))


@pytest.mark.parametrize("say", [lambda: "{}", lambda: '{"error":"productId is unknown"}', changing_text()])
def test_one_finding_and_the_first_line_name_the_property_and_the_option(say: Callable[[], str]) -> None:
    result = fired(Knowing(say), shrink_requests=20)
    assert result.unknown_values == {ID: []}
    assert [finding.kind for finding in result.findings] == ["valid-rejected"]
    said = f"the target accepts no value of {ID}: if it knows only certain values, list them with --values FILE"
    assert said in result.outcome.headline
    assert f'"{ID}" = ["VALUE", "VALUE"]' in "\n".join(terminal.lines_of(json_document.document(result), verbose=True))


def test_a_rejection_of_every_message_counts_only_if_the_answers_name_the_property() -> None:
    assert fired(Service(lambda _: 422)).unknown_values == {}

    class Everything(Knowing):
        def knows(self, body: bytes) -> bool:
            return False

    assert fired(Everything()).unknown_values == {}
    assert fired(Everything(lambda: '{"errors":[{"field":"number","text":"not found"}]}')).unknown_values == {
        "number": []
    }


@pytest.mark.parametrize(
    "status_of",
    [
        conforming,
        lambda body: 422 if "🧪".encode() in body else conforming(body),
        lambda body: 422 if b'"offerType":"VDM"' in body else conforming(body),
        lambda body: 422 if re.search(rb'"orderM[a-z]+":(?:[3-9]|[1-9]\d)', body) else conforming(body),
        lambda body: 401,
    ],
)
def test_other_rejections_of_valid_messages_need_no_values(status_of: Callable[[bytes], int]) -> None:
    result = fired(Service(status_of))
    assert result.unknown_values == {}
    assert "--values" not in result.outcome.headline


@pytest.mark.parametrize("say", [lambda: "{}", lambda: '{"error":"pageCount is not available"}'])
def test_certain_integers_are_noticed_too_and_the_accepted_ones_are_listed(say: Callable[[], str]) -> None:
    site = "productClusters[].products[].pageCount"

    class Printing(Knowing):
        def knows(self, body: bytes) -> bool:
            try:
                message = json.loads(body)
                return all(value_at(message, steps) in (None, 1, 12, 100) for steps in places(message, site))
            except ValueError:
                return True

    result = fired(Printing(say))
    assert list(result.unknown_values) == [site]
    assert [finding.kind for finding in result.findings].count("valid-rejected") == 1
    assert {1, 12, 100}.issuperset(result.unknown_values[site])
    assert (
        f"the target accepts only some values of {site}: if it knows only certain values, list them"
        in result.outcome.headline
    )
    assert f'"{site}" = {result.unknown_values[site]}' in "\n".join(
        terminal.lines_of(json_document.document(result), verbose=True)
    )


def test_a_wrong_bound_needs_no_values_even_if_the_answers_name_the_property() -> None:
    class Bounded(Knowing):
        def knows(self, body: bytes) -> bool:
            return not re.search(rb'"orderMinimum":(?:[3-9]|[1-9]\d)', body)

    assert fired(Bounded(lambda: '{"errors":[{"field":"orderMinimum"}]}')).unknown_values == {}


def test_two_properties_with_unknown_values_are_both_named() -> None:
    evidence, contract = ValueEvidence(), load_contract()
    parts = (ValueEvidence(), ValueEvidence())
    for number, case in enumerate(case for case in cases() if case.label == "valid"):
        unknown = b'"productId":"' in case.body or b'"pdfUrl":"' in case.body
        answer = Answer("rejected" if unknown else "accepted", 422 if unknown else 201)
        evidence.add(number, case, answer, contract)
        parts[number % 2].add(number, case, answer, contract)
    assert set(evidence.sites()) == {ID, "pdfUrl"}
    parts[0].absorb(parts[1])
    assert parts[0].sites() == evidence.sites()
