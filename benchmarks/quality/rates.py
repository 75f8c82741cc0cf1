"""Measures speeds in units per second of processor time, and compares each with a simpler program that does similar
work.
"""

import json
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import brokerfuzz
from benchmarks.drawing import examples, hypothesis_jsonschema
from benchmarks.fleet.messages import OFFER
from benchmarks.fleet.plain_messages import written
from benchmarks.quality import NOW, Figures, Value
from brokerfuzz import Case, strategies
from brokerfuzz.corpus import write
from examples.services.strict_fastapi import Offer

ROUNDS = 3
Work = Callable[[], int]
"""Does some work, and returns the number of processed units."""


def rates() -> Figures:
    peer = _rate(lambda: len(examples(hypothesis_jsonschema(), 30)))
    return {
        "valid examples per second": _compared(
            lambda: len(examples(strategies.offer_requests(), 500)), peer, "hypothesis-jsonschema"
        ),
        "invalid examples per second": _compared(
            lambda: len(examples(strategies.invalid_offer_requests(), 300)), peer, "hypothesis-jsonschema"
        ),
        **_streams(),
        **_fire(),
    }


def _streams() -> Figures:
    bodies = [written(message) for message in islice(brokerfuzz.messages(OFFER, 1), 5000)]
    cases = list(islice(_random_cases(1), 5000))
    parsing = _rate(lambda: len([json.loads(body) for body in bodies]))
    return {
        "messages() per second": _compared(
            lambda: len(list(islice(brokerfuzz.messages(OFFER, 1), 10_000))), parsing, "json.loads"
        ),
        "check() per second": _compared(
            lambda: len([brokerfuzz.check(OFFER, body) for body in bodies]), parsing, "json.loads"
        ),
        "exported cases per second": _compared(
            lambda: _export(5000), _rate(lambda: _written(cases)), "a loop that writes ready cases"
        ),
    }


def _random_cases(seed: int) -> Any:
    return brokerfuzz.messages(OFFER, seed, verdicts=["valid", "invalid", "unspecified"])


def _export(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return write(Path(folder) / "offers.ndjson", islice(_random_cases(1), count)).count


def _written(cases: list[Case]) -> int:
    with tempfile.TemporaryFile("w") as lines:
        for case in cases:
            lines.write(json.dumps({"id": case.id, "verdict": case.label, "body": case.body.decode("latin-1")}) + "\n")
    return len(cases)


def _fire() -> Figures:
    """The target is a function that validates an offer with pydantic. The loop calls it with the same bodies."""
    validate = Offer.model_validate_json
    bodies: list[bytes] = []

    def accepts(body: bytes) -> None:
        bodies.append(body)
        validate(body)

    brokerfuzz.fire(accepts, now=NOW)
    sent = tuple(bodies)

    def loop() -> int:
        for body in sent:
            try:
                validate(body)
            except ValueError:
                continue
        return len(sent)

    def campaign() -> int:
        brokerfuzz.fire(accepts, now=NOW)
        return len(sent)

    return {"requests of fire per second": _compared(campaign, _rate(loop), "a loop that ignores the answers")}


def _compared(work: Work, other: float, name: str) -> dict[str, Value]:
    rate = _rate(work)
    return {"rate": round(rate), f"times that of {name}": rate / other}


def _rate(work: Work) -> float:
    return median(_one_rate(work) for _ in range(ROUNDS))


def _one_rate(work: Work) -> float:
    started = time.process_time()
    return work() / (time.process_time() - started)
