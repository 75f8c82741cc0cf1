"""Compiles the patterns (regular expressions) of a changed contract in a separate process first, because compiling
cannot be interrupted.

Only patterns need much time or memory: jsonschema-rs compiles a schema of 1 MB without patterns in 0.2 s, and compiles
equal patterns once. If the separate process has compiled the patterns within its limits, this process can safely
compile them too.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from math import ceil
from pathlib import Path

import jsonschema_rs

from brokerfuzz.errors import ContractError
from brokerfuzz.schemas.contract_limits import MORE, limit

SECONDS = 1
"""The maximum processor time for compiling the patterns of a file, in seconds."""
MEMORY = 1 << 30
"""The maximum memory for compiling the patterns of a file, in bytes."""
_PATIENCE = 10
"""The process may run for its maximum processor time, multiplied by this factor, because the machine may be busy."""
_PROGRAM = """
import json, sys
seconds, memory, path, patterns = json.load(sys.stdin)
sys.path.append(path)
import jsonschema_rs
try:
    import resource
except ImportError:  # Windows
    pass
else:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
for pattern in patterns:
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:  # the command reports this error later
        pass
"""


def try_patterns(path: Path, patterns: Iterable[str]) -> None:
    """Raises `ContractError` if the patterns of a file cannot be compiled within the limits."""
    distinct = tuple(sorted(set(patterns)))
    if distinct and not _can_be_compiled(distinct, ceil(limit(SECONDS)), int(limit(MEMORY))):
        raise ContractError(
            f"the patterns of {path} cannot be compiled within {limit(SECONDS):g} s and {limit(MEMORY) / 2**30:g} GB "
            "of memory"
            f": use fewer repetitions, {MORE}"
        )


@cache
def _can_be_compiled(patterns: tuple[str, ...], seconds: int, memory: int) -> bool:
    """Returns whether a process with these limits can compile the patterns. If Ctrl-C is pressed, the process is
    killed.
    """
    library = str(Path(jsonschema_rs.__file__).parents[1])
    task = json.dumps([seconds, memory, library, patterns])
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        _PROGRAM,
    ]  # -I and -S: Python starts faster without the modules of the user
    with subprocess.Popen(
        command, text=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            process.communicate(task, timeout=_PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()
            process.wait()
    return process.returncode == 0
