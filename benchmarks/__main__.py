"""Compares brokerfuzz with similar tools: `python -m benchmarks [NAME ...]`. Runs all benchmarks by default.

Names: strategies, discovery, variety, shrinking, bulk, generators, oracle, firing, in_process, fleet, fleet_schemathesis, fleet_flagged.

`strategies` and `fleet_schemathesis` need Schemathesis (`pip install '.[bench]'`). `bulk` includes json-schema-faker if it is
installed (`npm ci --prefix benchmarks/node`). The benchmarks `variety` and `generators` include each supported tool that is
installed. `generators` prints Markdown, and draws a chart with `--plot FILE.svg`.
"""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from benchmarks import peers
from benchmarks.examples.discovery import discovery
from benchmarks.examples.effort import Effort as ExampleEffort
from benchmarks.examples.shrinking import shrinking
from benchmarks.examples.variety import variety
from benchmarks.firing import firing
from benchmarks.fleet.fleet_benchmarks import fleet, fleet_flagged, fleet_schemathesis
from benchmarks.generators.generator_benchmarks import Effort, generators
from benchmarks.generators.peer_generators import Make, json_schema_faker
from benchmarks.in_process import in_process
from benchmarks.rates import examples, in_turn, of_stream, table
from brokerfuzz import strategies as ours
from brokerfuzz.decoder import messages
from brokerfuzz.schemas import MessageType, check

OFFER: MessageType = "offer-creation-request"
SIZES = {
    "runs": "number of runs of `discovery`",
    "seeds": "number of seeds of `variety`",
    "examples": "number of examples in a long run",
    "processes": "number of processes that share the work",
}


def strategies() -> str:
    """Measures how many examples per second Hypothesis draws from different strategies for offers."""
    rounds = {
        "brokerfuzz offer_requests()": examples(ours.offer_requests(), 1500),
        "brokerfuzz, plausible": examples(ours.offer_requests(plausible=True), 1500),
        "brokerfuzz invalid_offer_requests()": examples(ours.invalid_offer_requests(), 500),
        "st.fixed_dictionaries by hand": examples(peers.fixed_dictionaries(), 600, patient=True),
        "Schemathesis' generator": examples(peers.schemathesis(), 300, patient=True),
        "hypothesis-jsonschema from_schema": examples(peers.from_schema(), 150, patient=True),
    }
    return table("Examples per second under Hypothesis, whole offer schema", in_turn(rounds, 3), "hypothesis-jsonschema from_schema")


def bulk() -> str:
    """Measures how many offers per second are generated as bytes, without Hypothesis."""
    ready = list(islice(messages(OFFER, 1), 5000))

    def only_serialize() -> int:
        for message in ready:
            orjson.dumps(message)
        return len(ready)

    rounds = {
        "brokerfuzz, serialized": of_stream(lambda: messages(OFFER, 1), 20_000, orjson.dumps),
        "brokerfuzz, plausible": of_stream(lambda: messages(OFFER, 1, plausible=True), 20_000, orjson.dumps),
        "orjson alone, ready messages": only_serialize,
    }
    with suppress(ImportError):
        rounds["json-schema-faker"] = partial(_of_peer, json_schema_faker())
    return table("Offers per second, serialized", in_turn(rounds), "orjson alone, ready messages")


def _of_peer(make: Make) -> tuple[int, float]:
    bodies, seconds = make(2000)
    return len(bodies), seconds


def oracle() -> str:
    """Measures how many offers per second the oracle judges."""
    streams = {"whole contract": messages(OFFER, 1), "plausible": messages(OFFER, 1, plausible=True)}
    bodies = {name: [orjson.dumps(message) for message in islice(stream, 4000)] for name, stream in streams.items()}

    def judge(name: str) -> int:
        for body in bodies[name]:
            check(OFFER, body)
        return len(bodies[name])

    rates = in_turn({f"check(), {name}": partial(judge, name) for name in bodies})
    sizes = ", ".join(f"{name} {sum(map(len, some)) // len(some)} bytes" for name, some in bodies.items())
    return table(f"Verdicts per second on bulk offers (mean size: {sizes})", rates, "check(), whole contract")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Compares brokerfuzz with similar tools.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="run these benchmarks (default: all)")
    of_generators = parser.add_argument_group("generators")
    of_generators.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw a chart of the rates")
    of_generators.add_argument(
        "--sample", type=int, default=Effort.sample, metavar="NUMBER", help="judge this number of messages of each generator (default: %(default)s)"
    )
    of_generators.add_argument(
        "--seconds", type=float, default=Effort.seconds, metavar="NUMBER", help="set the approximate duration of a round (default: %(default)s)"
    )
    of_examples = parser.add_argument_group("discovery, variety and shrinking")
    for name, text in SIZES.items():
        of_examples.add_argument(f"--{name}", type=int, default=getattr(ExampleEffort, name), metavar="NUMBER", help=f"{text} (default: %(default)s)")
    of_examples.add_argument("--only-ours", action="store_true", help="measure only brokerfuzz, because the other tools need most of the time")
    given = parser.parse_args(arguments)
    known: dict[str, Callable[[], str]] = {"strategies": strategies}
    effort = ExampleEffort(**{name: getattr(given, name) for name in SIZES}, only_ours=given.only_ours)
    known |= {function.__name__: partial(function, effort) for function in (discovery, variety, shrinking)}
    known |= {function.__name__: function for function in (bulk, generators, oracle, firing, in_process, fleet, fleet_schemathesis, fleet_flagged)}
    known["generators"] = partial(generators, given.plot, Effort(given.sample, given.seconds))
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(known)}")
    for name in given.names or known:
        print(known[name](), end="\n\n", flush=True)


main(sys.argv[1:])
