# ruff: noqa
# fmt: off
import brokerfuzz


def accepts(body: bytes) -> bool:  # replace this with the code that you test
    return brokerfuzz.check("offer-creation-request", body).label == "valid"


@brokerfuzz.parametrize("offer-creation-request", rules=["*orderM*:minimum", "*pageCount:*"], by="rule")
def test_offers(case: brokerfuzz.Case) -> None:
    assert accepts(case.body) == (case.label == "valid")
