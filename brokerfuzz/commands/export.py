import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from brokerfuzz import options, wording
from brokerfuzz import workers as others
from brokerfuzz.cases.case import clock
from brokerfuzz.cases.clock_coverage import covered_only_with_clock
from brokerfuzz.cases.plan import Plan
from brokerfuzz.commands.chosen_cases import plans_of, recipe_of
from brokerfuzz.commands.help_sections import SECTIONS, Sectioned
from brokerfuzz.commands.option_values import CaseOptions, typed_options
from brokerfuzz.commands.output import UsageError, counted
from brokerfuzz.commands.progress import ProgressLine
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.corpus.corpus_names import check_suffix, format_from_name
from brokerfuzz.corpus.exporting import (
    Export,
    Outcome,
    check_place,
    recorded_now,
    write_corpus,
    write_shards,
    write_stream,
)
from brokerfuzz.corpus.formats import CorpusInfo, Folder, Format, format_named
from brokerfuzz.corpus.places import Place, place_of
from brokerfuzz.errors import CorpusError
from brokerfuzz.format_names import BASE64, FORMATS
from brokerfuzz.schemas import MessageType
from brokerfuzz.wording import listed
from brokerfuzz.workers import WorkerPool

_KINDS = {"rules": "rule", "techniques": "technique", "ambiguities": "ambiguity"}
_SECTIONS = {"Output": ("fmt", "base64", "force", "shards", "resume", "as_json"), **SECTIONS}


class _WithFormats(Sectioned):
    sections = _SECTIONS

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the help for the options, then the list of formats."""
        super().format_options(ctx, formatter)
        with formatter.section("Formats"):
            formatter.write_dl(list(FORMATS.items()))


@click.command("export", cls=_WithFormats, short_help="Write a corpus: messages with their verdicts.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@options.message_option
@options.verdict_option
@options.choice_options
@options.seed_option
@options.count_option("generate for each message type, in addition to the catalogue cases")
@options.random_option
@click.option(
    "--full",
    is_flag=True,
    help="Include the whole catalogue. The catalogue contains each fault at several places, and varies the other "
    "properties of the message. For "
    "any two properties of an object, the catalogue also contains every combination of their states (such as absent "
    "or null).",
)
@click.option(
    "--large",
    is_flag=True,
    help="Include messages of more than 16 KiB, such as a message of 1 MiB or of 100,000 brackets.",
)
@click.option(
    "--plausible",
    is_flag=True,
    help=(
        "Write only random valid messages with realistic values, for demonstrations and load tests. --count sets the "
        "number of messages."
    ),
)
@options.clock_option
@options.now_option("With --clock, generate the time-dependent cases")
@options.contract_option
@options.values_option
@options.format_option
@click.option(
    "--base64",
    is_flag=True,
    help="In the format `ndjson`, write every message in base64, so that any JSON parser can read the exact bytes.",
)
@click.option(
    "--shards",
    metavar="NUMBER",
    type=click.IntRange(1, 99_999),
    help="Split the corpus into this many files (shards), and also write a list of these files.",
)
@click.option("--resume", is_flag=True, help="With --shards, write only the files that are missing or incomplete.")
@options.force_option
@options.workers_option("generate random cases")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask cluster generate the random cases. ADDRESS is the address of the Dask scheduler.",
)
@options.json_option
@typed_options(cases=CaseOptions)
def command(
    out: str, message_types: "tuple[MessageType, ...]", cases: CaseOptions, full: bool, large: bool, plausible: bool,
    with_clock: bool,
    fmt: str | None, base64: bool, shards: int | None, resume: bool, force: bool, workers: int, cluster: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write a corpus: messages with their verdicts. Programs in any language can read a corpus.

    By default, the corpus is small enough for a repository. For each rule and each technique (a way to break this
    rule), the corpus contains one invalid message. Each edge (an unusual valid value) occurs once at each place where
    it is possible. Each probe (a message about a question that the contract leaves open) occurs at least once. Each
    message is as small as possible. If the contract changes, only a few lines of the corpus change. Random cases come
    last. The twin (the valid counterpart) of an invalid case comes before the invalid case.

    OUT is a file, a folder (for some formats) or a URL such as s3://bucket/name (with the extra `remote`). A file is
    compressed if its name ends in .gz or .zst. OUT appears only when the corpus is complete. If OUT already exists,
    brokerfuzz replaces it only with --force. If OUT is -, the corpus goes to standard output and the summary to
    standard error.

    Without --clock, the same options give the same corpus on any day, and its verdicts are correct at any time. The
    number of workers does not change the corpus. With --clock, the corpus also contains cases whose verdict depends on
    the current time. For example, an offer whose last update is one hour in the future is invalid only until this hour
    has passed. `corpus verify` reports the cases whose verdict is no longer correct.

    \b
    Examples:
      brokerfuzz export corpus.ndjson
      brokerfuzz export - --message offer-creation-request --verdict invalid | head -n 3
      brokerfuzz export products.ndjson --site 'productClusters[].products[].*'
      brokerfuzz export all.ndjson.zst --full
      brokerfuzz export more.ndjson --random --count 10000 --seed 7
      brokerfuzz export load.ndjson --plausible --count 10000
      brokerfuzz export - --clock --tag 'now:*' > time-dependent.ndjson
      brokerfuzz export s3://bucket/load.ndjson.zst --random --count 1000000 --shards 20 --workers 4
    """

    _check(out, shards, resume=resume)
    if plausible:
        cases = _plausible(cases, other=full or large or with_clock or workers > 1 or cluster is not None)
    _check_scope(cases, full=full, large=large)
    if cases.now is not None and not with_clock:
        raise UsageError("--now sets only the time of time-dependent cases: add --clock, or remove --now")
    if cluster is not None and workers > 1:
        raise UsageError("--cluster does not work with --workers: use only one of the two options")
    with ExitStack() as stack:
        progress = stack.enter_context(ProgressLine())
        pool = _pool(stack, workers, cluster)
        form = _format(out, fmt, base64=base64)
        message_types = _supported(form, message_types or MESSAGE_TYPES)
        place = None if out == "-" else _place(out, form, shards, force=force)
        if place is not None and shards is not None and resume and with_clock:
            cases = _resumed(cases, place, form, shards)
        scope = "whole" if full else form.scope if isinstance(form, Folder) else "essential"
        plans = plans_of(message_types, cases, clock(cases.now) if with_clock else None)
        plans = tuple(replace(plan, scope=scope, large=large, plausible=plausible) for plan in plans)
        outcome = _written(
            _export(form, plans, place, pool, progress, cases.values),
            place,
            progress,
            shards,
            force=force,
            resume=resume,
        )
    _print_summary(outcome, out, progress.seconds, shards, {} if with_clock else _not_covered(plans), as_json=as_json)


