"""The offer services (stacks), and how they handle messages for which the contract leaves a question open."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
NODE_PACKAGES = FOLDER.parents[1] / "tests/node/node_modules"
JARS = tuple(Path(f"/usr/share/java/jackson-{name}.jar") for name in ("core", "annotations", "databind"))
"""Jackson, from Debian's package libjackson2-databind-java."""


@dataclass(frozen=True)
class Stack:
    """A correct offer service and its habits.

    Add a port to `command` to start an HTTP server. Add `--lines` to start a program that reads messages from its
    standard input. `needs` lists files that must exist before the command can start.

    The service accepts a `lastUpdatedDateTimeUtc` that is up to `tolerance` seconds later than its clock. If a property
    occurs twice, `duplicates` says if the service checks the first value, the last value or both, or rejects the
    message.
    """

    name: str
    command: tuple[str, ...]
    tolerance: int
    duplicates: Literal["first", "last", "both", "rejected"]
    needs: tuple[Path, ...] = ()


def python(name: str) -> tuple[str, ...]:
    return sys.executable, "-m", f"benchmarks.stacks.{name}_stack"


def node(name: str) -> tuple[str, ...]:
    return "node", str(FOLDER / f"{name}_stack.mjs")


JAVA = ("java", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, JARS)), str(FOLDER / "JacksonStack.java"))
STACKS = (
    Stack("pydantic", python("pydantic"), 0, "last"),
    Stack("msgspec", python("msgspec"), 30, "both"),
    Stack("attrs", python("attrs"), 300, "first"),
    Stack("django", python("django"), 0, "last"),
    Stack("jsonschema_rs", python("jsonschema_rs"), 0, "last"),
    Stack("ajv", node("ajv"), 30, "last", (NODE_PACKAGES,)),
    Stack("zod", node("zod"), 0, "last", (NODE_PACKAGES,)),
    Stack("jackson", JAVA, 300, "rejected", JARS),
)
