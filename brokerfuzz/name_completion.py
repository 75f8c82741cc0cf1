"""Completion in shells, where click's own needs help.

bash ends a word at `:`, `=` and `@`, all of which occur in the ids of rules, and completes what follows them. So the words
are put together again before they are completed, and what stands there already is taken off the answers.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from click import Context
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

_BREAK = re.compile("[:=@]+")

Items = Iterator[tuple[str, str]]
"""(name, what it is) of what can be completed."""


def register() -> None:
    """Lets click complete in bash by what is here."""
    add_completion_class(Bash, "bash")


class Bash(BashComplete):
    """Completion for bash."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """(the words before, the word to complete), of what bash took apart."""
        words, number = split_arg_string(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
        joined = self._joined(words[: number + 1])
        if number < len(words):
            return joined[1:-1], joined[-1]
        self._standing = ""
        return joined[1:], ""

    def _joined(self, words: list[str]) -> list[str]:
        """The words as they were typed; what stands there already of the last one is kept."""
        joined: list[str] = []
        self._standing = ""
        for previous, word in zip(["", *words], words, strict=False):
            if joined and (_BREAK.fullmatch(word) or _BREAK.fullmatch(previous)):
                self._standing = joined[-1] + (word if _BREAK.fullmatch(word) else "")
                joined[-1] += word
            else:
                self._standing = ""
                joined.append(word)
        return joined

    def format_completion(self, item: "CompletionItem[Any]") -> str:
        """The rest of the item, behind what bash does not take for a part of the word."""
        standing = self._standing.partition("=")[2] if self._standing.startswith("--") else self._standing
        return f"{item.type},{item.value.removeprefix(standing)}"


def matching(items: Callable[[str | None], Items], ctx: Context, incomplete: str, *, excludable: bool = False) -> "list[CompletionItem[str]]":
    """The items that begin with what was typed, after a `!` too where they are `excludable`; none if the contract that was named cannot be used."""
    from brokerfuzz.errors import BrokerfuzzError

    mark = "!" if excludable and incomplete.startswith("!") else ""
    begun = incomplete.removeprefix(mark)
    try:
        return [CompletionItem(f"{mark}{name}", help=text) for name, text in items(ctx.params.get("contract")) if name.startswith(begun)]
    except BrokerfuzzError:
        return []


def rule_ids(contract: str | None) -> Items:
    """The rules of the contract."""
    from brokerfuzz.schemas import load_contract

    return ((rule.id, rule.demand) for rule in load_contract(contract).rules_by_id.values())


def sites(contract: str | None) -> Items:
    """The sites that have rules; the root has no name."""
    from brokerfuzz.schemas import load_contract

    return ((site, "") for site in dict.fromkeys(rule.site for rule in load_contract(contract).rules_by_id.values()) if site)


def techniques(contract: str | None) -> Items:
    """The techniques."""
    from brokerfuzz.cases.techniques import TECHNIQUES

    return ((technique.name, technique.text) for technique in TECHNIQUES.values())


def ambiguities(contract: str | None) -> Items:
    """The ambiguities of the contract."""
    from brokerfuzz.schemas import load_contract

    return ((ambiguity.id, ambiguity.question) for ambiguity in load_contract(contract).ambiguities)


def explained(contract: str | None) -> Items:
    """Whatever `explain` knows."""
    for items in (rule_ids, techniques, ambiguities):
        yield from items(contract)


def policies(contract: str | None) -> Items:
    """Every ambiguity with either policy."""
    for ambiguity, question in ambiguities(contract):
        yield f"{ambiguity}=accept", question
        yield f"{ambiguity}=reject", question


def bugs(contract: str | None) -> Items:
    """The bugs that can be seeded."""
    from brokerfuzz.service.bugs import BUGS

    return ((bug.name, bug.text) for bug in BUGS.values())
