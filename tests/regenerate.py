"""`python -m tests.regenerate` brings all generated files of the repository up to date, and shows what changed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from click.testing import CliRunner

from brokerfuzz.cli import commands
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, load_contract
from brokerfuzz.schemas.flattening import conditions_of, types_of
from brokerfuzz.schemas.keywords import Schema, conjoin
from brokerfuzz.wording import counted, with_article

ROOT = Path(__file__).parents[1]
CORPUS = "brokerfuzz/corpus/data"
GOLDEN = {
    "tests/cli/golden": "tests/cli/test_explaining.py",
    "tests/reports/golden": "tests/reports/test_golden_reports.py",
}
"""Maps folders of expected outputs to the tests that write them."""
_SHOWN, _WIDTH = 8, 110


def _typed() -> None:
    (ROOT / "brokerfuzz/typed.py").write_text(typed_source(load_contract()), encoding="utf-8")


def _rule_ids() -> None:
    ids = "".join(f"{rule_id}\n" for rule_id in load_contract().rules_by_id)
    (ROOT / "tests/schemas/rule_ids.txt").write_text(ids, encoding="utf-8")


def _corpus() -> None:
    for name in MESSAGE_TYPES:
        out = str(ROOT / CORPUS / f"{name}.ndjson")
        done = CliRunner().invoke(commands, ["export", out, "--message", name, "--force"])
        assert done.exit_code == 0, done.output


def _golden() -> None:
    """Tests with `as_expected` in their names write the files with which they compare."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", "", "-k", "as_expected", *GOLDEN.values()]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "UPDATE_GOLDEN": "1"}, check=True, capture_output=True)


def _contents() -> dict[str, str]:
    """Maps the names of the generated files to their contents."""
    folders = [path for folder in (CORPUS, *GOLDEN) for path in (ROOT / folder).iterdir()]
    files = [ROOT / "brokerfuzz/typed.py", ROOT / "tests/schemas/rule_ids.txt", *sorted(folders)]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


def _changes(name: str, before: str, after: str) -> Iterator[str]:
    """Yields the number of lines that differ, and some of them."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    changed = [line for line in lines if not line.startswith("@@")]
    added, removed = (sum(line.startswith(sign) for line in changed) for sign in "+-")
    yield f"{name}: {counted(added, 'line')} added, {removed:,} removed"
    yield from (f"  {line[:_WIDTH]}" for line in changed[:_SHOWN])
    yield from [f"  … {len(changed) - _SHOWN} more lines"] if len(changed) > _SHOWN else []


def main() -> None:
    before = _contents()
    for write in (_typed, _rule_ids, _corpus, _golden):
        write()
    after = _contents()
    names = [name for name in after if after[name] != before.get(name)]
    for name in names:
        print("\n".join(_changes(name, before.get(name, ""), after[name])))
    print(f"{len(names)} of {len(after)} generated files changed")


# ------------------------------------------------------------------------------------------------------ brokerfuzz/typed


_HEAD = '''"""The message types as Python TypedDicts. `python -m tests.regenerate` writes this file.

To change it, change the schemas.
"""

from typing import Literal, NotRequired, TypedDict

__all__ = [
{exported}
]
'''
_OF_SCALARS = {"boolean": "bool", "integer": "int", "number": "float", "string": "str"}


def typed_source(contract: Contract) -> str:
    """Returns the source of `brokerfuzz/typed.py`: a TypedDict for each object, nested ones first.

    The `title` of an object's schema is the name of its class: "Price tier" becomes `PriceTier`. If the `then` schema
    of a condition has a title, the messages that meet the condition have their own class, such as `ProductListOffer`.
    """
    classes = _Classes()
    for message_type, schema in contract.flat.items():
        classes.message = with_article(message_type.replace("-", " "))
        classes.add(_camel(message_type), schema, "")
        for condition in conditions_of(schema):
            if "title" in condition["then"]:
                classes.add(_camel(condition["then"]["title"]), _meeting(condition, schema), "")
    exported = "\n".join(f'    "{name}",' for name in sorted(classes.sources))
    return _HEAD.format(exported=exported) + "\n\n".join(["", *classes.sources.values()])


def _meeting(condition: Schema, schema: Schema) -> Schema:
    """Combines a schema with a condition and the `then` schema of this condition. The properties have the same order as
    in `schema`.
    """
    met = conjoin(condition["then"], conjoin(condition["if"], schema))
    return {**met, "properties": {name: met["properties"][name] for name in schema["properties"]}}


def _camel(words: str) -> str:
    """Converts `offer-creation-request` or `Offer creation request` to the name of a class."""
    return "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", words))


class _Classes:
    """Collects the sources of the classes. Each class comes after the classes that it uses."""

    def __init__(self) -> None:
        self.message = ""
        self.sources: dict[str, str] = {}
        self._of_schema: dict[str, str] = {}

    def add(self, name: str, schema: Schema, path: str) -> None:
        summary = schema.get("description") or f"An item of `{path.removesuffix('[]')}` in {self.message}."
        lines = [f"class {name}(TypedDict):", f'    """{summary}"""', ""]
        for prop, inner in schema["properties"].items():
            annotation = self._annotation(inner, path_below(path, prop))
            is_required = prop in schema.get("required", ())
            lines.append(f"    {prop}: {annotation if is_required else f'NotRequired[{annotation}]'}")
            if "description" in inner:
                lines.append(f'    """{inner["description"]}"""')
        self.sources[name] = "\n".join(lines) + "\n"

    def _annotation(self, schema: Schema, path: str) -> str:
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value, ensure_ascii=False) for value in schema['enum'])}]"
        types = types_of(schema)
        found = [name for json_type, name in _OF_SCALARS.items() if json_type in types]
        if "array" in types:
            found.append(f"list[{self._annotation(schema['items'], path + '[]')}]")
        if "object" in types:
            found.append(self._object(schema, path))
        return " | ".join([*found, "None"] if "null" in types else found)

    def _object(self, schema: Schema, path: str) -> str:
        """Returns the name of the class of an object. Equal schemas at the same site share one class."""
        key = json.dumps([path, schema])
        if key not in self._of_schema:
            self._of_schema[key] = _camel(schema["title"])
            self.add(self._of_schema[key], schema, path)
        return self._of_schema[key]


if __name__ == "__main__":
    main()
