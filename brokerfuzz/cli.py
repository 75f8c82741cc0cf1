"""The command line.

It imports click alone, and `options`, which does too, so that `--help` starts at once; each command imports what it needs.

A command returns its exit status: 0 where all is well, 1 where something was found (a finding, an invalid message). What goes
wrong otherwise is one line on standard error and status 2, whoever raised it; see `Commands`.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from brokerfuzz import options
from brokerfuzz.options import MESSAGES, ONE_OF_MESSAGES, RANDOM_CASES, VERDICTS

if TYPE_CHECKING:
    from brokerfuzz.campaign import Options, Result
    from brokerfuzz.cases.case import Case
    from brokerfuzz.corpus import Summary
    from brokerfuzz.explaining.judgements import Judgement
    from brokerfuzz.schemas import Contract, Label, MessageType
    from brokerfuzz.targets import HttpTarget

NAME = "brokerfuzz"
FOUND, FAILED, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
SHELLS = ("bash", "zsh", "fish")
COMPLETE = f"_{NAME.upper()}_COMPLETE"

# ---------------------------------------------------------------------------------------------------------- errors


class Commands(click.Group):
    """All commands, and what becomes of what they raise."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and exits. Outside of `standalone_mode` it gives the status back, and raises errors."""
        run = partial(super().main, args, prog_name or NAME, complete_var or COMPLETE, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        if COMPLETE in os.environ:
            from brokerfuzz.completing import register

            register()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # what its encoding has no letter for is no error
        sys.exit(_status(run))

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was named, and sees its output off."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _hush()
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        return status


def _status(run: Callable[[], int | None]) -> int:
    """The exit status of a command, or of what it raises."""
    try:
        return run() or 0
    except click.Abort:
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as problem:
        problem.show()
        return FAILED
    except click.UsageError as problem:
        return _failed(f"{problem.format_message().rstrip('.')} ({_help_of(problem.ctx)} tells more)")
    except click.ClickException as problem:
        return _failed(problem.format_message())
    except OSError as problem:
        _hush()
        return _failed(f"{problem.filename or 'the output'} cannot be used: {problem.strerror or problem}; name another file, or make room")
    except Exception as problem:
        from brokerfuzz.errors import BrokerfuzzError

        if isinstance(problem, BrokerfuzzError):
            return _failed(str(problem))
        raise


def _help_of(ctx: click.Context | None) -> str:
    return f"{ctx.command_path if ctx else NAME} --help"


def _failed(line: str) -> int:
    """Tells what is wrong, in one line that a terminal takes for text."""
    words = " ".join(line.split())
    click.echo(f"{NAME}: {words if words.isprintable() else words.encode('unicode_escape').decode()}", err=True)
    return FAILED


def _hush() -> None:
    """Whatever is left to write goes nowhere, so that Python does not complain about it at its end."""
    with suppress(OSError, ValueError):  # a stream without a file, as in tests
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def main() -> NoReturn:
    """The entry point of the `brokerfuzz` command."""
    try:
        commands()
    except SystemExit as end:
        if "pyreqwest" in sys.modules:
            _leave(end.code)
        raise
    raise AssertionError("commands() exits")


def _leave(status: Any) -> NoReturn:
    """Ends the process without ado: threads of the HTTP client that let go of requests while Python shuts down would abort it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


@click.group(NAME, cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, invoke_without_command=False)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=lambda ctx, _, wanted: _print_version(ctx) if wanted else None,
              help="Show the version and exit.")  # fmt: skip
@click.pass_context
def commands(ctx: click.Context) -> None:
    """Tests from the offer broker's message contract: messages that a program must accept, must refuse, or may do either with.

    \b
    Begin with:
      brokerfuzz fire                              at the embedded reference service
      brokerfuzz fire http://127.0.0.1:8000/offers at yours
      brokerfuzz check offer.json                  is this message valid?

    Exit status: 0 all is well, 1 something was found, 2 something is wrong with the call or what is around it.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def _print_version(ctx: click.Context) -> NoReturn:
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"{NAME} {version(NAME)}")
    except PackageNotFoundError:
        click.echo(f"{NAME}, not installed")
    ctx.exit()


