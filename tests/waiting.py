import time
from collections.abc import Callable
from pathlib import Path

from brokerfuzz.campaign.journal import exchanges


def happens(condition: Callable[[], object], seconds: float = 180) -> bool:
    """Waits until the condition is true. Returns False if this takes longer than the given time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def gets_answers(journal: Path, number: int) -> bool:
    return happens(lambda: journal.exists() and sum(1 for _ in exchanges(journal)) >= number)


def workers_of(command: int) -> list[int]:
    """Returns the process IDs of the workers that a command started."""
    children = Path(f"/proc/{command}/task/{command}/children").read_text().split()
    return [int(child) for child in children if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()]
