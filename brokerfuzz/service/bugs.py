"""Lists the bugs that can be seeded in the reference service."""

from collections.abc import Mapping

from brokerfuzz.errors import UnknownNameError
from brokerfuzz.service.flaws import Bug
from brokerfuzz.service.seeded import coercions, conditions, failures, missing_checks, strictness

__all__ = ["BUGS", "Bug", "bug"]

_KINDS = (missing_checks, strictness, coercions, failures, conditions)

BUGS: Mapping[str, Bug] = {
    seeded.name: seeded for seeded in sorted((b for module in _KINDS for b in module.BUGS), key=lambda b: b.name)
}


def bug(name: str) -> Bug:
    """Raises `UnknownNameError` if no bug has this name."""
    if name not in BUGS:
        raise UnknownNameError("bug", name, BUGS, "`brokerfuzz serve --list-bugs` lists all bugs")
    return BUGS[name]
