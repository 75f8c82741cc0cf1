import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import PurePosixPath
from time import monotonic
from typing import Any

import click

from brokerfuzz import wording, workers
from brokerfuzz.case_options import contract_of, has_filters, message_types_of, plans_of
from brokerfuzz.cases.case import Case, supported_time
from brokerfuzz.cases.catalogue import ONLY_RANDOM, CaseSet
from brokerfuzz.cases.fresh_values import check_property
from brokerfuzz.commands.output import UsageError, print_json
from brokerfuzz.commands.progress import Progress, show_line
from brokerfuzz.corpus.exporting import Export
from brokerfuzz.corpus.formats import CorpusInfo, Format, format_named
from brokerfuzz.corpus.shards import write_shards
from brokerfuzz.corpus.writing import Summary, write_corpus, write_stream
from brokerfuzz.errors import CorpusError
from brokerfuzz.format_names import FORMATS
from brokerfuzz.generation.plausible.streams import today
from brokerfuzz.option import SectionedCommand, on_command_line, words_of
from brokerfuzz.options import ExportOptions
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.instants import spell
from brokerfuzz.storage import place_of, suffix

_NOT_OF_CASES = ("force", "json", "resume", "shards", "workers")
"""The options that change no case."""
_NDJSON = ("", ".ndjson", ".jsonl")
"""The suffixes of files with one case per line."""


class _WithFormats(SectionedCommand):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Formats"):
            formatter.write_dl(list(FORMATS.items()))


@click.command("export", cls=_WithFormats)
@click.argument("out", metavar="OUT|-", type=click.Path(readable=False))
@on_command_line(ExportOptions)
def command(out: str, options: ExportOptions) -> None:
    """Write a corpus: messages with their verdicts. Programs in any language can read a corpus.

    By default, the corpus is small enough for a repository: it breaks each rule once with each technique (inside arrays
    also in the second item), and contains each edge (an unusual valid value) and each probe (a message about a question
    that the contract leaves open). Each message is as small as possible. The twin (the valid counterpart) of an invalid
    case comes before the invalid case.

    OUT is a file, a folder (for some formats) or a URL such as s3://bucket/name (with the extra `remote`). A file is
    compressed if its name ends in .gz or .zst. OUT appears only when the corpus is complete. If OUT already exists,
    brokerfuzz replaces it only with --force. Your own files in a folder stay. If OUT is -, the corpus goes to standard
    output and the summary to standard error.

    Without --clock, the same options give the same corpus on any day, and its verdicts are correct at any time. With
    --clock, the corpus also contains cases whose verdict depends on the current time: an offer whose last update is one
    hour in the future is invalid only until this hour has passed.

    \b
    Examples:
      brokerfuzz export corpus.ndjson
      brokerfuzz export - --message offer-creation-request --verdict invalid | head -n 3
      brokerfuzz export products.ndjson --rule 'productClusters[].products[].*'
      brokerfuzz export all.ndjson.zst --full
      brokerfuzz export more.ndjson --random 10000 --seed 7
      brokerfuzz export load.ndjson --plausible 10000
      brokerfuzz export - --clock --tag 'now:*' > time-dependent.ndjson
      brokerfuzz export s3://bucket/load.ndjson.zst --random 1000000 --shards 20 --workers 4
    """
    _check_options(out, options)
    begun, progress = monotonic(), Progress()
    with ExitStack() as stack:
        form = _format(out, options)
        if options["base64"] and form.name != "ndjson":
            raise UsageError(f"--base64 works only with the format `ndjson`, not with `{form.name}`: remove --base64")
        contract = contract_of(options)
        message_types = _supported(form, message_types_of(options, contract), contract)
        chosen_sets = _chosen_sets(options)
        case_set = chosen_sets[0] if chosen_sets else form.case_set
        count = options["plausible"] or options["random"] or 0
        plans = plans_of(message_types, options, case_set, count, _present(options))
        if (fresh := options["fresh"]) is not None:
            for plan in plans:
                check_property(fresh, plan.message_type, plan.loaded_contract)
        info = CorpusInfo(
            plans[0].loaded_contract, message_types, _recipe(options, form, plans[0].now), place_of(out).name,
            by_case=options["by_case"], base64=options["base64"],
        )  # fmt: skip
        pool = None if options["workers"] == 1 else stack.enter_context(workers.started(options["workers"]))
        export = Export(plans, pool, fresh)
        summary = _write_corpus(export, form, out, info, progress, options)
    for warning in info.warnings:
        click.echo(f"warning: {warning}", err=True)
    _print_summary(summary, out, monotonic() - begun, sum(plan.left_out_without_time for plan in plans), options)


def _format(out: str, options: ExportOptions) -> Format:
    """Raises `CorpusError` if --format is missing, and OUT has the suffix of something other than ndjson."""
    if options["format"] is not None:
        return format_named(options["format"])
    end = PurePosixPath(out.removesuffix(suffix(out))).suffix
    if end not in _NDJSON:
        raise CorpusError(f"{out} ends in {end}: use a name that ends in .ndjson, or add --format")
    return format_named("ndjson")


