import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import UsageError, note, show_message
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.explaining.cases import CASE_ID, case_summary, in_catalogue
from brokerfuzz.explaining.description import Description
from brokerfuzz.explaining.names import explain, matches, names_with
from brokerfuzz.option import Option, SectionedCommand, on_command_line
from brokerfuzz.options import ExplainOptions, explained
from brokerfuzz.reports import facts
from brokerfuzz.reports.fact import text_lines
from brokerfuzz.reports.report_files import read_report
from brokerfuzz.schemas import Contract
from brokerfuzz.wording import printable

FINDING_ID = re.compile("[0-9a-f]{8,16}")


@click.command("explain", cls=SectionedCommand)
@click.argument("name", metavar="NAME", shell_complete=Option(help="", names=explained).complete)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(readable=False))
@on_command_line(ExplainOptions)
def command(name: str, files: tuple[str, ...], options: ExplainOptions) -> None:
    """Explain a rule, technique, ambiguity, seeded bug, case or finding in plain words. The explanation of a rule, a
    technique or an ambiguity contains an example and its twin (the valid counterpart).

    NAME can be a part of a name; if several names contain it, brokerfuzz lists them. It can also be the ID of a case in
    the catalogue or, with a JSON report as FILE, of a finding or a message in this report. For the cases of a corpus,
    use `corpus show`.

    \b
    Examples:
      brokerfuzz explain offer-creation-request/orderMinimum:minimum
      brokerfuzz explain orderMinimum
      brokerfuzz explain numeric-string
      brokerfuzz explain 1f0c2a5e report.json
    """
    if files:
        if not FINDING_ID.fullmatch(name):
            raise UsageError("a FILE works only with the ID of a case or a finding: specify an ID, or remove the FILE")
        description = _recorded(name, files)
    else:
        description = _named(name, contract_of(options), options["now"])
    show_message(description, as_json=options["json"])


def _named(name: str, contract: Contract, now: datetime | None) -> Description:
    """Explains `name`. If the name is unknown, lists all names that contain `name`. If only one name contains `name`,
    explains this name.
    """
    with suppress(UnknownNameError):
        return explain(name, contract, now)
    if FINDING_ID.fullmatch(name):
        if CASE_ID.fullmatch(name) and (numbered_case := in_catalogue(name, contract, now)) is not None:
            number, case = numbered_case
            return case_summary(case, contract, number)
        remedy = "add the JSON report that contains this ID, or use `brokerfuzz corpus show CORPUS ID`"
        raise UnknownNameError("ID", name, (), remedy)
    similar = names_with(name, contract)
    if len(similar) > 1:
        return matches(name, similar)
    if similar:
        note(f"no name is exactly {name!r}, so brokerfuzz explains {similar[0].name!r}")
        name = similar[0].name
    return explain(name, contract, now)


# --------------------------------------------------------------------------------------------------- cases and findings


def _recorded(wanted: str, paths: Sequence[str]) -> Description:
    for path in paths:
        document = read_report(path)
        for finding in document["findings"]:
            messages = (finding[name] for name in ("case", "smallest", "twin"))
            ids = {message.get("id") for message in messages if message is not None}
            if finding["name"] == wanted or wanted in ids:
                return _finding_summary(finding)
    remedy = f"no case and no finding in {', '.join(paths)} has this ID; specify another ID or file"
    raise UnknownNameError("ID", wanted, (), remedy)


def _finding_summary(finding: Mapping[str, Any]) -> Description:
    title = [f"{finding['name']} (finding)", "", facts.sentence_of(finding)]
    failing = ["", "what fails:", *(f"  {printable(entry)}" for entry in finding["failing"])]
    return Description([*title, *text_lines(facts.facts_of(finding)), *failing], {"finding": dict(finding)})
