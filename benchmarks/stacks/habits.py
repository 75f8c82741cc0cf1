"""The offer services (stacks) and their habits. A habit is the way in which a stack handles messages for which the
contract leaves a question open.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
NODE_PACKAGES = FOLDER.parents[1] / "tests/node/node_modules"
JARS = tuple(Path(f"/usr/share/java/jackson-{name}.jar") for name in ("core", "annotations", "databind"))
"""Jackson, from Debian's package libjackson2-databind-java."""

Duplicates = Literal["first", "last", "both", "rejected"]


@dataclass(frozen=True, kw_only=True)
class Stack:
    """A correct offer service and its habits.

    Add a port to `command` to start an HTTP server. Add `--lines` to start a program that reads messages from its
    standard input. `needs` lists files that must exist before the command can start.

    The service accepts a `lastUpdatedDateTimeUtc` that is up to `tolerance` seconds later than its clock. The service
    can read timestamps in RFC 3339 with Z and whole seconds, and in the formats that `timestamps` lists. If
    `keeps_other_timestamps` is true, the service accepts timestamps in other formats, and does not compare them with
    its clock. If it is false, the service rejects such timestamps.

    If a property occurs twice, `duplicates` says if the service checks the first value, the last value or both, or
    rejects the message. `accepts` lists the other unusual messages that the service accepts.
    """

    name: str
    command: tuple[str, ...]
    needs: tuple[Path, ...] = ()
    tolerance: int
    timestamps: frozenset[str]
    keeps_other_timestamps: bool = False
    duplicates: Duplicates
    accepts: frozenset[str]


def python(name: str) -> tuple[str, ...]:
    return sys.executable, "-m", f"benchmarks.stacks.{name}_stack"


def node(name: str) -> tuple[str, ...]:
    return "node", str(FOLDER / f"{name}_stack.mjs")


def habits(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


STACKS = (
    Stack(
        name="pydantic",
        command=python("pydantic"),
        tolerance=0,
        timestamps=habits("fraction, nanoseconds, offset, lower case, space, no zone, no seconds"),
        duplicates="last",
        accepts=habits("NUL, six cron fields, host without a dot, IP address"),
    ),
    Stack(
        name="msgspec",
        command=python("msgspec"),
        tolerance=30,
        timestamps=habits("fraction, nanoseconds, offset, lower case, space, no zone"),
        duplicates="both",
        accepts=habits("NUL, six cron fields, relative URL, host without a dot, IP address"),
    ),
    Stack(
        name="attrs",
        command=python("attrs"),
        tolerance=300,
        timestamps=habits("fraction, nanoseconds, offset, space, no zone, no seconds, date only"),
        duplicates="first",
        accepts=habits(
            "NUL, six cron fields, relative URL, 1e400, lone surrogate, byte order mark, UTF-16, UTF-32, CESU-8, host "
            "without a dot, IP address"
        ),
    ),
    Stack(
        name="django",
        command=python("django"),
        tolerance=0,
        timestamps=habits("fraction, nanoseconds, offset, space, no zone, no seconds, date only"),
        duplicates="last",
        accepts=habits("six cron fields, IP address"),
    ),
    Stack(
        name="jsonschema_rs",
        command=python("jsonschema_rs"),
        tolerance=0,
        timestamps=habits("fraction, nanoseconds, offset, lower case"),
        duplicates="last",
        accepts=habits("NUL, relative URL, 1.0, host without a dot, IP address"),
    ),
    Stack(
        name="ajv",
        command=node("ajv"),
        needs=(NODE_PACKAGES,),
        tolerance=30,
        timestamps=habits("fraction, nanoseconds, offset, lower case, space, no zone, no seconds, date only"),
        keeps_other_timestamps=True,
        duplicates="last",
        accepts=habits(
            "NUL, six cron fields, relative URL, 1.0, lone surrogate, byte order mark, host without a dot, IP address"
        ),
    ),
    Stack(
        name="zod",
        command=node("zod"),
        needs=(NODE_PACKAGES,),
        tolerance=0,
        timestamps=habits(""),
        duplicates="last",
        accepts=habits("NUL, six cron fields, 1.0, lone surrogate, CESU-8, overlong UTF-8, Latin-1"),
    ),
    Stack(
        name="jackson",
        command=("java", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, JARS)), str(FOLDER / "JacksonStack.java")),
        needs=JARS,
        tolerance=300,
        timestamps=habits("fraction, nanoseconds, offset, lower case, no seconds"),
        duplicates="rejected",
        accepts=habits(
            "NUL, six cron fields, relative URL, 1e400, lone surrogate, byte order mark, UTF-16, UTF-32, CESU-8, "
            "overlong UTF-8, "
            "host without a dot, IP address"
        ),
    ),
)
