import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import click

from brokerfuzz.campaign.judge import Judge
from brokerfuzz.campaign.replaying import PlainMessages, Replayed, ReplayRequest, of_document, replay
from brokerfuzz.case_options import contract_of
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.fresh_values import FreshValues, check_property
from brokerfuzz.commands import target_kinds, targets
from brokerfuzz.commands.output import UsageError, is_quiet, print_json
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.exit_status import FAILED, FOUND
from brokerfuzz.explaining.cases import CASE_ID, in_catalogue
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import ReplayOptions
from brokerfuzz.reports.report_files import read_report
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.targets import threads
from brokerfuzz.wording import counted, listed, printable

_COLOURS = {
    "still there": "red",
    "another": "red",
    "gone": "green",
    "unproven": "yellow",
    "other verdict": "yellow",
    "not sent": "yellow",
}


@click.command("replay", cls=SectionedCommand)
@click.argument("sources", metavar="REPORT|CASE-ID... [URL]", nargs=-1, required=True)
@on_command_line(ReplayOptions, defaults=False)
def command(sources: tuple[str, ...], options: ReplayOptions) -> int:
    """Send the messages of findings again, and report which findings are gone.

    brokerfuzz reads the findings from a JSON report, and sends the smallest message of each. If a finding shows at
    several places, only a new campaign tries all of them. You can also specify the ID of a case in the catalogue.
    Specify the target on the command line or in the configuration, because brokerfuzz does not use the target in the
    report. If the campaign used --fresh, `replay` gives the same property a new value in each message.

    \b
    Each line of the output is about one finding:
      gone           it does not occur any more
      still there    it occurs again
      another        the answer contradicts the contract in another way, or a
                     valid message is rejected for another reason
      unproven       the target rejects valid messages, too, so the rejection
                     of this message proves nothing
      other verdict  brokerfuzz now judges the message differently, for example
                     because a date has passed
      not sent       this target cannot receive the message

    Exit status: 0 all findings are gone; 1 some findings still occur; 2 no finding occurs, but some are unproven or
    were not sent, usage error, or the target cannot be reached.

    \b
    Examples:
      brokerfuzz replay report.json http://127.0.0.1:8000/offers
      brokerfuzz replay report.json --exec 'node read.js'
      brokerfuzz replay b7e8ef5a8405ebf8 http://127.0.0.1:8000/offers --json
    """
    files, url = _split(sources)
    usage = shlex.join(["brokerfuzz", "replay", *files, "TARGET"])
    options = targets.with_settings(ReplayOptions, options, url, usage)
    contract = contract_of(options)
    read = [_read(source, options, contract) for source in files]
    judge = Judge(options["now"], contract, contract.check_policies(options["policies"]))
    waiting = [again for source in read for again in source.requests]
    fresh = _fresh_values(_fresh_of(read, options, waiting, contract), waiting, judge)
    plain: PlainMessages = {
        message_type: plain_messages(message_type, contract=contract) for message_type in contract.message_types
    }
    with target_kinds.opened_target({**options, "message": _type_of(waiting, contract)}) as target:
        replayed = threads.run(replay(waiting, target, judge, plain, fresh, options))
    _print(replayed, as_json=options["json"])
    return _status(replayed)


def _status(replayed: list[Replayed]) -> int:
    outcomes = {result.outcome for result in replayed}
    if outcomes & {"still there", "another"}:
        return FOUND
    return 0 if outcomes <= {"gone"} else FAILED


def _split(sources: tuple[str, ...]) -> tuple[list[str], str | None]:
    urls = [source for source in sources if "://" in source or not source]
    files = [source for source in sources if source not in urls]
    if len(urls) > 1 or not files:
        raise UsageError("specify at least one report or case ID, and at most one URL")
    return files, urls[0] if urls else None


class _Source(NamedTuple):
    """The messages of a report, and the property that got a new value in each message."""

    requests: Sequence[ReplayRequest]
    fresh: str | None = None


def _read(source: str, options: ReplayOptions, contract: Contract) -> _Source:
    """`source` is a report, or the ID of a case in the catalogue."""
    if CASE_ID.fullmatch(source) and not Path(source).exists():
        return _Source([_catalogue_case(source, options["now"], contract)])
    document = read_report(source)
    return _Source(list(of_document(document)), document.get("fresh"))


def _fresh_of(
    read: Sequence[_Source], options: ReplayOptions, waiting: Sequence[ReplayRequest], contract: Contract
) -> str | None:
    names = {source.fresh for source in read if source.fresh is not None}
    if len(names) > 1 and options["fresh"] is None:
        raise UsageError(
            f"the campaigns used --fresh for different properties ({listed(sorted(names))}): specify one file at a time"
        )
    return targets.fresh_property(options, next(iter(names), None), _type_of(waiting, contract), contract)


def _type_of(waiting: Sequence[ReplayRequest], contract: Contract) -> MessageType:
    return waiting[0].case.message_type if waiting else contract.message_types[0]


def _fresh_values(name: str | None, waiting: Sequence[ReplayRequest], judge: Judge) -> FreshValues | None:
    if name is None:
        return None
    message_types: set[MessageType] = {again.case.message_type for again in waiting}
    for message_type in message_types:
        check_property(name, message_type, judge.contract)
    return FreshValues(name, judge.of)


def _catalogue_case(case_id: str, now: datetime | None, contract: Contract) -> ReplayRequest:
    numbered_case = in_catalogue(case_id, contract, now)
    if numbered_case is None:
        remedy = (
            "the catalogue does not contain this case; use the same --now as the campaign, or specify the report of "
            "the campaign"
        )
        raise UnknownNameError("case", case_id, [], remedy)
    _, case = numbered_case
    return ReplayRequest(f"case {case_id}", case, case.label, None)


def _print(replayed: list[Replayed], *, as_json: bool) -> None:
    if as_json:
        print_json({"findings": list(map(_data, replayed))})
        return
    for result in () if is_quiet() else replayed:
        answered = f"{result.answer.kind}: {printable(result.answer.reason, 200)}" if result.answer else ""
        details = "; ".join(part for part in (answered, printable(result.why, 300)) if part)
        got = f" ({details})" if details else ""
        click.echo(
            f"{click.style(result.outcome, fg=_COLOURS[result.outcome])}{got}: {printable(result.again.sentence)}"
        )
    click.echo(_summary(replayed) if replayed else "no findings to send again")


def _summary(replayed: list[Replayed]) -> str:
    counts = Counter(result.outcome for result in replayed)
    gone = counts.pop("gone", 0)
    verb = "is" if 1 in {gone, len(replayed)} else "are"
    other_outcomes = "".join(f", {count:,} {outcome}" for outcome, count in counts.items())
    return f"{gone:,} of {counted(len(replayed), 'finding')} {verb} gone{other_outcomes}"


def _data(result: Replayed) -> dict[str, Any]:
    again, got = result.again, result.answer
    answer = None if got is None else {"answer": got.kind, "status": got.status, "reason": got.reason}
    about = {"outcome": result.outcome, "why": result.why, "sentence": again.sentence, "case": again.case.id}
    return {**about, "verdict": result.label, "kind": result.kind, "got": answer}
