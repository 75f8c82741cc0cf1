"""Writes policies into an existing configuration file.

brokerfuzz inserts lines and does not write the whole file again, so comments remain. brokerfuzz tries several positions
for the new lines. A position is correct if the parsed file then contains exactly the old settings and the new policies.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brokerfuzz.configuration.files import above, ours, parsed, text_of
from brokerfuzz.configuration.spelling import spelled, spelled_key
from brokerfuzz.configuration.templates import put, template
from brokerfuzz.configuration.validating import validated
from brokerfuzz.errors import ConfigurationError
from brokerfuzz.file_contents import read_file

if TYPE_CHECKING:
    from brokerfuzz.schemas import Contract

POLICIES = "policies"
_MARK = "\ufeff"
_ANY_HEADER = re.compile(r"[ \t]*\[")
_ANY_KEY = re.compile(r"[ \t]*[\w\"'-][^#]*=")


def pin_policies(
    path: Path, policies: Mapping[str, str | Sequence[str]], contract: "Contract | None" = None
) -> list[str]:
    """Writes policies into the section `[policies]` of a configuration, and returns the IDs of the new policies.

    Existing policies do not change. If the section contains a comment such as `# byte-order-mark = [...]`, a new policy
    for `byte-order-mark` replaces this comment. If the file is missing, brokerfuzz creates it from the template. Raises
    `ConfigurationError` if the policies cannot be written, or if `path` is a missing `pyproject.toml`.
    """
    from brokerfuzz.atomic_files import held

    if not path.exists() and above(path):
        raise ConfigurationError(
            f"{path} does not exist: specify an existing file, or create it with `brokerfuzz init`"
        )
    with held(path.parent, waits=True):  # so that two campaigns do not overwrite the policies of each other
        return _pin(path, policies, contract)


def _pin(path: Path, policies: Mapping[str, str | Sequence[str]], contract: "Contract | None") -> list[str]:
    exists = path.exists()
    text = text_of(path) if exists else template(contract)
    content = parsed(path, text)
    values = ours(content, path)
    pinned = {} if values is None else validated(values, path, above(path)).get(POLICIES, {})
    new = {ambiguity: _policy_value(policy) for ambiguity, policy in policies.items() if ambiguity not in pinned}
    validated({POLICIES: new}, path, above(path))
    if new:
        mark = _MARK if exists and read_file(path).startswith(_MARK.encode()) else ""
        put(path, mark + _with_policies(text, new, path))
    return list(new)


def _policy_value(interpretations: str | Sequence[str]) -> Any:
    """Converts a single interpretation to a string or an integer (a number of seconds), and several interpretations to
    an array.
    """
    each = interpretations if isinstance(interpretations, list | tuple) else [interpretations]
    values = [int(one) if isinstance(one, str) and one.isdigit() else one for one in each]
    return values[0] if len(values) == 1 else values


def _with_policies(text: str, policies: Mapping[str, Any], path: Path) -> str:
    names = (*above(path), POLICIES)
    lines = {ambiguity: f"{spelled_key(ambiguity)} = {spelled(policy)}" for ambiguity, policy in policies.items()}
    wanted = _joined(_read(text), names, policies)
    for changed in _possible_texts(text, names, lines) if wanted is not None else ():
        if _read(changed) == wanted:
            return changed
    raise ConfigurationError(
        f"{path}: brokerfuzz cannot insert policies into this file: add {', '.join(lines.values())} to the table "
        f"{'.'.join(names)} yourself"
    )


def _joined(content: Any, names: tuple[str, ...], policies: Mapping[str, Any]) -> Any:
    """Adds policies to a table of the parsed file, and returns the result. `names` is the path of the table, such as
    `tool`, `brokerfuzz`, `policies`. Returns None if one of these names has a value that is not a table.
    """
    if not isinstance(content, dict):
        return None
    if not names:
        return {**content, **policies}
    inner = _joined(content.get(names[0], {}), names[1:], policies)
    return None if inner is None else {**content, names[0]: inner}


def _read(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(text, parse_float=str)
    except ValueError:
        return None


def _possible_texts(text: str, names: tuple[str, ...], lines: Mapping[str, str]) -> Iterator[str]:
    """Inserts the `lines` at different positions, and yields a changed text for each position. The most likely position
    comes first.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    text += "" if text.endswith("\n") or not text else end
    path = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in names)
    for header in re.finditer(rf"^[ \t]*\[[ \t]*{path}[ \t]*\][ \t]*(#[^\n]*)?\r?\n", text, re.MULTILINE):
        yield _below_header(text[: header.end()], text[header.end() :], lines, end)
    for table in re.finditer(rf"{POLICIES}[\"']?[ \t]*=[ \t]*\{{", text):
        before, after = text[: table.end()], text[table.end() :]
        between = "" if after.lstrip().startswith("}") else ","
        yield f"{before} {', '.join(lines.values())}{between}{after}"
    for sibling in re.finditer(rf"^[^\n#=]*?{POLICIES}[\"']?[ \t]*\.[ \t]*", text, re.MULTILINE):
        before, after = text[: sibling.start()], text[sibling.start() :]
        yield before + "".join(f"{sibling[0]}{line}{end}" for line in lines.values()) + after
    yield text + end.join([*([""] if text else []), f"[{'.'.join(names)}]", *lines.values(), ""])


def _below_header(before: str, after: str, lines: Mapping[str, str], end: str) -> str:
    """Inserts `lines` into the section whose header is at the end of `before`. If the section has a comment with the
    key of a line, the line replaces this comment. Otherwise, brokerfuzz inserts the line after the last key of the
    section.
    """
    below = after.split("\n")
    size = next((index for index, line in enumerate(below) if _ANY_HEADER.match(line)), len(below))
    section, rest = below[:size], below[size:]
    carriage = end[:-1]
    missing = []
    for ambiguity, line in lines.items():
        unset = re.compile(rf"[ \t]*#[ \t]*{re.escape(spelled_key(ambiguity))}[ \t]*=[ \t]*\[[^\]\r]*\][ \t]*\r?")
        place = next((index for index, old in enumerate(section) if unset.fullmatch(old)), None)
        if place is None:
            missing.append(line + carriage)
        else:
            section[place] = line + carriage
    last = max((index for index, line in enumerate(section) if _ANY_KEY.match(line)), default=-1)
    section[last + 1 : last + 1] = missing
    return before + "\n".join([*section, *rest])