def _check_options(out: str, options: ExportOptions) -> None:
    if options["resume"] and options["shards"] is None:
        raise UsageError("--resume works only with --shards: add --shards, or remove --resume")
    if options["shards"] is not None and out == "-":
        raise UsageError("shards cannot be written to standard output: specify a file name, or remove --shards")
    chosen = _chosen_sets(options)
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} choose different cases: use only one of them")
    if options["clock"] and chosen and chosen[0] in ONLY_RANDOM:
        raise UsageError(f"--clock adds cases of the catalogue, but --{chosen[0]} excludes these cases: remove --clock")
    if options["plausible"] and has_filters(options):
        raise UsageError("--plausible writes only plausible valid messages: remove all filters except --message")
    if options["resume"] and options["clock"] and options["now"] is None:
        raise UsageError("the new shards must have the same time as the existing ones: add --now with their time")
    if options["now"] is not None and not options["clock"] and not options["plausible"]:
        raise UsageError("--now sets only the time of time-dependent cases: add --clock, or remove --now")


def _present(options: ExportOptions) -> datetime | None:
    """Returns the time that counts as the present (None: no message depends on the time)."""
    if options["plausible"]:
        return supported_time(options["now"] or today())
    return supported_time(options["now"]) if options["clock"] else None


def _chosen_sets(options: ExportOptions) -> list[CaseSet]:
    """Returns the sets that exclude each other. Random cases can follow those of the catalogue."""
    wanted: dict[CaseSet, bool] = {
        "full": options["full"],
        "large": options["large"],
        "random": options["random"] is not None and not (options["full"] or options["large"]),
        "plausible": options["plausible"] is not None,
    }
    return [case_set for case_set, is_wanted in wanted.items() if is_wanted]


def _supported(form: Format, message_types: tuple[MessageType, ...], contract: Contract) -> tuple[MessageType, ...]:
    allowed = form.supported(contract)
    supported = tuple(name for name in message_types if name in allowed)
    if not supported:
        only = f"{form.direction}s ({wording.listed(allowed) if allowed else 'none in this contract'})"
        remedy = f"use --message {allowed[0]}" if allowed else "use another format"
        raise CorpusError(
            f"the format `{form.name}` supports only {only}, not {wording.listed(message_types, 'or')}: {remedy}"
        )
    return supported


def _recipe(options: ExportOptions, form: Format, now: datetime | None) -> str:
    """Returns the options with which `export` generates the same cases again. If a file name is not UTF-8, the options
    contain its invalid bytes as escapes.
    """
    same = {name: value for name, value in options.items() if name not in _NOT_OF_CASES}
    words = words_of(ExportOptions, {**same, "format": form.name, "now": None if now is None else spell(now)})
    return shlex.join(words).encode(errors="backslashreplace").decode()


def _write_corpus(
    export: Export, form: Format, out: str, info: CorpusInfo, progress: Progress, options: ExportOptions
) -> Summary:
    if options["shards"] is not None:
        force, resume = options["force"], options["resume"]
        return write_shards(
            export, form, out, options["shards"], info, force=force, resume=resume, counting=progress.counting
        )
    cases = progress.counting(_cases(export))
    if out == "-":
        return write_stream(sys.stdout.buffer, form, cases, info)
    return write_corpus(out, form, cases, info, force=options["force"])


def _cases(export: Export) -> Iterator[Case]:
    """The catalogue is generated after the existing files were checked."""
    if export.plans[0].case_set not in ONLY_RANDOM:
        show_line("generating the catalogue ...")
    total = export.total
    show_line("")
    yield from export.cases(0, total)


def _print_summary(summary: Summary, out: str, seconds: float, time_dependent: int, options: ExportOptions) -> None:
    """Prints to standard error if the corpus goes to standard output."""
    if options["json"]:
        data = _summary_data(summary, out, seconds, time_dependent, options["shards"])
        print_json(data, indent=None, err=out == "-")
        return
    for line in _summary_lines(summary, out, seconds, time_dependent, options["shards"]):
        click.echo(line, err=out == "-")


def _summary_data(
    summary: Summary, out: str, seconds: float, time_dependent: int, shards: int | None
) -> dict[str, Any]:
    data: dict[str, Any] = {"out": out, "cases": summary.count, "bytes": summary.bytes, "seconds": round(seconds, 3)}
    if shards is not None:
        data |= {"shards": shards, "kept": summary.kept}
    if summary.left_out:
        data["left_out"] = summary.left_out
    if time_dependent:
        data["time_dependent"] = time_dependent
    return {**data, "messages": summary.by_message()}


def _summary_lines(
    summary: Summary, out: str, seconds: float, time_dependent: int, shards: int | None
) -> Iterator[str]:
    place = "standard output" if out == "-" else click.format_filename(out)
    in_shards = "" if shards is None else f", in {shards:,} shards"
    duration = f" in {seconds:,.1f} s" if sys.stderr.isatty() else ""
    yield f"{summary.count:,} cases written to {place}{in_shards} ({summary.bytes:,} bytes{duration})"
    if summary.kept:
        yield f"  {summary.kept:,} cases already existed"
    for reason, count in summary.left_out.items():
        yield f"  left out: {wording.counted(count, 'case')} {reason}"
    if time_dependent:
        yield f"  --clock adds {wording.counted(time_dependent, 'time-dependent case')}"
    for name, counts in summary.by_message().items():
        yield f"  {name}: {', '.join(f'{count:,} {label}' for label, count in counts.items())}"
