"""HTML that is safe by how it is built: `element` is the only way to it, and whatever text goes in comes out as text.

What does not print (control characters, those that turn the direction of what stands around them, halves of surrogate pairs) is
shown as its escape, so that a page holds nothing that a reader cannot see, and can always be encoded.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import escape

from brokerfuzz.wording import printable

_VOID = frozenset(("br", "input", "meta", "wbr"))


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""A text, HTML, nothing, or many of these."""
Value = str | int | float | bool | None
"""Of an attribute: True stands without a value, None and False leave it out."""


def element(tag: str, *children: Child, **attributes: Value) -> Markup:
    """An element. An underscore in the name of an attribute is a hyphen, one at its end is none: `class_`, `aria_label`."""
    said = "".join([_attribute(_name(name), value) for name, value in attributes.items() if value is not None and value is not False])
    return Markup(f"<{tag}{said}>" if tag in _VOID else f"<{tag}{said}>{together(children)}</{tag}>")


def together(*children: Child) -> Markup:
    """Texts and HTML, one behind the other."""
    parts: list[str] = []
    _collect(children, parts)
    return Markup("".join(parts))


def trusted(text: str) -> Markup:
    """A text of ours that goes in as it is: a script, a style sheet."""
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
    """The text; each run of what does not print is marked, so that it is not taken for an escape that was there."""
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