def _contract(folder: str | None) -> "Contract":
    from brokerfuzz.schemas import load_contract

    return load_contract(folder)


def _print_json(value: Any, *, indent: int | None = 2) -> None:
    import json

    click.echo(json.dumps(value, indent=indent))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


# ------------------------------------------------------------------------------------------------------------ check

_COLOURS = {"valid": "green", "invalid": "red", "unspecified": "yellow"}


@commands.command(short_help="Judge messages, and say why.")
@click.argument("files", metavar="FILE...|-", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False))
@click.option(
    "--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGES), help=f"What they are: {ONE_OF_MESSAGES}. Else told from their members."
)
@click.option("--ndjson", is_flag=True, help="A message a line; so it is for .ndjson and .jsonl in any case.")
@options.stance_option
@options.now_option("Judge as")
@options.contract_option
@click.option("-q", "--quiet", is_flag=True, help="Leave out what is valid, or as its corpus says.")
@options.json_option
def check(
    files: tuple[str, ...], message_type: "MessageType | None", ndjson: bool, stances: Any, now: datetime | None, contract: str | None,
    quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Judge messages: valid, invalid, or unspecified, and why.

    A FILE holds one message of up to 64 MiB, or one a line; - is standard input. In a corpus that `export` wrote, each
    message is held against what its record says. Of recorded traffic (HAR) only the bodies that are messages of the
    contract are judged. What is no JSON at all is an invalid message, not an error.

    Without --message, a message is what its members say; one that could be of several types is judged as each, and must
    be named only if the verdicts differ.

    With --json, each line printed is the JSON of one message.

    Exit status: 0 no message is invalid, 1 one is (of a corpus: one is not what its record says), 2 a file cannot be judged.

    \b
    Examples:
      brokerfuzz check offer.json
      brokerfuzz check --stance timestamp-format=reject --quiet recorded.ndjson
      curl -s https://broker.example/products | brokerfuzz check --message product-list-response -
    """
    from brokerfuzz.errors import CorpusError, InputError
    from brokerfuzz.explaining.judgements import judge
    from brokerfuzz.inputs import messages, ours

    demands, counts = _contract(contract), dict.fromkeys(VERDICTS, 0)
    settled, status = demands.check_stances(stances), 0
    others: Counter[str] = Counter()
    for name in files:
        try:
            for message in ours(messages(name, lines=ndjson), demands, message_type, others):
                judgement = judge(message, message_type, contract=demands, now=now, stances=settled)
                counts[judgement.verdict.label] += 1
                status = max(status, FOUND if judgement.is_finding else 0)
                if judgement.is_finding or not quiet or (not message.record and judgement.verdict.label != "valid"):
                    _print_judgement(judgement, demands, as_json=as_json)
        except (InputError, CorpusError) as problem:
            status = _failed(str(problem))
    _say_others(others)
    if not as_json and sum(counts.values()) > 1:
        click.echo(f"{sum(counts.values()):,} messages: {_counted(counts)}")
    return status


def _print_judgement(judgement: "Judgement", contract: "Contract", *, as_json: bool) -> None:
    from brokerfuzz.explaining import judgements
    from brokerfuzz.explaining.words import printable

    if as_json:
        _print_json(judgements.data(judgement, contract), indent=None)
        return
    message, label = judgement.message, judgement.verdict.label
    what = f" ({judgement.message_type})" if judgement.message_type else ""
    click.echo(f"{printable(message.name)}:{message.line}: {click.style(label, fg=_COLOURS[label])}{what}")
    _print(printable(line) for line in judgements.lines(judgement, contract))


def _counted(counts: Any) -> str:
    return ", ".join(f"{counts[label]:,} {label}" for label in VERDICTS if label in counts)


def _say_others(others: "Counter[str]") -> None:
    for name, count in others.items():
        bodies = "1 body that is no message" if count == 1 else f"{count:,} bodies that are no messages"
        _note(f"{name}: left out {bodies} of the contract")


def _note(line: str) -> None:
    """Says something beside the output."""
    from brokerfuzz.explaining.words import printable

    click.echo(f"{NAME}: {printable(line)}", err=True)


# --------------------------------------------------------------------------------------------------------- coverage


@commands.command(short_help="Say what a corpus covers of the contract, and what not.")
@click.argument("corpora", metavar="CORPUS...|-", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False))
@click.option("--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGES),
              help=f"What the messages are: {ONE_OF_MESSAGES}. Else told from their members.")  # fmt: skip
@click.option("--ndjson", is_flag=True, help="A message a line; so it is for .ndjson and .jsonl in any case.")
@click.option("--missing", is_flag=True, help="List what is not covered, a line each, instead of the table.")
@click.option("--html", metavar="FILE", type=click.Path(readable=False), help="Write a page to look at, too.")
@click.option("--force", is_flag=True, help="Replace the page where it is there already.")
@click.option("--fail-under", metavar="PERCENT", type=click.FloatRange(0, 100),
              help="Exit with status 1 where less is covered of all rules, techniques, edges and silences.")  # fmt: skip
@options.strength_option
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def coverage(
    corpora: tuple[str, ...], message_type: "MessageType | None", ndjson: bool, missing: bool, html: str | None, force: bool,
    fail_under: float | None, strength: int, now: datetime | None, contract: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Say what a corpus covers of the contract, and what not: rules broken, techniques used, edges shown, silences
    touched, states that occur in pairs. Site by site, for each type that there are messages of.

    A CORPUS is one that `export` wrote, or any other: a message a file, a message a line, recorded traffic (HAR). Where
    a message that is not ours breaks one rule at one place, its technique is recognised if one of ours gives that value.

    With --json, one document: "messages" has "messages", "verdicts", "goals" (by kind: "covered" and "all") and "sites"
    (each "site", and by kind the names "covered" and "missing") of each type, "left_out" how many messages were not
    counted, as "other_traffic" or for "type_unknown".

    Exit status: 0 all is well, 1 less is covered than --fail-under wants, 2 something is wrong with the input.

    \b
    Examples:
      brokerfuzz coverage corpus.ndjson
      brokerfuzz coverage recorded.har tests/*.json --missing | grep '^rule'
      brokerfuzz coverage corpus.ndjson --html coverage.html --fail-under 90
    """
    from brokerfuzz.cases.covering.tally import COUNTED
    from brokerfuzz.explaining.coverages import data, measure
    from brokerfuzz.reports import coverage_page, coverage_table

    demands = _contract(contract)
    if html is not None:
        coverage_page.check_path(html, force=force)
    measured = measure(corpora, contract=demands, message_type=message_type, lines=ndjson, now=now, strength=strength, progress=_counter("messages"))
    _clear_line()
    _say_others(measured.others)
    if measured.untold:
        _note(f"left out {measured.untold:,} that may be of several types (the first is {measured.first_untold}): say which with --message")
    tallies = list(measured.tallies.values())
    if html is not None:
        coverage_page.write(html, coverage_page.page(tallies, sources=corpora))
    if as_json:
        _print_json(data(measured))
    else:
        _print(coverage_table.missing(tallies) if missing else coverage_table.lines(tallies, bars=sys.stdout.isatty()))
    share = 100 * measured.score(*COUNTED).share
    if fail_under is not None and share < fail_under:
        _note(f"{share:.1f} % of the rules, techniques, edges and silences are covered, less than {fail_under:g} %")
        return FOUND
    return 0


# ---------------------------------------------------------------------------------------------------- rules, explain


@commands.command(short_help="List the rules of the contract and its silences.")
@options.message_option
@click.option("--silences", "kind", flag_value="silences", help="Only what the contract leaves open.")
@click.option("--techniques", "kind", flag_value="techniques", help="The ways of breaking rules instead, and which they break.")
@options.contract_option
@options.json_option
def rules(message_types: "tuple[MessageType, ...]", kind: str | None, contract: str | None, as_json: bool) -> None:
    """List what the contract demands (rules) and what it leaves open (silences).

    \b
    Examples:
      brokerfuzz rules --message offer-creation-request
      brokerfuzz rules --silences
      brokerfuzz rules --json | jq '.rules[] | select(.keyword == "minimum")'
    """
    from brokerfuzz.explaining import listings

    demands, wanted = _contract(contract), message_types or MESSAGES
    if kind == "techniques":
        found = {kind: listings.technique_rows()}
        lines = listings.table(found[kind], ["name", "keywords", "text"])
    else:
        silences = listings.silence_rows(demands, wanted)
        found = {"silences": silences} if kind else {"rules": listings.rule_rows(demands, wanted), "silences": silences}
        lines = iter([*listings.rule_lines(found.get("rules", ())), *listings.silence_lines(silences)])
    _print_json(found) if as_json else _print(lines)


@commands.command(short_help="Explain a rule, technique or silence.")
@click.argument("name", metavar="ID", shell_complete=options.known("explained"))
@options.now_option("Make the example")
@options.contract_option
@options.json_option
def explain(name: str, now: datetime | None, contract: str | None, as_json: bool) -> None:
    """Say in plain words what a rule, a technique or a silence is, with an example beside its valid twin.

    \b
    Examples:
      brokerfuzz explain offer-creation-request/orderMinimum:minimum
      brokerfuzz explain numeric-string
      brokerfuzz explain cron-syntax
    """
    from brokerfuzz.explaining import explain as explained

    explanation = explained(name, contract=_contract(contract), now=now)
    if as_json:
        _print_json(explanation.data())
    else:
        _print(_wrapped(explanation.lines()))
        for line in explanation.example_lines():
            click.secho(line, fg={"- ": "green", "+ ": "red"}.get(line[:2]))


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    """The lines as wide as the terminal, where there is one; a program finds a sentence a line."""
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(get_terminal_size().columns, 40) if sys.stdout.isatty() else sys.maxsize
    for line in lines:
        yield from wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


# -------------------------------------------------------------------------------------------------------- catalogue


@commands.command(short_help="Show what the catalogue has, and why.")
@options.message_option
@options.verdict_option
@options.rule_option
@options.technique_option
@click.option("--minimal", is_flag=True, help="Only the smallest set that breaks every rule by every technique once, with each case's reason.")
@click.option("--cases", "listed", is_flag=True, help="List the cases, and what each is the first to cover.")
@options.strength_option
@options.now_option("Make the cases")
@options.contract_option
@options.json_option
def catalogue(
    message_types: "tuple[MessageType, ...]", verdicts: "tuple[Label, ...]", rules: tuple[str, ...], techniques: tuple[str, ...], minimal: bool,
    listed: bool, strength: int, now: datetime | None, contract: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show what the catalogue has: how many cases by verdict, rule, technique and silence.

    The catalogue is the finite list of cases that the contract alone determines, which `export` writes and `fire` sends
    first. Early cases cover most. With --cases, or --minimal, each case is a line that says what it is there for.

    \b
    Examples:
      brokerfuzz catalogue
      brokerfuzz catalogue --message offer-creation-request --cases | head -n 50
      brokerfuzz catalogue --rule '*pageCount:minimum*' --cases
      brokerfuzz catalogue --minimal --json > manifest.json
    """
    from brokerfuzz.cases.catalogue import catalogue as cases_of
    from brokerfuzz.cases.minimal import minimal as smallest
    from brokerfuzz.cases.selecting import selection
    from brokerfuzz.explaining.catalogues import Size, entries, size_lines

    demands = _contract(contract)
    _tell_unbroken(demands, message_types or MESSAGES)
    chosen, wanted = selection(demands, rules, techniques), verdicts or VERDICTS
    sizes: dict[str, Size] = {}
    rows: list[Any] = []
    for message_type in message_types or MESSAGES:
        cases = chosen.of(cases_of(message_type, now=now, contract=demands, strength=strength))
        reasoned = smallest(cases) if minimal else ((case, None) for case in cases)
        for entry in entries(((case, reason) for case, reason in reasoned if case.label in wanted), demands):
            sizes.setdefault(message_type, Size()).add(entry.case)
            if (listed or minimal) and not as_json:
                click.echo(entry.line())
            elif listed or minimal:
                rows.append(entry.data())
    if as_json:
        _print_json({"messages": {name: size.data() for name, size in sizes.items()}, **({"cases": rows} if listed or minimal else {})})
    elif not (listed or minimal):
        _print(size_lines(sizes))


def _tell_unbroken(contract: "Contract", message_types: "Iterable[MessageType]") -> None:
    """Says which rules of a changed contract no technique breaks; ours has none."""
    from brokerfuzz.schemas import load_contract

    if contract is load_contract():
        return
    from brokerfuzz.cases.case import clock
    from brokerfuzz.cases.faults import FaultMaker

    for rule in (rule for message_type in message_types for rule in FaultMaker(contract, message_type, clock(None)).unbroken()):
        click.echo(f"{NAME}: no technique breaks {rule.id}: it is kept in valid messages, and nothing tries to break it", err=True)


# ----------------------------------------------------------------------------------------------------------- export


@commands.command(short_help="Write a corpus of labelled cases.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True, readable=False))
@options.message_option
@options.verdict_option
@options.seed_option
@options.count_option("of each message, after those of")
@options.random_option
@options.strength_option
@options.now_option("Make the cases")
@options.contract_option
@options.force_option
@options.json_option
def export(
    out: str, message_types: "tuple[MessageType, ...]", verdicts: "tuple[Label, ...]", seed: int, count: int | None, only_random: bool,
    strength: int, now: datetime | None, contract: str | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write a corpus: labelled cases, one a line of JSON, for any language to read.

    The catalogue comes first, random cases after it; the valid twin of a fault comes before it. OUT appears when all is
    written, and replaces what is there only with --force; - is standard output, and the summary goes to standard error.
    Give --now for a corpus that is the same tomorrow.

    \b
    Examples:
      brokerfuzz export corpus.ndjson --now 2025-06-15T12:00:00Z
      brokerfuzz export - --message offer-creation-request --verdict invalid | head -n 3
      brokerfuzz export more.ndjson --random --count 10000 --seed 7
    """
    from brokerfuzz import corpus

    demands, wanted = _contract(contract), verdicts or VERDICTS
    _tell_unbroken(demands, message_types or MESSAGES)
    number = _random_count(count, only_random)
    cases = (
        case for message_type in message_types or MESSAGES
        for case in _cases(message_type, wanted, demands, now, seed, number, strength, twins=True, only_random=only_random)
    )  # fmt: skip
    if out == "-":
        summary = corpus.dump(sys.stdout.buffer, cases)
    else:
        _check_out(out, force=force)
        summary = corpus.write(out, cases, progress=_counter())
    _print_summary(summary, out, as_json=as_json)


def _random_count(count: int | None, only_random: bool) -> int:
    if only_random and count == 0:
        raise click.UsageError("--random --count 0 leaves no case: give a --count above 0", click.get_current_context())
    return count if count is not None else RANDOM_CASES if only_random else 0


def _cases(
    message_type: "MessageType", verdicts: "tuple[Label, ...]", contract: "Contract", now: datetime | None, seed: int, count: int,
    strength: int, *, only_random: bool, twins: bool = False,
) -> "Iterator[Case]":  # fmt: skip
    """The catalogue's cases, then random ones (with `twins`, each fault's own before it), each once."""
    from brokerfuzz.cases.at_random import random_cases
    from brokerfuzz.cases.catalogue import catalogue

    seen: set[str] = set()
    for case in () if only_random else catalogue(message_type, verdicts=verdicts, now=now, contract=contract, strength=strength):
        seen.add(case.id)
        yield case
    if count:
        for case in islice(random_cases(message_type, seed, verdicts=verdicts, now=now, contract=contract), count):
            for one in (case.twin, case) if twins else (case,):
                if one is not None and one.id not in seen and one.label in verdicts:
                    seen.add(one.id)
                    yield one


def _check_out(out: str, *, force: bool) -> None:
    from brokerfuzz.errors import CorpusError

    if os.path.lexists(out) and not Path(out).is_dir():
        if not Path(out).is_file():
            raise CorpusError(f"{out} is there and is no file: name one, or - for standard output")
        if not force:
            raise CorpusError(f"{out} is there already: add --force to replace it, or name another file")


def _counter(what: str = "cases") -> Callable[[int], None] | None:
    """Keeps the number of cases written on a terminal's line; None where there is no terminal."""
    if not sys.stderr.isatty():
        return None

    def show(number: int) -> None:
        if number % 500 == 0:
            click.echo(f"\r{number:,} {what}", nl=False, err=True)

    return show


def _clear_line() -> None:
    click.echo("\r\x1b[K" if sys.stderr.isatty() else "", nl=False, err=True)


def _print_summary(summary: "Summary", out: str, *, as_json: bool) -> None:
    by_message = {name: {label: summary.by_label.get((name, label), 0) for label in VERDICTS} for name in MESSAGES}
    written = {name: counts for name, counts in by_message.items() if any(counts.values())}
    err = out == "-"
    if as_json:
        import json

        click.echo(json.dumps({"out": out, "cases": summary.count, "messages": written}), err=err)
        return
    clear = "\r\x1b[K" if not err and sys.stderr.isatty() else ""
    click.echo(clear, nl=False, err=True)
    click.echo(f"{summary.count:,} cases written to {'standard output' if err else click.format_filename(out)}", err=err)
    for name, counts in written.items():
        click.echo(f"  {name}: {_counted(counts)}", err=err)


# ------------------------------------------------------------------------------------------------------------- fire


@commands.command(short_help="Fire cases at a service, report what it does wrong.")
@click.argument("url", required=False)
@click.option("--method", default="POST", show_default=True, help="The HTTP method.")
@click.option("-H", "--header", "headers", metavar="NAME:VALUE", callback=options.headers, multiple=True, help="Send this header (repeatable).")
@click.option("--concurrency", metavar="NUMBER", type=click.IntRange(min=1), default=16, show_default=True, help="Requests on their way at once.")
@click.option("--rate", metavar="NUMBER", type=float, callback=options.above_zero, help="Requests a second at the most.")
@click.option(
    "--timeout", metavar="SECONDS", type=float, callback=options.above_zero, default=10.0, show_default=True, help="How long to wait for an answer."
)
@click.option("--time", "seconds", metavar="SECONDS", type=float, callback=options.above_zero, help="Send no case after so long.")
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1), help="Send no case after so many contradictions.")
@options.verdict_option
@options.seed_option
@options.count_option("after those of")
@options.random_option
@options.strength_option
@click.option("--accept", metavar="STATUS,...", help="Status codes that accept, as 200,201 or 2xx.  [default: 2xx]")
@click.option("--reject", metavar="STATUS,...", help="Status codes that refuse; all others are crashes.  [default: 1xx,3xx,4xx]")
@click.option("--envelope/--no-envelope", default=True, help="Whether operationWasSuccessful: false refuses.  [default: it does]")
@options.stance_option
@options.bug_option
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def fire(url: str | None, as_json: bool, **given: Any) -> int:
    """Send offer creation requests to a service, and report where it contradicts the contract.

    The catalogue's cases go first, then random ones. Each finding is shrunk to its smallest message and comes with a
    curl line that repeats it. What the service does where the contract is silent is no finding, but listed.

    Without URL, the embedded reference service is started and fired at, with the bugs that --bug seeds.

    Exit status: 0 no finding, 1 findings, 2 the service cannot be reached, or the call is wrong.

    \b
    Examples:
      brokerfuzz fire
      brokerfuzz fire http://127.0.0.1:8000/offers -H 'Authorization: Bearer ...' --count 5000
      brokerfuzz fire http://127.0.0.1:8000/offers --accept 200,201 --reject 400,422 --json
      brokerfuzz fire --bug accepts-zero-order-minimum
    """
    from brokerfuzz.campaign import exit_status
    from brokerfuzz.campaign.firing import INTERRUPTED as INTERRUPTION

    demands = _contract(given["contract"])
    demands.check_stances(given["stances"])
    _tell_unbroken(demands, MESSAGES[:1])
    if url is None:
        from brokerfuzz.service.running import running

        with running(bugs=given["bugs"], contract=demands, now=given["now"], seed=given["seed"]) as base:
            result = _campaign(f"{base}/offers", demands, given, as_json=as_json)
    elif given["bugs"]:
        raise click.UsageError("--bug seeds the embedded service: leave --bug or URL out", click.get_current_context())
    else:
        result = _campaign(url, demands, given, as_json=as_json)
    _report(result, as_json=as_json)
    if url is None and result.findings and not as_json:
        again = " ".join(["brokerfuzz serve", *(f"--bug {name}" for name in given["bugs"])])
        click.echo(f"The embedded service has ended: `{again}` starts it again.", err=True)
    return INTERRUPTED if result.stopped == INTERRUPTION and not result.findings else exit_status(result)


