"""Completes names in the shell when the user presses Tab.

bash splits a word such as a rule ID at each `:`, `=` and `@`, and completes only the last part. For this reason,
brokerfuzz joins the parts again, and finds the names that begin with the joined word. From each name, brokerfuzz
removes the parts that the user has already typed.
"""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from click import Context
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import BrokerfuzzError
from brokerfuzz.schemas import load_contract
from brokerfuzz.service.bugs import BUGS

_BREAK = re.compile("[:=@]+")

Items = Iterator[tuple[str, str]]
"""The names and descriptions of possible completions."""


def register() -> None:
    """Tells click to use the class `Bash` for completions in bash."""
    add_completion_class(Bash, "bash")


class Bash(BashComplete):
    """Completes words in bash, which splits a word into parts."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Joins the parts into which bash split each word. Returns the earlier words, and the word to complete."""
        words, number = split_arg_string(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
        joined = self._joined(words[: number + 1])
        if number < len(words):
            return joined[1:-1], joined[-1]
        self._typed_before = ""
        return joined[1:], ""

    def _joined(self, words: list[str]) -> list[str]:
        """Returns the words as the user typed them. Also stores the beginning of the last word, up to the last `:`, `=`
        or `@`. `format_completion` removes this beginning from each suggestion.
        """
        joined: list[str] = []
        self._typed_before = ""
        for previous, word in zip(["", *words], words, strict=False):
            if joined and (_BREAK.fullmatch(word) or _BREAK.fullmatch(previous)):
                self._typed_before = joined[-1] + (word if _BREAK.fullmatch(word) else "")
                joined[-1] += word
            else:
                self._typed_before = ""
                joined.append(word)
        return joined

    def format_completion(self, item: "CompletionItem[Any]") -> str:
        """Returns the suggestion without the parts that the user has already typed."""
        typed_before = (
            self._typed_before.partition("=")[2] if self._typed_before.startswith("--") else self._typed_before
        )
        return f"{item.type},{item.value.removeprefix(typed_before)}"


def matching(
    items: Callable[[str | None], Items], ctx: Context, incomplete: str, *, excludable: bool = False
) -> "list[CompletionItem[str]]":
    """Returns the names that begin with `incomplete`. If `excludable` is true, `incomplete` may begin with `!`.

    If the contract cannot be used, there are no names.
    """

    mark = "!" if excludable and incomplete.startswith("!") else ""
    begun = incomplete.removeprefix(mark)
    try:
        return [
            CompletionItem(f"{mark}{name}", help=text)
            for name, text in items(ctx.params.get("contract"))
            if name.startswith(begun)
        ]
    except BrokerfuzzError:
        return []


def rule_ids(contract: str | None) -> Items:

    return ((rule.id, rule.demand) for rule in load_contract(contract).rules_by_id.values())


def sites(contract: str | None) -> Items:
    """Yields the sites that have rules, except for the root, whose name is empty."""

    return (
        (site, "") for site in dict.fromkeys(rule.site for rule in load_contract(contract).rules_by_id.values()) if site
    )


def techniques(contract: str | None) -> Items:

    return ((technique.name, technique.text) for technique in TECHNIQUES.values())


def ambiguities(contract: str | None) -> Items:

    return ((ambiguity.id, ambiguity.question) for ambiguity in load_contract(contract).ambiguities)


def explained(contract: str | None) -> Items:
    """Yields the names that `explain` can explain: rules, techniques, ambiguities and bugs."""
    for items in (rule_ids, techniques, ambiguities, bugs):
        yield from items(contract)


def policies(contract: str | None) -> Items:
    """Yields every ambiguity with each of its interpretations."""

    for ambiguity in load_contract(contract).ambiguities:
        for interpretation in ambiguity.interpretations:
            yield f"{ambiguity.id}={interpretation}", ambiguity.question


def bugs(contract: str | None) -> Items:

    return ((bug.name, bug.text) for bug in BUGS.values())
