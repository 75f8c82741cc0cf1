"""The command line. It imports click alone, so that `--help` and completion start at once; each command imports what it needs.

A command returns its exit status: 0 where all is well, 1 where something was found (a finding, an invalid message). What goes
wrong otherwise is one line on standard error and status 2, whoever raised it; see `Commands`.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from io import TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from brokerfuzz.campaign import HttpTarget, Options, Result
    from brokerfuzz.cases.case import Case
    from brokerfuzz.corpus import Summary
    from brokerfuzz.explaining.judgements import Judgement
    from brokerfuzz.schemas import Contract, Label, MessageType

NAME = "brokerfuzz"
FOUND, FAILED, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
MESSAGES: "tuple[MessageType, ...]" = ("offer-creation-request", "product-list-response", "offer-pricing-response")
VERDICTS: "tuple[Label, ...]" = ("valid", "invalid", "unspecified")
SHELLS = ("bash", "zsh", "fish")
COMPLETE = f"_{NAME.upper()}_COMPLETE"
RANDOM_CASES = 100
"""How many random cases there are where `--random` leaves the catalogue out and no `--count` says otherwise."""

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
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # a stream without a file, as in tests
        pass


def main() -> NoReturn:
    """The entry point of the `brokerfuzz` command."""
    commands()
    raise AssertionError("commands() exits")


# ---------------------------------------------------------------------------------------------------------- options


Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]


def known(items: str) -> Complete:
    """Completes names of a kind. Whether something bears a name is for the command to say, which knows the nearest one."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from brokerfuzz import completing

        return completing.matching(getattr(completing, items), ctx, incomplete)

    return complete