def _campaign(url: str, contract: "Contract", given: dict[str, Any], *, as_json: bool) -> "Result":
    from brokerfuzz import campaign
    from brokerfuzz.reports.terminal import live_progress

    count = _random_count(given["count"], given["only_random"])
    wanted = given["verdicts"] or VERDICTS
    cases = _cases(MESSAGES[0], wanted, contract, given["now"], given["seed"], count, given["strength"], only_random=given["only_random"])
    first = next(cases, None)  # the catalogue takes a second to make, which is not to count as time of the campaign
    if first is None:
        raise click.UsageError("no case is left to fire: choose more verdicts", click.get_current_context())
    with live_progress(sys.stderr) as on_progress:
        return campaign.fire(chain([first], cases), _target(url, given), _firing(contract, given), on_progress)


def _target(url: str, given: dict[str, Any]) -> "HttpTarget":
    from brokerfuzz.targets import AnswerRules, HttpTarget, status_patterns

    patterns = {name: status_patterns(given[name]) for name in ("accept", "reject") if given[name] is not None}
    answers = AnswerRules(**patterns, envelope=given["envelope"])
    return HttpTarget(url, method=given["method"], headers=given["headers"], timeout=given["timeout"], rules=answers)


def _firing(contract: "Contract", given: dict[str, Any]) -> "Options":
    from brokerfuzz.campaign import Options

    return Options(
        concurrency=given["concurrency"], rate=given["rate"], time=given["seconds"], max_findings=given["max_findings"],
        now=given["now"], contract=contract, stances=given["stances"],
    )  # fmt: skip