def _check(out: str, shards: int | None, *, resume: bool) -> None:
    if resume and shards is None:
        raise UsageError("--resume works only with --shards: add --shards, or remove --resume")
    if shards is not None and out == "-":
        raise UsageError("shards cannot be written to standard output: specify a file name, or remove --shards")


def _check_scope(cases: CaseOptions, *, full: bool, large: bool) -> None:
    """Raises `UsageError` for options that contradict each other or change nothing."""
    if cases.only_random and (full or large):
        option = "--full" if full else "--large"
        raise UsageError(
            f"{option} adds cases of the catalogue, but --random excludes these cases: use only one of the two options"
        )
    if full and large:
        raise UsageError("--full already includes the large messages: remove --large")


def _plausible(cases: CaseOptions, *, other: bool) -> CaseOptions:
    """Changes the options so that brokerfuzz exports only random valid messages. Raises `UsageError` if `cases` has
    filters, or if `other` says that another option contradicts `--plausible`.
    """
    if other or cases:
        raise UsageError(
            "--plausible writes only random valid messages, in one process: use it only with --message, --seed, "
            "--count, "
            "--contract and output options"
        )
    return replace(cases, only_random=True, verdicts=("valid",))


def _supported(form: "Format", message_types: "tuple[MessageType, ...]") -> "tuple[MessageType, ...]":
    """Returns only the message types that the format supports. Raises `CorpusError` if the format supports none of
    `message_types`.
    """

    if not isinstance(form, Folder):
        return message_types
    supported: tuple[MessageType, ...] = tuple(name for name in message_types if name in form.message_types)
    if not supported:
        problem = (
            f"the format `{form.name}` supports only {listed(form.message_types)}, not {listed(message_types, 'or')}"
        )
        raise CorpusError(f"{problem}: use --message {form.message_types[0]}")
    return supported


