"""Creates HTML that is safe, because the function `element` escapes every text.

Characters that are not printable, such as control characters, are shown as escapes.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import escape

from brokerfuzz.wording import printable

_VOID = frozenset(("br", "input", "meta", "wbr"))


class Markup(str):
    """A string that is already HTML."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""The content of an HTML element: text, HTML, None (nothing), or a list of such contents. Lists can be nested."""
Value = str | int | float | bool | None
"""The value of an HTML attribute. True adds the attribute without a value; None and False omit it."""


def element(tag: str, *children: Child, **attributes: Value) -> Markup:
    """Creates an HTML element. In the names of attributes, `aria_label` becomes `aria-label`, and `class_` becomes
    `class`.
    """
    written = "".join(
        [
            _attribute(_name(name), value)
            for name, value in attributes.items()
            if value is not None and value is not False
        ]
    )
    return Markup(f"<{tag}{written}>" if tag in _VOID else f"<{tag}{written}>{together(children)}</{tag}>")


def together(*children: Child) -> Markup:
    """Joins texts and pieces of HTML, and escapes the texts."""
    parts: list[str] = []
    _collect(children, parts)
    return Markup("".join(parts))


def trusted(text: str) -> Markup:
    """Returns a script or a style sheet of brokerfuzz without escaping it."""
    return Markup(text)


def _collect(children: Iterable[Child], parts: list[str]) -> None:
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(_escaped(child))
        elif child is not None:
            _collect(child, parts)


def _escaped(text: str) -> str:
    """Escapes text for HTML. The escapes of unprintable characters have a different style."""
    if text.isprintable():
        return escape(text, quote=False)
    parts = re.split(r"([^ -~]+)", text)
    return "".join(_marked(part) if odd % 2 else escape(part, quote=False) for odd, part in enumerate(parts))


def _marked(text: str) -> str:
    return "".join(char if char.isprintable() else f'<i class="escape">{printable(char)}</i>' for char in text)


def _attribute(name: str, value: str | float) -> str:
    return f" {name}" if value is True else f' {name}="{escape(printable(str(value)))}"'


@cache
def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")
