import itertools
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from benchmarks.generators.drawing import drawn
from benchmarks.generators.generator import Generator, Made, clocked
from benchmarks.generators.messages import OFFER
from brokerfuzz.cases.case import compact
from brokerfuzz.cases.plan import Plan
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.exporting import Export, write_corpus
from brokerfuzz.corpus.formats import CorpusInfo, format_named
from brokerfuzz.corpus.places import place_of
from brokerfuzz.decoder import messages
from brokerfuzz.schemas import Label
from brokerfuzz.strategies import offer_requests

VALID: tuple[Label, ...] = ("valid",)
_SAMPLE = 1
"""The seed for samples."""
_SEEDS = itertools.count(_SAMPLE + 1)
"""Each timed export has a new seed, so that its time includes the preparation for a new seed."""


def ours() -> list[Generator]:
    return [
        Generator("brokerfuzz `messages()`", clocked(bulk), is_ours=True),
        Generator("brokerfuzz `export`, valid", partial(exported, VALID), is_ours=True, in_bulk=partial(in_bulk, VALID)),
        Generator("brokerfuzz `export`, mixed", partial(exported, LABELS), is_ours=True, asks_valid=False, in_bulk=partial(in_bulk, LABELS)),
        Generator("brokerfuzz under Hypothesis", clocked(partial(drawn, offer_requests())), is_ours=True),
    ]


def bulk(count: int) -> list[bytes]:
    return [compact(message) for message in islice(messages(OFFER, _SAMPLE), count)]


def exported(verdicts: tuple[Label, ...], count: int) -> Made:
    """Runs `brokerfuzz export --random` in one process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offers.ndjson"
        seconds = _export(verdicts, count, path, _SAMPLE)
        with path.open("rb") as lines:
            return Made(list(_bodies(lines)), seconds)


def in_bulk(verdicts: tuple[Label, ...], count: int) -> float:
    """Returns the duration of an export with a new seed, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        return _export(verdicts, count, Path(folder) / "offers.ndjson", next(_SEEDS))


def _export(verdicts: tuple[Label, ...], count: int, path: Path, seed: int) -> float:
    plan = Plan(message_type=OFFER, seed=seed, count=count, only_random=True, verdicts=verdicts)
    export = Export((plan,), format_named("ndjson"), CorpusInfo(plan.demands, (OFFER,), ""))
    started = time.perf_counter()
    write_corpus(export, place_of(str(path)))
    return time.perf_counter() - started


def _bodies(lines: Iterable[bytes]) -> Iterator[bytes]:
    for record in map(orjson.loads, lines):
        yield b64decode(record["raw"]) if "raw" in record else compact(record["body"])
