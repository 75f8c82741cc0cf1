"""Measures brokerfuzz beside its peers: `python -m benchmarks [NAME ...]`, all where none is named.

Names: strategies, bulk, oracle, shrinking, firing, fleet, fleet_schemathesis, fleet_flagged.

`strategies` and `fleet_schemathesis` want Schemathesis (`pip install '.[bench]'`); `bulk` compares with json-schema-faker where Node finds it
(`npm install --prefix benchmarks/node`).
"""

import json
import random
import shutil
import subprocess
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from benchmarks import peers
from benchmarks.firing import firing
from benchmarks.fleet.measured import fleet, fleet_flagged, fleet_schemathesis
from benchmarks.rates import PATIENCE, examples, in_turn, of_stream, table
from brokerfuzz import strategies as ours
from brokerfuzz.decoder import messages
from brokerfuzz.schemas import MessageType, check, load_contract

OFFER: MessageType = "offer-creation-request"
NODE = Path(__file__).parent / "node"


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
    if (NODE / "node_modules" / "json-schema-faker").exists() and shutil.which("node"):
        rounds["json-schema-faker"] = _json_schema_faker
    return table("Offers a second with their bytes", in_turn(rounds), "orjson alone, ready messages")


def _json_schema_faker() -> tuple[int, float]:
    count = 2000
    order = json.dumps({"schema": load_contract().schemas[OFFER], "count": count})
    done = subprocess.run(["node", "faker.mjs"], cwd=NODE, input=order, capture_output=True, text=True, check=True)
    return count, float(json.loads(done.stdout)["seconds"])


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


def main(names: list[str]) -> None:
    """Runs the benchmarks of these names, all where none is named."""
    every = (strategies, bulk, oracle, shrinking, firing, fleet, fleet_schemathesis, fleet_flagged)
    known = {function.__name__: function for function in every}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no benchmark is called {unknown[0]!r}: there are {', '.join(known)}")
    for name in names or known:
        print(known[name](), end="\n\n", flush=True)


main(sys.argv[1:])
