"""Fills the templates of reports. Every value that a template inserts is escaped for its format, unless a filter
marked the value as safe. Characters that are not printable become visible escapes.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from brokerfuzz.wording import counted, printable

_TEMPLATES = Path(__file__).with_name("templates")
_POLICY = (
    "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'"
)
_LONGEST = 4000
_PLAIN = re.compile(r"\(?(?:[A-Za-z]{1,30}(?:\(s\))?|[0-9][0-9,]{0,8})\)?[.,:;?]?")
_END = re.compile(r"(.*[^.,:;?])([.,:;?]+)")
_MANY_BACKTICKS = re.compile("`{20,}")


class Safe(str):
    """A text that is already Markdown."""

    __slots__ = ()


def html_page(template: str, **values: Any) -> str:
    """Fills the template of a page, which contains its style and its script."""
    style, script = ((_TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = _POLICY.format(_digest(style), _digest(script))
    return markup(template, style=Markup(style), script=Markup(script), policy=policy, **values)  # noqa: S704


def markup(template: str, **values: Any) -> str:
    """Fills a template of HTML or XML."""
    return _markup().get_template(template).render(**values)


def markdown_text(template: str, **values: Any) -> str:
    return _environment(prose, Safe, {"code": code, "fenced": fenced}).get_template(template).render(**values)


@cache
def _markup() -> Environment:
    return _environment(_shown, Markup, {}, autoescape=True)


def _environment(
    escaped: Callable[[Any], str], safe: type[str], filters: dict[str, Callable[..., str]], *, autoescape: bool = False
) -> Environment:
    """The function `escaped` converts each value that is not `safe`."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        autoescape=autoescape,  # noqa: S701 (for HTML; `finalize` escapes for the other formats)
        finalize=lambda value: value if isinstance(value, safe) else escaped(value),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(counted=counted, **filters)
    return environment


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _shown(value: Any) -> str:
    return printable(str(value), _LONGEST)


# --------------------------------------------------------------------------------------------------------- Markdown


def prose(text: Any, limit: int = 500) -> Safe:
    """Marks parts of a text as code, so that they cannot become a link, an image or a mention. Words that contain only
    letters, and numbers that contain only digits, stay plain text.
    """
    words = groupby(_cut(str(text), limit).split(), key=lambda word: _PLAIN.fullmatch(word) is not None)
    return Safe(" ".join(" ".join(group) if plain else _as_code(" ".join(group), limit) for plain, group in words))


def code(text: str, limit: int = 300) -> Safe:
    """Marks text as code on one line. `|` is escaped, because it would end the cell of a table."""
    shown = _MANY_BACKTICKS.sub(_escaped_backticks, _cut(text, limit)).replace("|", "\\u007c")
    if not shown.strip():
        return Safe("(empty)" if not shown else "(blank)")
    fence = _fence(shown, 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return Safe(f"{fence}{pad}{shown}{pad}{fence}")


def fenced(lines: Iterable[str], language: str = "text") -> Safe:
    """Returns a block of code."""
    text = "\n".join(_MANY_BACKTICKS.sub(_escaped_backticks, printable(line)) for line in lines)
    fence = _fence(text, 3)
    return Safe(f"{fence}{language}\n{text}\n{fence}")


def _as_code(words: str, limit: int) -> str:
    """Leaves punctuation after the last word outside the code."""
    ended = _END.fullmatch(words)
    return code(ended[1], limit) + ended[2] if ended else code(words, limit)


def _cut(text: str, limit: int) -> str:
    shown = printable(text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[:limit]}..."


def _escaped_backticks(run: re.Match[str]) -> str:
    """Code with long sequences of backticks would need longer delimiters than GitHub supports."""
    return "\\u0060" * len(run[0])


def _fence(text: str, least: int) -> str:
    """Returns a sequence of backticks that is longer than any such sequence in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])
