"""Configures the documentation site, which `sphinx-build -W docs FOLDER` builds."""

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import generated_pages  # noqa: E402  (the module beside this one)

import brokerfuzz  # noqa: E402

project = "brokerfuzz"
release = brokerfuzz.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]

html_theme = "furo"
html_title = "brokerfuzz"
html_show_copyright = False
html_copy_source = False
smartquotes = False  # it would turn the two hyphens of options into a dash
html_static_path = ["_static"]
html_css_files = ["wide.css"]

myst_heading_anchors = 3

default_role = "code"  # docstrings write code between single back-quotes
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"

generated_pages.write(HERE / "reference")


def setup(app: Any) -> None:
    app.connect("source-read", show_titles)
    app.connect("autodoc-process-docstring", escape_patterns)


def show_titles(_app: Any, _page: str, source: list[str]) -> None:
    """Shows the title of a code block, which is the name of a file, above the block."""
    source[0] = re.sub(r'^```(\w+) title="(.*)"$', r"```{code-block} \1\n:caption: \2", source[0], flags=re.MULTILINE)


def escape_patterns(_app: Any, _what: str, name: str, _found: Any, _options: Any, lines: list[str]) -> None:
    """The descriptions of options contain patterns such as `probe:*`, which would be emphasis."""
    if name == "brokerfuzz.FireOptions":
        lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("*", r"\*") for line in lines]