def _stances(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """SILENCE=accept, SILENCE=reject."""
    for value in values:
        if "=" not in value:
            raise click.BadParameter(f"{value!r} says nothing of a silence: give it as {value}=accept or {value}=reject", ctx, param)
    return {silence: stance for silence, _, stance in (value.partition("=") for value in values)}


def _time(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """A point in time as RFC 3339 spells it."""
    import re

    if value is None:
        return None
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", value, re.ASCII):
            return datetime.fromisoformat(value.upper())
    except ValueError:
        pass
    raise click.BadParameter(f"{value!r} is no RFC 3339 time: give one such as 2025-06-15T12:00:00Z", ctx, param)


def _headers(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    """NAME:VALUE."""
    for value in values:
        if not value.partition(":")[0].strip() or ":" not in value:
            raise click.BadParameter(f"{value!r} is no header: give it as NAME:VALUE", ctx, param)
    return [(name.strip(), text.strip()) for name, _, text in (value.partition(":") for value in values)]


def _above_zero(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A number above 0, and not without end."""
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} leaves nothing to do: give a number above 0", ctx, param)
    return value


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_ONE_OF_MESSAGES = f"{', '.join(MESSAGES[:-1])} or {MESSAGES[-1]}"

contract_option = click.option(
    "--contract", metavar="DIR", type=click.Path(file_okay=False), is_eager=True, help="A changed contract: a folder with the files that differ."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
seed_option = click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="What random cases are made from.")
message_option = click.option(
    "--message", "message_types", metavar="TYPE", type=click.Choice(MESSAGES), multiple=True,
    help=f"Only this type (repeatable): {_ONE_OF_MESSAGES}.",
)  # fmt: skip
verdict_option = click.option(
    "--verdict", "verdicts", metavar="VERDICT", type=click.Choice(VERDICTS), multiple=True,
    help=f"Only cases that are this (repeatable): {', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}.",
)  # fmt: skip
random_option = click.option("--random", "only_random", is_flag=True, help="Leave the catalogue out.")
bug_option = click.option(
    "--bug", "bugs", metavar="NAME", shell_complete=known("bugs"), multiple=True, help="Seed this bug (repeatable; serve --list-bugs)."
)
stance_option = click.option(
    "--stance", "stances", metavar="SILENCE=accept|reject", callback=_stances, shell_complete=known("stances"), multiple=True,
    help="Settle a question that the contract leaves open (repeatable).",
)  # fmt: skip
force_option = click.option("--force", is_flag=True, help="Replace OUT where it is there already.")


def now_option(what: str) -> Decorator:
    """The option of the time that counts as the present; `what` happens at it."""
    return click.option("--now", metavar="TIME", callback=_time, help=f"{what} at this time, as 2025-06-15T12:00:00Z; else at the present.")


def count_option(unit: str) -> Decorator:
    """The option of how many random cases there are."""
    default = f"[default: 0; {RANDOM_CASES} with --random]"
    return click.option("--count", metavar="NUMBER", type=click.IntRange(min=0), help=f"Random cases {unit} the catalogue.  {default}")


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
@click.argument("files", metavar="FILE...|-", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--message", "message_type", metavar="TYPE", type=click.Choice(MESSAGES), help=f"What they are: {_ONE_OF_MESSAGES}. Else told from their members."
)
@click.option("--ndjson", is_flag=True, help="A message a line; so it is for .ndjson and .jsonl in any case.")
@stance_option
@now_option("Judge as")
@contract_option
@click.option("-q", "--quiet", is_flag=True, help="Leave out what is valid, or as its corpus says.")
@json_option
def check(
    files: tuple[str, ...], message_type: "MessageType | None", ndjson: bool, stances: Any, now: datetime | None, contract: str | None,
    quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Judge messages: valid, invalid, or unspecified, and why.

    A FILE holds one message of up to 64 MiB, or one a line; - is standard input. In a corpus that `export` wrote, each
    message is held against what its record says. What is no JSON at all is an invalid message, not an error.

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
    from brokerfuzz.inputs import messages

    demands, counts = _contract(contract), dict.fromkeys(VERDICTS, 0)
    settled, status = demands.check_stances(stances), 0
    for name in files:
        try:
            for message in messages(name, lines=ndjson):
                judgement = judge(message, message_type, contract=demands, now=now, stances=settled)
                counts[judgement.verdict.label] += 1
                status = max(status, FOUND if judgement.is_finding else 0)
                if judgement.is_finding or not quiet or (not message.record and judgement.verdict.label != "valid"):
                    _print_judgement(judgement, demands, as_json=as_json)
        except (InputError, CorpusError) as problem:
            status = _failed(str(problem))
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


# ---------------------------------------------------------------------------------------------------- rules, explain


@commands.command(short_help="List the rules of the contract and its silences.")
@message_option
@click.option("--silences", "kind", flag_value="silences", help="Only what the contract leaves open.")
@click.option("--techniques", "kind", flag_value="techniques", help="The ways of breaking rules instead, and which they break.")
@contract_option
@json_option
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
@click.argument("name", metavar="ID", shell_complete=known("explained"))
@now_option("Make the example")
@contract_option
@json_option
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
        for line in explanation.lines():
            click.secho(line, fg={"- ": "green", "+ ": "red"}.get(line[:2]))


# ----------------------------------------------------------------------------------------------------------- export


@commands.command(short_help="Write a corpus of labelled cases.")
@click.argument("out", metavar="OUT|-", type=click.Path(allow_dash=True))
@message_option
@verdict_option
@seed_option
@count_option("of each message, after those of")
@random_option
@now_option("Make the cases")
@contract_option
@force_option
@json_option
def export(
    out: str, message_types: "tuple[MessageType, ...]", verdicts: "tuple[Label, ...]", seed: int, count: int | None, only_random: bool,
    now: datetime | None, contract: str | None, force: bool, as_json: bool,
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
    number = _random_count(count, only_random)
    cases = (
        case for message_type in message_types or MESSAGES
        for case in _cases(message_type, wanted, demands, now, seed, number, twins=True, only_random=only_random)
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
    *, only_random: bool, twins: bool = False,
) -> "Iterator[Case]":  # fmt: skip
    """The catalogue's cases, then random ones (with `twins`, each fault's own before it), each once."""
    from brokerfuzz.cases.at_random import random_cases
    from brokerfuzz.cases.catalogue import catalogue

    seen: set[str] = set()
    for case in () if only_random else catalogue(message_type, verdicts=verdicts, now=now, contract=contract):
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

    if os.path.lexists(out) and not os.path.isdir(out):
        if not os.path.isfile(out):
            raise CorpusError(f"{out} is there and is no file: name one, or - for standard output")
        if not force:
            raise CorpusError(f"{out} is there already: add --force to replace it, or name another file")


def _counter() -> Callable[[int], None] | None:
    """Keeps the number of cases written on a terminal's line; None where there is no terminal."""
    if not sys.stderr.isatty():
        return None

    def show(number: int) -> None:
        if number % 500 == 0:
            click.echo(f"\r{number:,} cases", nl=False, err=True)

    return show


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
@click.option("-H", "--header", "headers", metavar="NAME:VALUE", callback=_headers, multiple=True, help="Send this header (repeatable).")
@click.option("--concurrency", metavar="NUMBER", type=click.IntRange(min=1), default=16, show_default=True, help="Requests on their way at once.")
@click.option("--rate", metavar="NUMBER", type=float, callback=_above_zero, help="Requests a second at the most.")
@click.option(
    "--timeout", metavar="SECONDS", type=float, callback=_above_zero, default=10.0, show_default=True, help="How long to wait for an answer."
)
@click.option("--time", "seconds", metavar="SECONDS", type=float, callback=_above_zero, help="Send no case after so long.")
@click.option("--max-findings", metavar="NUMBER", type=click.IntRange(min=1), help="Send no case after so many contradictions.")
@verdict_option
@seed_option
@count_option("after those of")
@random_option
@click.option("--accept", metavar="STATUS,...", help="Status codes that accept, as 200,201 or 2xx.  [default: 2xx]")
@click.option("--reject", metavar="STATUS,...", help="Status codes that refuse; all others are crashes.  [default: 1xx,3xx,4xx]")
@click.option("--envelope/--no-envelope", default=True, help="Whether operationWasSuccessful: false refuses.  [default: it does]")
@stance_option
@bug_option
@now_option("Judge as")
@contract_option
@json_option
def fire(url: str | None, as_json: bool, **options: Any) -> int:
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
      brokerfuzz fire --bug order-minimum-unchecked
    """
    from brokerfuzz.campaign import exit_status

    demands = _contract(options["contract"])
    demands.check_stances(options["stances"])
    if url is None:
        from brokerfuzz.service.running import running

        with running(bugs=options["bugs"], contract=demands, now=options["now"], seed=options["seed"]) as base:
            result = _campaign(f"{base}/offers", demands, options, as_json=as_json)
    elif options["bugs"]:
        raise click.UsageError("--bug seeds the embedded service: leave --bug or URL out", click.get_current_context())
    else:
        result = _campaign(url, demands, options, as_json=as_json)
    _report(result, as_json=as_json)
    return exit_status(result)


def _campaign(url: str, contract: "Contract", options: dict[str, Any], *, as_json: bool) -> "Result":
    from brokerfuzz import campaign
    from brokerfuzz.reports.terminal import live_progress

    count = _random_count(options["count"], options["only_random"])
    wanted = options["verdicts"] or VERDICTS
    cases = _cases(MESSAGES[0], wanted, contract, options["now"], options["seed"], count, only_random=options["only_random"])
    with live_progress(sys.stderr) as on_progress:
        return campaign.fire(cases, _target(url, options), _firing(contract, options), on_progress)


def _target(url: str, options: dict[str, Any]) -> "HttpTarget":
    from brokerfuzz.campaign import AnswerRules, HttpTarget, status_patterns

    given = {name: status_patterns(options[name]) for name in ("accept", "reject") if options[name] is not None}
    answers = AnswerRules(**given, envelope=options["envelope"])
    return HttpTarget(url, method=options["method"], headers=options["headers"], timeout=options["timeout"], rules=answers)


def _firing(contract: "Contract", options: dict[str, Any]) -> "Options":
    from brokerfuzz.campaign import Options

    return Options(
        concurrency=options["concurrency"], rate=options["rate"], time=options["seconds"], max_findings=options["max_findings"],
        now=options["now"], contract=contract, stances=options["stances"],
    )  # fmt: skip


def _report(result: "Result", *, as_json: bool) -> None:
    from brokerfuzz.reports import machine, terminal

    click.echo(machine.report(result)) if as_json else terminal.show(result, sys.stdout)


# ------------------------------------------------------------------------------------------------------------ serve


@commands.command(short_help="Run the reference service, with bugs if you like.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=int, default=8080, show_default=True, help="The port to listen on; 0 is any that is free.")
@bug_option
@click.option("--list-bugs", is_flag=True, help="List the bugs that can be seeded, and exit.")
@click.option("--seed", metavar="NUMBER", type=int, default=0, show_default=True, help="What products and prices are made from.")
@now_option("Judge as")
@contract_option
@json_option
def serve(host: str, port: int, bugs: tuple[str, ...], list_bugs: bool, seed: int, now: datetime | None, contract: str | None, as_json: bool) -> None:
    """Run the reference service, which keeps the contract, or breaks it where a bug is seeded.

    It takes offers at POST /offers, and gives valid products at GET /products and prices at POST /pricing. Its address
    is printed once it listens; Ctrl-C ends it.

    \b
    Examples:
      brokerfuzz serve --port 0
      brokerfuzz serve --bug order-minimum-unchecked
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
