"""Builds the command that continues a campaign."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from brokerfuzz.option import declared, flag_of
from brokerfuzz.options import FireCommandOptions
from brokerfuzz.targets.reproduction import shell_quoted
from brokerfuzz.targets.secret_masking import Secrets

_OF_FIRST_RUN = ("journal", "resume", "reports")
"""Options that are not repeated. The campaign that continues would overwrite the reports."""


def continuing_command(journal: str, params: Mapping[str, Any], from_journal: list[str], secrets: Secrets) -> str:
    """`params` are the words of the command line, and `from_journal` are the options that the journal contains.
    Environment variables replace secrets.
    """
    words = ["brokerfuzz", "fire"]
    if params["url"] is not None:
        words.append(params["url"])
    words += ["--resume", journal]
    words += _options({name: value for name, value in params.items() if name not in (*from_journal, *_OF_FIRST_RUN)})
    return " ".join(_quoted(word, secrets) for word in words)


def _options(params: Mapping[str, Any]) -> Iterator[str]:
    for name, option in declared(FireCommandOptions).items():
        value = None if option.flags == () else params.get(name)
        if isinstance(value, bool):
            yield flag_of(name, option)
        elif value is not None:
            for item in value if option.many else [value]:
                yield from (flag_of(name, option), item)


def _quoted(word: str, secrets: Secrets) -> str:
    described = secrets.described(word)
    return shlex.quote(word) if described == word and word.isprintable() else shell_quoted(described)
