"""Contracts with each keyword of JSON Schema: brokerfuzz generates valid messages, breaks each rule, and judges as
another validator does.
"""

from pathlib import Path

import pytest
from keyword_contracts import KeywordContract, keyword_contracts
from keyword_outcomes import Outcome, outcome_of

EVERY = [pytest.param(one, id=one.name) for one in keyword_contracts()]


@pytest.mark.every(80)
@pytest.mark.parametrize("keywords", EVERY)
@pytest.mark.filterwarnings("ignore:.*has the unknown keyword 'maxLenght'")
def test_a_contract_with_this_keyword_is_generated_broken_and_judged(keywords: KeywordContract, tmp_path: Path) -> None:
    found = outcome_of(keywords.write(tmp_path / "contract"), keywords.schema)
    assert found.seconds < 10
    assert found == Outcome(different=found.different, seconds=found.seconds)
    assert found.different > 0