def _report(result: "Result", *, as_json: bool) -> None:
    from brokerfuzz.reports import machine, terminal

    click.echo(machine.report(result)) if as_json else terminal.show(result, sys.stdout)


# ------------------------------------------------------------------------------------------------------------ serve


@commands.command(short_help="Run the reference service, with bugs if you like.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=int, default=8080, show_default=True, help="The port to listen on; 0 is any that is free.")
@options.bug_option
@click.option("--list-bugs", is_flag=True, help="List the bugs that can be seeded, and exit.")
@click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="What products and prices are made from.")
@options.now_option("Judge as")
@options.contract_option
@options.json_option
def serve(host: str, port: int, bugs: tuple[str, ...], list_bugs: bool, seed: int, now: datetime | None, contract: str | None, as_json: bool) -> None:
    """Run the reference service, which keeps the contract, or breaks it where a bug is seeded.

    It takes offers at POST /offers, and gives valid products at GET /products and prices at POST /pricing. Its address
    is printed once it listens; Ctrl-C ends it.

    \b
    Examples:
      brokerfuzz serve --port 0
      brokerfuzz serve --bug accepts-zero-order-minimum
      brokerfuzz serve --list-bugs
    """
    if list_bugs:
        from brokerfuzz.explaining.listings import bug_rows, table

        rows = bug_rows()
        _print_json({"bugs": rows}) if as_json else _print(table(rows, ["name", "kind", "text"]))
        return
    from brokerfuzz.service.running import serve as run

    def ready(url: str) -> None:
        _print_json({"url": url, "bugs": list(bugs)}, indent=None) if as_json else click.echo(url)

    run(host, port, bugs=bugs, contract=_contract(contract), now=now, seed=seed, ready=ready)


# ------------------------------------------------------------------------------------------------------- completion


@commands.command(short_help="Print the script for completion in a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete commands, options, rules, techniques, silences and bugs.

    \b
    Examples:
      bash:  eval "$(brokerfuzz completion bash)"                        in ~/.bashrc
      zsh:   eval "$(brokerfuzz completion zsh)"                         in ~/.zshrc
      fish:  brokerfuzz completion fish > ~/.config/fish/completions/brokerfuzz.fish
    """
    from click.shell_completion import get_completion_class

    from brokerfuzz.completing import register

    register()
    kind = get_completion_class(shell)
    assert kind is not None, "click knows all of SHELLS"
    click.echo(kind(commands, {}, NAME, COMPLETE).source(), nl=False)


if __name__ == "__main__":
    main()
