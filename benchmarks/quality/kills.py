from datetime import UTC, datetime
from itertools import islice

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import OFFER, Reader
from benchmarks.fleet.mutants import Mutant
from benchmarks.fleet.scoring import score
from benchmarks.quality.figures import Figures
from brokerfuzz import Case, catalogue, load_contract, messages

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RANDOM_CASES = 3000
SEEDS = (1, 2, 3)


def kills() -> Figures:
    """Counts the services of the fleet that answer a message wrongly. Each service has one bug."""
    mutants = fleet(NOW)
    cases = list(catalogue(OFFER, now=NOW))
    of_catalogue = {"killed": _killed(mutants, cases), "of": len(mutants), "cases": len(cases)}
    of_random = {f"seed {seed}:": _killed(mutants, _random_cases(seed)) for seed in SEEDS}
    return {
        "bugs killed by the catalogue": {**of_catalogue},
        f"bugs killed by {RANDOM_CASES:,} random cases": {**of_random},
    }


def _random_cases(seed: int) -> list[Case]:
    return list(islice(messages(OFFER, seed, verdicts=["valid", "invalid", "unspecified"], now=NOW), RANDOM_CASES))


def _killed(mutants: list[Mutant], cases: list[Case]) -> int:
    reader = Reader(load_contract(), NOW)
    return score(mutants, [reader(case.body) for case in cases]).killed
