"""Each test runs a campaign against an application or a function in the same process. All of these targets comply with
the contract.
"""

import django_offers
import flask_offers
import pricing_consumer
import strict_fastapi

import brokerfuzz


def test_the_strict_service_has_no_findings() -> None:
    brokerfuzz.assert_conforms(strict_fastapi.app, path="/offers", rules=["!*:type"])


def test_the_flask_service_has_no_findings() -> None:
    brokerfuzz.assert_conforms(flask_offers.app, path="/offers", rules=["*:minimum", "*:required"])


def test_the_django_service_has_no_findings() -> None:
    brokerfuzz.assert_conforms(django_offers.app, path="/offers", rules=["*:minLength", "*orderM*:minimum"])


def test_the_consumer_of_responses_has_no_findings() -> None:
    brokerfuzz.assert_conforms(pricing_consumer.accepts, "offer-pricing-response")


@brokerfuzz.parametrize("offer-pricing-response", rules=["*:minimum"])
def test_the_consumer_rejects_each_broken_minimum(case: brokerfuzz.Case) -> None:
    assert pricing_consumer.accepts(case.body) == (case.label == "valid")
