"""Reads the files in the folder `suites`, which exports copy or fill in."""

from importlib import resources
from string import Template


def source(name: str) -> bytes:
    """Returns the contents of a file. The names of Python files end in `.txt`, because they are no modules of
    brokerfuzz.
    """
    found = resources.files("brokerfuzz.corpus.formats") / "suites" / (f"{name}.txt" if name.endswith(".py") else name)
    return found.read_bytes().replace(b"\r\n", b"\n")  # Git may have changed the line endings


def filled(name: str, **values: str) -> bytes:
    return Template(source(name).decode()).substitute(values).encode()
