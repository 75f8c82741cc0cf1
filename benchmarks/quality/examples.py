"""Measures the examples that Hypothesis gives to a test: what they cover, which rules they break, and how simple they
become.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from hypothesis import find, settings
from hypothesis.errors import NoSuchExample

from benchmarks.drawing import examples
from benchmarks.fleet.messages import OFFER
from benchmarks.quality import NOW, Figures, Value
from benchmarks.quality.minima import MINIMA, Minimum
from brokerfuzz import Case, catalogue, load_contract, strategies

EXAMPLES = 100
"""Hypothesis' default number of examples per test."""
VARIETY_SEEDS = (1, 2, 3)
RUNS = 20
SEARCHED = 5000
"""The maximum number of examples that Hypothesis tries for each condition."""
NOT_FOUND = "no example found"


def variety() -> Figures:
    """Measures the edges and the pairs of states in valid offers. Each figure is the median of several seeds."""
    measured = [_covered(examples(strategies.offer_requests(), EXAMPLES, seed)) for seed in VARIETY_SEEDS]
    return {f"{EXAMPLES} valid offers": {name: median(one[name] for one in measured) for name in measured[0]}}


def _covered(offers: Sequence[Any]) -> dict[str, float]:
    distinct = len({json.dumps(offer) for offer in offers})
    return {"% of edges": _share_of_edges(offers), "% of pairs": _share_of_pairs(offers), "distinct": distinct}


def _share_of_edges(offers: Sequence[Any]) -> float:
    """The command `coverage` counts the edges."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offers.ndjson"
        path.write_text("".join(f"{json.dumps(offer)}\n" for offer in offers), encoding="utf-8")
        command = [sys.executable, "-m", "brokerfuzz", "coverage", str(path), "--message", OFFER, "--json"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    edges = json.loads(printed)["messages"][OFFER]["goals"]["edge"]
    share: float = edges["covered"] / edges["all"]
    return 100 * share


def _share_of_pairs(offers: Sequence[Any]) -> float:
    """Compares the pairs of states with those of the catalogue."""
    in_catalogue = _pairs(json.loads(case.body) for case in catalogue(OFFER, verdicts=["valid"]))
    return 100 * len(_pairs(offers) & in_catalogue) / len(in_catalogue)


def _pairs(offers: Iterable[Any]) -> set[tuple[Any, Any]]:
    """Returns the states that two properties of an object have together in one of the offers."""
    root = load_contract().sites[OFFER][""]
    pairs: set[tuple[Any, Any]] = set()
    for offer in offers:
        for site, _, value in root.walk(offer):
            if isinstance(value, dict):
                states = [(prop.path, _state(prop.schema, value, name)) for name, prop in site.properties.items()]
                pairs.update(combinations(states, 2))
    return pairs


def _state(schema: Mapping[str, Any], parent: Mapping[str, Any], name: str) -> Any:
    """Returns whether a property is absent, null or empty, or its value if it is a boolean or in an enumeration."""
    value = parent.get(name, "absent")
    return value if value is None or "enum" in schema or name not in parent else bool(value)


def broken_rules() -> Figures:
    """Counts the runs whose invalid offers break each validation rule in the text of the contract."""
    strategy = strategies.invalid_offer_requests(now=NOW)
    runs = [_broken(examples(strategy, EXAMPLES, seed)) for seed in range(1, RUNS + 1)]
    counts: dict[str, Value] = {
        f"{number}:": sum(not rules.isdisjoint(run) for run in runs) for number, rules in validation_rules().items()
    }
    return {f"validation rules broken in {RUNS} runs": counts}


def _broken(cases: Sequence[Case]) -> set[str]:
    return {broken.rule for case in cases for broken in case.verdict.broken}


def validation_rules() -> dict[int, set[str]]:
    """Maps the number of each validation rule in the text of the contract to the IDs of the single rules that it
    states.
    """
    stated: dict[int, set[str]] = {}
    for rule in load_contract().rules[OFFER]:
        if rule.validation_rule:
            stated.setdefault(rule.validation_rule, set()).add(rule.id)
    return dict(sorted(stated.items()))


def smallest_examples(note: Callable[[str], None]) -> Figures:
    """Counts the conditions whose examples become as simple as a person would write them. Notes the others."""
    different = [words for minimum in MINIMA if (words := difference(minimum, [smallest(minimum, seed=1)]))]
    for words in different:
        note(words)
    return {"smallest examples": {"as expected": len(MINIMA) - len(different), "of": len(MINIMA)}}


def smallest(minimum: Minimum, seed: int) -> Any:
    options = settings(max_examples=SEARCHED, database=None, deadline=None)
    try:
        found = find(
            minimum.strategy,
            lambda example: bool(minimum.condition(example)),
            settings=options,
            random=random.Random(seed),
        )
    except NoSuchExample:
        return NOT_FOUND
    return found.value if isinstance(found, Case) else found


def difference(minimum: Minimum, found: Sequence[Any]) -> str | None:
    others = [example for example in found if minimum.smallest != example]
    if not others:
        return None
    return (
        f"  {minimum.name}: {len(found) - len(others)} of {len(found)} seeds\n    expected {minimum.smallest}\n    "
        f"found    {others[0]}"
    )
