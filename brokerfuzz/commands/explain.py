import sys
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from textwrap import wrap

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import UsageError, note, print_explanation, print_json, print_lines
from brokerfuzz.commands.recorded_things import CASE_ID, FINDING_ID, Explained, find
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.explaining import explain, names_with
from brokerfuzz.explaining.explanations import NamedThing
from brokerfuzz.explaining.listings import table
from brokerfuzz.explaining.single_cases import in_catalogue
from brokerfuzz.option import Option, SectionedCommand, on_command_line
from brokerfuzz.options import ExplainOptions, explained
from brokerfuzz.wording import printable


@click.command("explain", cls=SectionedCommand)
@click.argument("name", metavar="NAME", shell_complete=Option(help="", names=explained).complete)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@on_command_line(ExplainOptions)
def command(name: str, files: tuple[str, ...], options: ExplainOptions) -> None:
    """Explain a rule, technique, ambiguity, seeded bug, case or finding in plain words. The explanation of a rule, a
    technique or an ambiguity contains an example and its twin (the valid counterpart).

    NAME can also be a part of a name. If several names contain this part, brokerfuzz lists all of them.

    NAME can also be the ID of a case in the catalogue. If you specify a corpus or a journal as FILE, NAME can be the ID
    of a case in this FILE. If you specify a journal, a JSON report or a baseline as FILE, NAME can be the ID of a
    finding in this FILE. You can shorten the ID of a finding to its first eight digits.

    \b
    Examples:
      brokerfuzz explain offer-creation-request/orderMinimum:minimum
      brokerfuzz explain orderMinimum
      brokerfuzz explain numeric-string
      brokerfuzz explain 1f0c2a5e run.ndjson
    """
    as_json = options["json"]
    if files:
        if not FINDING_ID.fullmatch(name):
            raise UsageError("a FILE works only with the ID of a case or a finding: specify an ID, or remove the FILE")
        _print(find(name, files, options["contract"]), as_json=as_json)
        return
    found = _found(name, options)
    if not isinstance(found, list):
        _print(found, as_json=as_json)
    elif as_json:
        print_json({"matches": [match._asdict() for match in found]})
    else:
        _print_matches(name, found)


def _found(name: str, options: ExplainOptions) -> Explained | list[NamedThing]:
    """Explains `name`. If the name is unknown, returns all names that contain `name`. If only one name contains `name`,
    explains this name.
    """
    contract, now = contract_of(options), options["now"]
    try:
        return explain(name, contract=contract, now=now)
    except UnknownNameError:
        if FINDING_ID.fullmatch(name):
            if CASE_ID.fullmatch(name) and (case := in_catalogue(name, contract=contract, now=now)) is not None:
                return case
            remedy = (
                "if this ID belongs to a case or a finding, add the corpus, journal, JSON report or baseline "
                "that contains it"
            )
            raise UnknownNameError("ID", name, (), remedy) from None
        matches = names_with(name, contract)
        if not matches:
            raise
        if len(matches) > 1:
            return matches
        note(f"no name is exactly {name!r}, so brokerfuzz explains {matches[0].name!r}")
        return explain(matches[0].name, contract=contract, now=now)


def _print(explained: Explained, *, as_json: bool) -> None:
    if as_json:
        print_json(explained.data())
        return
    print_explanation(_wrapped(explained.lines()))


def _print_matches(name: str, matches: Sequence[NamedThing]) -> None:
    click.echo(f"These names contain {printable(name)!r}:")
    click.echo()
    print_lines(table([match._asdict() for match in matches], ("name", "kind", "text")))


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    width = max(get_terminal_size().columns, 40) if sys.stdout.isatty() else sys.maxsize
    for line in lines:
        if line.startswith((" ", "- ", "+ ")):  # a part of a message
            yield line
            continue
        yield from wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
