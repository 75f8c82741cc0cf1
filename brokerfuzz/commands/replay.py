"""`replay`: findings, sent again."""

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz import options
from brokerfuzz.commands import aiming
from brokerfuzz.commands.making import contract_of
from brokerfuzz.commands.output import FOUND, print_json
from brokerfuzz.commands.recorded import outcome, recorded
from brokerfuzz.contract_names import MESSAGE_TYPES

if TYPE_CHECKING:
    from brokerfuzz.campaign.replaying import Again, Replayed
    from brokerfuzz.schemas import Contract

Given = dict[str, Any]
_CASE_ID = re.compile(r"[0-9a-f]{16}")
_COLOURS = {"still there": "red", "another": "red", "gone": "green", "other verdict": "yellow", "not sent": "yellow"}


@click.command("replay", short_help="Send findings again, and say which are gone.")
@options.config_option
@click.argument("sources", metavar="JOURNAL|REPORT|CASE-ID... [URL]", nargs=-1, required=True)
@options.target_options
@options.stance_option
@options.now_option("Judge, and make the cases of ids,")
@options.contract_option
@options.json_option
def command(sources: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Send findings again, also to another target, and say which are gone.

    The findings are those of a journal, or of a report in JSON; a case of the catalogue is sent by its id. Without a target
    it is the one that they come from.

    Each line is a finding: gone, still there, another (a contradiction of another kind), or other verdict (the message is
    not any more what it was judged to be: what was in the future is past), or not sent (such a target cannot be given it).

    Exit status: 0 all are gone, 1 some are not, 2 the target cannot be reached, or the call is wrong.

    \b
    Examples:
      brokerfuzz replay run.ndjson
      brokerfuzz replay report.json http://127.0.0.1:8001/offers
      brokerfuzz replay b7e8ef5a8405ebf8 http://127.0.0.1:8000/offers --json
    """
    from brokerfuzz.campaign.freshening import Freshness
    from brokerfuzz.campaign.judging import Judge
    from brokerfuzz.campaign.replaying import replay
    from brokerfuzz.targets import looping

    ctx = click.get_current_context()
    files, url = _parted(sources)
    given = {**aiming.settled(ctx, given, url), "bugs": (), "message_type": MESSAGE_TYPES[0], "seed": 0}
    demands = contract_of(given["contract"])
    waiting: list[Again] = []
    for source in files:
        found, given = _of(source, given, demands)
        waiting += found
    if aiming.is_embedded(given):
        raise click.UsageError("no target is named: give a URL, --exec or --call", ctx)
    judge = Judge(given["now"], demands, demands.check_stances(given["stances"]))
    fresh = None if given["fresh"] is None else Freshness(given["fresh"], judge)
    with aiming.aimed(given, demands) as target:
        replayed = looping.run(replay(waiting, target, judge, concurrency=given["concurrency"], rate=given["rate"], fresh=fresh))
    _print(replayed, as_json=as_json)
    return FOUND if any(one.kind is not None for one in replayed) else 0


def _parted(sources: tuple[str, ...]) -> tuple[list[str], str | None]:
    """The sources, and the URL behind them."""
    urls = [source for source in sources if "://" in source]
    files = [source for source in sources if "://" not in source]
    if len(urls) > 1 or not files:
        raise click.UsageError("give what is to be sent again, and one URL at the most", click.get_current_context())
    return files, urls[0] if urls else None


def _of(source: str, given: Given, contract: "Contract") -> "tuple[list[Again], Given]":
    """What is to be sent again of a journal, a report or a case's id, and the parameters with its target where none was named."""
    if _CASE_ID.fullmatch(source) and not Path(source).exists():
        return [_listed(source, given["now"], contract)], given
    from brokerfuzz.campaign.replaying import of_document, of_result
    from brokerfuzz.reports.files import read_report

    if Path(source).suffix == ".json":
        document = read_report(source)
        request = document.get("request")
        aim = None if request is None or _is_secret(request) else {"url": request["url"], "method": request["method"], "headers": request["headers"]}
        return list(of_document(document)), given if not aiming.is_embedded(given) else aiming.recalled(given, aim)
    known = recorded(source)
    return list(of_result(outcome(known))), given if not aiming.is_embedded(given) else aiming.recalled(given, known.aim)


def _is_secret(request: Any) -> bool:
    return "$" in request["url"] or any(str(value).startswith("$") for _, value in request["headers"])


def _listed(case_id: str, now: datetime | None, contract: "Contract") -> "Again":
    """The catalogue's case of an id."""
    from brokerfuzz.campaign.replaying import Again
    from brokerfuzz.cases.catalogue import catalogue
    from brokerfuzz.errors import UnknownNameError

    for message_type in MESSAGE_TYPES:
        for case in catalogue(message_type, now=now, contract=contract):
            if case.id == case_id:
                return Again(f"case {case_id}", case, case.label, None)
    remedy = "the catalogue has no such case at this time: give the --now of the campaign, or its journal or report"
    raise UnknownNameError("case", case_id, [], remedy)


def _print(replayed: "list[Replayed]", *, as_json: bool) -> None:
    from brokerfuzz.wording import printable

    if as_json:
        print_json({"findings": list(map(_data, replayed))})
        return
    for one in replayed:
        got = f" ({one.answer.kind}: {printable(one.answer.reason, 200)})" if one.answer else ""
        click.echo(f"{click.style(one.outcome, fg=_COLOURS[one.outcome])}{got}: {printable(one.sentence)}")
    gone = sum(one.outcome == "gone" for one in replayed)
    click.echo(f"{gone:,} of {len(replayed):,} gone" if replayed else "there is no finding to send again")


def _data(one: "Replayed") -> dict[str, Any]:
    answer = None if one.answer is None else {"answer": one.answer.kind, "status": one.answer.status, "reason": one.answer.reason}
    return {"outcome": one.outcome, "sentence": one.sentence, "case": one.case.id, "verdict": one.label, "kind": one.kind, "got": answer}
