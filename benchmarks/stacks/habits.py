"""The offer services (stacks), and how they handle messages for which the contract leaves a question open."""

import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
NODE_PACKAGES = FOLDER.parents[1] / "tests/node/node_modules"
JARS = tuple(Path(f"/usr/share/java/jackson-{name}.jar") for name in ("core", "annotations", "databind"))
"""Jackson, from Debian's package libjackson2-databind-java."""


@dataclass(frozen=True)
class Stack:
    """A correct offer service and its habits.

    The command reads messages from its standard input. `packages` lists Python packages, and `needs` files, that must
    exist before it can start.

    The service accepts a `lastUpdatedDateTimeUtc` that is up to `tolerance` seconds later than its clock. If a property
    occurs twice, `duplicates` says if the service checks the first value, the last value or both, or rejects the
    message.
    """

    name: str
    command: tuple[str, ...]
    tolerance: int
    duplicates: Literal["first", "last", "both", "rejected"]
    packages: tuple[str, ...] = ()
    needs: tuple[Path, ...] = ()

    @property
    def is_installed(self) -> bool:
        has_packages = all(map(find_spec, self.packages)) and all(path.exists() for path in self.needs)
        return has_packages and shutil.which(self.command[0]) is not None


def python(name: str) -> tuple[str, ...]:
    return sys.executable, "-m", f"benchmarks.stacks.{name}_stack"


def node(name: str) -> tuple[str, ...]:
    return "node", str(FOLDER / f"{name}_stack.mjs")


JAVA = ("java", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, JARS)), str(FOLDER / "JacksonStack.java"))
STACKS = (
    Stack("pydantic", python("pydantic"), 0, "last", ("fastapi", "pydantic")),
    Stack("msgspec", python("msgspec"), 30, "both", ("msgspec",)),
    Stack("attrs", python("attrs"), 300, "first", ("attrs", "cattrs")),
    Stack("django", python("django"), 0, "last", ("rest_framework",)),
    Stack("jsonschema_rs", python("jsonschema_rs"), 0, "last"),
    Stack("ajv", node("ajv"), 30, "last", needs=(NODE_PACKAGES,)),
    Stack("zod", node("zod"), 0, "last", needs=(NODE_PACKAGES,)),
    Stack("jackson", JAVA, 300, "rejected", needs=JARS),
)
