"""Measures brokerfuzz beside its peers: `python -m benchmarks [NAME ...]`, all where none is named.

Names: strategies, bulk, generators, oracle, shrinking, firing, fleet, fleet_schemathesis, fleet_flagged.

`strategies` and `fleet_schemathesis` want Schemathesis (`pip install '.[bench]'`); `bulk` compares with json-schema-faker where Node finds it
(`npm ci --prefix benchmarks/node`); `generators` compares with whatever of both is there, prints Markdown, and draws it with `--plot FILE.svg`.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from benchmarks import peers
from benchmarks.firing import firing
from benchmarks.fleet.fleet_benchmarks import fleet, fleet_flagged, fleet_schemathesis
from benchmarks.generators.generator_benchmarks import Effort, generators
from benchmarks.generators.peer_generators import Make, json_schema_faker
from benchmarks.rates import PATIENCE, examples, in_turn, of_stream, table
from brokerfuzz import strategies as ours
from brokerfuzz.decoder import messages
from brokerfuzz.schemas import MessageType, check

OFFER: MessageType = "offer-creation-request"


def strategies() -> str:
    """Examples a second under Hypothesis, the whole offer schema."""
    rounds = {
        "brokerfuzz offer_requests()": examples(ours.offer_requests(), 1500),
        "brokerfuzz, plausible": examples(ours.offer_requests(plausible=True), 1500),
        "brokerfuzz invalid_offer_requests()": examples(ours.invalid_offer_requests(), 500),
        "st.fixed_dictionaries by hand": examples(peers.fixed_dictionaries(), 600, patient=True),
        "Schemathesis' generator": examples(peers.schemathesis(), 300, patient=True),
        "hypothesis-jsonschema from_schema": examples(peers.from_schema(), 150, patient=True),
    }
    return table("Examples a second under Hypothesis, whole offer schema", in_turn(rounds, 3), "hypothesis-jsonschema from_schema")


def bulk() -> str:
    """Offers a second as bytes, outside Hypothesis; the floor is orjson on ready messages."""
    ready = list(islice(messages(OFFER, 1), 5000))

    def floor() -> int:
        for message in ready:
            orjson.dumps(message)
        return len(ready)

    rounds = {
        "brokerfuzz, with the bytes": of_stream(lambda: messages(OFFER, 1), 20_000, orjson.dumps),
        "brokerfuzz, plausible": of_stream(lambda: messages(OFFER, 1, plausible=True), 20_000, orjson.dumps),
        "orjson alone, ready messages": floor,
    }
    with suppress(ImportError):
        rounds["json-schema-faker"] = partial(_of_peer, json_schema_faker())
    return table("Offers a second with their bytes", in_turn(rounds), "orjson alone, ready messages")


def _of_peer(make: Make) -> tuple[int, float]:
    bodies, seconds = make(2000)
    return len(bodies), seconds


def oracle() -> str:
    """Verdicts a second on the bulk generator's offers."""
    streams = {"whole contract": messages(OFFER, 1), "plausible": messages(OFFER, 1, plausible=True)}
    bodies = {name: [orjson.dumps(message) for message in islice(stream, 4000)] for name, stream in streams.items()}

    def judge(name: str) -> int:
        for body in bodies[name]:
            check(OFFER, body)
        return len(bodies[name])

    rates = in_turn({f"check(), {name}": partial(judge, name) for name in bodies})
    sizes = ", ".join(f"{name} {sum(map(len, some)) // len(some)} bytes" for name, some in bodies.items())
    return table(f"Verdicts a second on bulk offers (mean size: {sizes})", rates, "check(), whole contract")


def shrinking() -> str:
    """How short `orderMinimum > orderMaximum` becomes, as JSON, and in how many calls: median of seven seeds."""
    from statistics import median

    from hypothesis import find, settings

    rows = []
    generators = {"brokerfuzz": ours.offer_requests(), "st.fixed_dictionaries by hand": peers.fixed_dictionaries()}
    for name, strategy in generators.items():
        lengths, calls = [], []
        for seed in range(7):
            count = 0

            def crossed(message: Any) -> bool:
                nonlocal count
                count += 1
                low, high = message.get("orderMinimum"), message.get("orderMaximum")
                return low is not None and high is not None and low != high

            options = settings(max_examples=20_000, database=None, deadline=None, suppress_health_check=PATIENCE)
            smallest = find(strategy, crossed, settings=options, random=random.Random(seed))
            lengths.append(len(json.dumps(smallest)))
            calls.append(count)
        rows.append(f"  {name:<32}  {median(lengths):>5.0f} characters  {median(calls):>5.0f} calls")
    return "\n".join(["Shrinking to two order bounds that differ", *rows])


def main(arguments: list[str]) -> None:
    """Runs the benchmarks of these names, all where none is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures brokerfuzz beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which benchmarks, all where none is named")
    of_generators = parser.add_argument_group("generators")
    of_generators.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the rates")
    of_generators.add_argument("--sample", type=int, default=Effort.sample, metavar="NUMBER", help="messages of each that are judged (%(default)s)")
    of_generators.add_argument("--seconds", type=float, default=Effort.seconds, metavar="NUMBER", help="about so long is a round (%(default)s)")
    given = parser.parse_args(arguments)
    every = (strategies, bulk, generators, oracle, shrinking, firing, fleet, fleet_schemathesis, fleet_flagged)
    known: dict[str, Callable[[], str]] = {function.__name__: function for function in every}
    known["generators"] = partial(generators, given.plot, Effort(given.sample, given.seconds))
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no benchmark is called {unknown[0]!r}: there are {', '.join(known)}")
    for name in given.names or known:
        print(known[name](), end="\n\n", flush=True)


main(sys.argv[1:])
