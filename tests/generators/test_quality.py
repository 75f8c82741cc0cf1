import json

from benchmarks.quality.command import measured
from benchmarks.quality.examples import validation_rules
from benchmarks.quality.figures import table
from benchmarks.quality.sizes import sizes


def test_a_table_has_a_line_for_each_measurement() -> None:
    figures = measured([lambda: {"first": {"killed": 1200, "of": 1300}}, lambda: {"second one": {"rate": 0.5}}])
    assert table(figures) == "first       killed 1,200, of 1,300\nsecond one  rate 0.5"
    assert json.loads(json.dumps(figures)) == figures


def test_sizes_count_the_modules_of_each_folder() -> None:
    found = sizes()
    parts = [values for name, values in found.items() if name.startswith("  ")]
    assert sum(values["lines"] for values in parts if isinstance(values["lines"], int)) == found["brokerfuzz"]["lines"]


def test_the_contract_has_nine_validation_rules() -> None:
    assert list(validation_rules()) == list(range(1, 10))