def _format(out: str, fmt: str | None, *, base64: bool) -> "Format":

    form = format_named(fmt) if fmt is not None else format_from_name(out)
    check_suffix(out, form)
    if base64 and form.name != "ndjson":
        raise UsageError(f"--base64 works only with the format `ndjson`, not with `{form.name}`: remove --base64")
    return format_named(BASE64) if base64 else form


def _place(out: str, form: "Format", shards: int | None, *, force: bool) -> "Place":
    """Raises `CorpusError` if the corpus cannot be written."""

    place = place_of(out)
    if shards is None:
        check_place(form, place, force=force)
    return place


def _resumed(cases: CaseOptions, place: "Place", form: "Format", shards: int) -> CaseOptions:
    """Returns the options for the missing shards. Without `--now`, the new shards have the same time as the existing
    shards.
    """

    return cases if cases.now is not None else replace(cases, now=recorded_now(place, form, shards))


def _pool(stack: ExitStack, workers: int, cluster: str | None) -> "WorkerPool | None":

    if cluster is not None:
        return stack.enter_context(others.cluster(cluster))
    if workers == 1:
        return None
    processes = others.Processes(workers, parent_works=True)
    stack.callback(processes.end)
    return processes


def _export(
    form: "Format", plans: "tuple[Plan, ...]", place: "Place | None", pool: "WorkerPool | None", progress: ProgressLine,
    values: str | None
) -> "Export":  # fmt: skip

    recipe, folder = recipe_of(plans, form.name, values), place.base if place is not None else ""
    about = CorpusInfo(plans[0].demands, tuple(plan.message_type for plan in plans), recipe, folder)
    return Export(plans, form, about, pool, progress)


def _written(
    export: "Export", place: "Place | None", progress: ProgressLine, shards: int | None, *, force: bool, resume: bool
) -> "Outcome":

    if not all(plan.only_random for plan in export.plans):
        progress.say("generating the catalogue ...")
    progress.total = export.total
    if place is None:
        return write_stream(export, sys.stdout.buffer)
    if shards is None:
        return write_corpus(export, place, force=force)
    return write_shards(export, place, shards, force=force, resume=resume)


def _not_covered(plans: "tuple[Plan, ...]") -> dict[str, list[str]]:
    """Returns the rules, techniques and ambiguities that only time-dependent cases cover."""

    found: dict[str, list[str]] = {}
    for plan in plans:
        for kind, names in covered_only_with_clock(plan).items():
            found.setdefault(kind, []).extend(names)
    return found


def _print_summary(
    outcome: "Outcome",
    out: str,
    seconds: float,
    shards: int | None,
    not_covered: dict[str, list[str]],
    *,
    as_json: bool,
) -> None:
    summary, err = outcome.summary, out == "-"
    written = summary.by_message()
    if as_json:
        more: dict[str, Any] = {} if shards is None else {"shards": shards, "kept": outcome.kept}
        more |= {"left_out": outcome.left_out} if outcome.left_out else {}
        more |= {"covered_only_with_clock": not_covered} if not_covered else {}
        data = {
            "out": out,
            "cases": summary.count,
            "bytes": outcome.bytes,
            "seconds": round(seconds, 3),
            **more,
            "messages": written,
        }
        click.echo(json.dumps(data), err=err)
        return
    where = (
        "standard output" if err else click.format_filename(out) + ("" if shards is None else f", in {shards:,} shards")
    )
    duration = f" in {seconds:,.1f} s" if sys.stderr.isatty() else ""
    click.echo(f"{summary.count:,} cases written to {where} ({outcome.bytes:,} bytes{duration})", err=err)
    if outcome.kept:
        click.echo(f"  {outcome.kept:,} cases already existed", err=err)
    for reason, count in outcome.left_out.items():
        click.echo(f"  left out: {count:,} case{'' if count == 1 else 's'} {reason}", err=err)
    for name, counts in written.items():
        click.echo(f"  {name}: {counted(counts)}", err=err)
    if not_covered:
        click.echo(f"  not covered without --clock: {_numbers(not_covered)} (--json lists them)", err=err)


def _numbers(names: dict[str, list[str]]) -> str:

    return wording.listed(wording.counted(len(names[kind]), one) for kind, one in _KINDS.items() if kind in names)
