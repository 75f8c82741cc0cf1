from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import ORDER, changed_contract, own_contract
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, Broken, BrokerfuzzError, Case, MessageType, corpus, messages
from brokerfuzz.strategies import faulty, invalid_offer_requests, pricing_responses, product_list_offers

OFFER: MessageType = "offer-creation-request"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
ZERO = b'{"number":"A","offerType":"Email","orderMinimum":0}'
ONE = b'{"number":"A","offerType":"Email","orderMinimum":1}'


def evaluated(text: str) -> Any:
    """Evaluates an expression after `from brokerfuzz import *`."""
    names: dict[str, Any] = {}
    exec("from brokerfuzz import *", names)
    return eval(text, names)


def every_kind_of_case(size: int) -> Iterator[Case]:
    """Yields `size` percent of the corpus in the package, and of 1,000 random cases of each type."""
    for message_type in MESSAGE_TYPES:
        yield from islice(corpus.load(message_type), None, None, 100 // size)
        yield from islice(messages(message_type, 1, verdicts=["valid", "invalid", "unspecified"], now=NOW), 10 * size)


def facts(case: Case) -> tuple[object, ...]:
    return case.message_type, case.body, case.verdict, case.faults, case.twin and case.twin.label


@sample(2, 100)
def test_evaluating_the_repr_or_the_explanation_of_a_case_restores_its_twin_faults_and_verdict(size: int) -> None:
    for case in every_kind_of_case(size):
        for text in (repr(case), f"(\n{pretty(case)}\n)"):
            restored = evaluated(text)
            assert facts(restored) == facts(case)
            assert (restored.twin and restored.twin.body) == (case.twin and case.twin.body)


@given(
    faulty(pricing_responses(min_offers=3), "offer-pricing-response")
    | faulty(product_list_offers(min_products=3), OFFER)
)
def test_the_repr_of_a_case_of_a_strategy_restores_its_faults_and_verdict(case: Broken) -> None:
    assert facts(evaluated(repr(case))) == facts(case)


def test_the_repr_of_a_case_of_a_changed_contract_loads_this_contract(tmp_path: Path) -> None:
    contract = changed_contract(tmp_path, OFFER, lambda schema: schema["properties"].update(rank={"type": "integer"}))
    case = Case.judged(
        OFFER, b'{"number":"A","offerType":"Email","rank":"1"}', faults=["rank type numeric-string"], contract=contract
    )
    assert repr(case).endswith(f"contract=load_contract({str(tmp_path)!r}))")
    assert facts(evaluated(repr(case))) == facts(case)
    assert str(case) == "breaks rank type numeric-string"


def test_cases_describe_themselves_with_short_names_of_rules() -> None:
    pages = b'{"number":"A","offerType":"Email","productClusters":[{"products":[{"productId":"P","productQuantityInOffer":1,"pageCount":0}]}]}'
    listed = b'{"number":"A","offerType":"Product List"}'
    url = b'{"number":"A","offerType":"Email","pdfUrl":"x"}'
    tiers = b'{"number":"A","offerType":"Email","priceClasses":[{"price":"1"},{"price":true}]}'
    same = ["priceClasses.price type numeric-string", "priceClasses.price type boolean-instead"]
    for case, description in (
        (
            Case.judged(OFFER, ZERO, faults=["orderMinimum minimum one-below"], twin=(49, 50, b"1")),
            "breaks orderMinimum minimum one-below",
        ),
        (Case.judged(OFFER, b"{}"), "breaks number required and offerType required"),
        (Case.judged(OFFER, pages), "breaks products.pageCount minimum"),
        (Case.judged(OFFER, listed), "breaks productClusters required@offerType=Product-List"),
        (Case.judged(OFFER, ONE), "valid offer-creation-request b7c3f5e587e46826"),
        (Case.judged(OFFER, url), "touches url-syntax at /pdfUrl"),
        (Case.judged(OFFER, b"{"), "breaks offer-creation-request json"),
    ):
        assert str(case) == description
    assert [fault.at for fault in Case.judged(OFFER, tiers, faults=same).faults] == [
        "/priceClasses/0/price", "/priceClasses/1/price",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["at:home", "at@home", "at/home"])
def test_a_rule_has_a_short_name_whatever_the_names_of_its_properties_contain(name: str, tmp_path: Path) -> None:
    schema = {
        "properties": {name: {"enum": ["yes", "no"]}, f"size {name}": {"type": "integer"}},
        "if": {"properties": {name: {"const": "yes"}}, "required": [name]},
        "then": {"required": [f"size {name}"]},
    }
    contract = own_contract(tmp_path / "own", schema)
    case = Case.judged(ORDER, f'{{"{name}":"yes"}}'.encode(), contract=contract)
    assert str(case) == f"breaks size {name} required@at-home=yes"


def test_the_explanation_shows_the_rule_the_place_and_the_difference_from_the_twin() -> None:
    case = Case.judged(OFFER, ZERO, faults=["orderMinimum minimum one-below"], twin=(49, 50, b"1"))
    assert pretty(case).splitlines() == [
        "# breaks orderMinimum minimum one-below",
        "# breaks offer-creation-request/orderMinimum:minimum at /orderMinimum: expected at least 1, found 0",
        "#   {",
        '#     "number": "A",',
        '#     "offerType": "Email",',
        '# -   "orderMinimum": 1',
        '# +   "orderMinimum": 0',
        "#   }",
        repr(case),
    ]


def test_hypothesis_prints_a_failing_case_as_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    @settings(database=None, derandomize=True, print_blob=False, phases=[Phase.generate])
    @given(invalid_offer_requests(rules=["*orderMinimum:minimum"]), st.just(1))
    def fails(case: Case, number: int) -> None:
        raise AssertionError

    with pytest.raises(AssertionError) as raised:
        fails()
    call = "\n".join(raised.value.__notes__).partition("fails(")[2]
    found = evaluated(f"dict({call}")
    assert found["number"] == 1
    assert str(found["case"]).startswith("breaks orderMinimum minimum")


# ----------------------------------------------------------------------------------------------------------- judged


def test_a_case_with_a_twin_is_broken() -> None:
    assert isinstance(Case.judged(OFFER, ZERO, twin=Case.judged(OFFER, ONE)), Broken)
    assert not isinstance(Case.judged(OFFER, ZERO), Broken)


@pytest.mark.parametrize(
    ("body", "arguments", "error"),
    [
        ("{}", {}, r"^body=.* is not bytes: use body.encode\(\)"),
        (None, {}, "^body=None is not bytes"),
        (ZERO, {"faults": ["orderMinimun minimum one-below"]}, "'orderMinimun minimum': did you mean 'orderMinimum minimum'"),
        (ZERO, {"faults": ["orderMaximum minimum one-below"]}, "should have the faults"),
        (ZERO, {"twin": (0, 1, b"")}, "a twin must be valid"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_an_error(body: Any, arguments: dict[str, Any], error: str) -> None:
    with pytest.raises((BrokerfuzzError, TypeError), match=error):
        Case.judged(OFFER, body, **arguments)
