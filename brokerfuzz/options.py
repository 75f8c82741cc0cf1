"""Declares the options of every command, each once (see `option`)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypedDict

from brokerfuzz import option_values as read
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES, Label, MessageType
from brokerfuzz.format_names import FORMATS
from brokerfuzz.name_patterns import HTTP_NAME
from brokerfuzz.option import Option, declared
from brokerfuzz.schemas import Contract, PolicyValues, load_contract
from brokerfuzz.service.bugs import BUGS
from brokerfuzz.wording import listed

TARGET, ANSWERS, CASES, LIMITS = "Target", "Answers", "Cases", "Limits"
RESULTS, CONTRACT, WORKERS, OUTPUT = "Results", "Contract", "Workers", "Output"

ONE_OF_MESSAGES = f"{listed(MESSAGE_TYPES, 'or')}, or a type of your own contract"
Names = Iterator[tuple[str, str]]


# --------------------------------------------------------------------------------------------- names for completions


def message_types(contract: str | None) -> Names:
    return ((name, transfer.route) for name, transfer in load_contract(contract).transfers.items())


def rule_ids(contract: str | None) -> Names:
    return ((rule.id, rule.demand) for rule in load_contract(contract).rules_by_id.values())


def rules_and_sites(contract: str | None) -> Names:
    rules = load_contract(contract).rules_by_id.values()
    yield from ((site, "") for site in dict.fromkeys(rule.site for rule in rules) if site)
    yield from rule_ids(contract)


def techniques(contract: str | None) -> Names:
    return ((technique.name, technique.text) for technique in TECHNIQUES.values())


def ambiguities(contract: str | None) -> Names:
    return ((ambiguity.id, ambiguity.question) for ambiguity in load_contract(contract).ambiguities)


def policies(contract: str | None) -> Names:
    """Yields every ambiguity with each of its interpretations."""
    for ambiguity in load_contract(contract).ambiguities:
        for interpretation in ambiguity.interpretations:
            yield f"{ambiguity.id}={interpretation}", ambiguity.question


def bugs(contract: str | None) -> Names:
    return ((bug.name, bug.text) for bug in BUGS.values())


def explained(contract: str | None) -> Names:
    """Yields the names that `explain` can explain."""
    for names in (rule_ids, techniques, ambiguities, bugs):
        yield from names(contract)


def _fixed(names: Sequence[str]) -> Any:
    return lambda contract: ((name, "") for name in names)


def _contract(value: Any) -> Contract | str:
    return value if isinstance(value, Contract) else read.path(value)


def _values(value: Any) -> Any:
    """Reads reference data: the path of a file, or, in Python, a mapping with the contents of the file."""
    return value if isinstance(value, Mapping) else read.path(value)


# ----------------------------------------------------------------------------------------- options of several commands


def now(what: str) -> Option:
    return Option(
        help=f"{what} as if the current time were TIME, for example 2025-06-15T12:00:00Z.",
        read=read.time, default_help="now", section=CONTRACT, metavar="TIME", example="2025-06-15T12:00:00Z",
    )  # fmt: skip


def quiet(what: str) -> Option:
    """`what` names the output that `--quiet` does not suppress."""
    return Option(help=f"Print only {what}.", default=False, section=RESULTS, flags=("-q", "--quiet"))


def workers(what: str) -> Option:
    return Option(
        help=f"Number of processes that {what}, or the address of a Dask scheduler, such as tcp://127.0.0.1:8786, "
        "whose workers do it.",
        read=read.workers, default=1, section=WORKERS, metavar="NUMBER|ADDRESS", example=2,
    )  # fmt: skip


def seed(what: str) -> Option:
    return Option(help=what, read=read.whole_number(), default=0, section=CASES, metavar="NUMBER", example=7)


def message_type(help_text: str, default_help: str, section: str) -> Option:
    return Option(
        help=f"{help_text}: {ONE_OF_MESSAGES}.", read=read.text, default_help=default_help, section=section,
        flags=("--message",), metavar="TYPE", example=MESSAGE_TYPES[-1], names=message_types,
    )  # fmt: skip


RECOGNISED = message_type("Type of the messages", "brokerfuzz recognises the type by the properties", CASES)
SEED = seed("Seed for the random cases. The same seed gives the same cases.")
JSON = Option(help="Print JSON instead of text.", default=False, section=RESULTS)
FORCE = Option(
    help="Overwrite OUT if it already exists. If OUT is a folder, brokerfuzz overwrites only the files of the corpus "
    "in this folder.",
    default=False, section=OUTPUT,
)  # fmt: skip
NDJSON = Option(help="Read one message per line (default for .ndjson and .jsonl files).", default=False)
BUG = Option(
    help="Add this bug to the reference service. `brokerfuzz serve --list-bugs` lists all bugs.",
    read=read.each(read.text), default=(), section=TARGET, flags=("--bug",), metavar="NAME", many=True, names=bugs,
)  # fmt: skip
CONTRACT_FOLDER = Option(
    help="Use the contract in this folder, which needs only the files that differ from the built-in contract.",
    read=_contract, section=CONTRACT, metavar="DIR", file=True, example="contract",
)  # fmt: skip
VALUES = Option(
    help='TOML file with the values that the target knows, such as "*.productId" = ["P-1", "P-2"]. Generated valid '
    "messages contain only these values there. A message with another value is unspecified. See "
    "docs/how-to/reference-data.md.",
    read=_values, section=CONTRACT, metavar="FILE", file=True, example={"*.productId": ["P-1", "P-2"]},
)  # fmt: skip
POLICY = Option(
    help="Settle an ambiguity (a question that the contract leaves open) with this interpretation. Commas separate "
    "several: duplicate-properties=first,last.",
    read=read.policies, default={}, section=CONTRACT, flags=("--policy",),
    metavar="AMBIGUITY=INTERPRETATION", many=True, names=policies,
    example={"duplicate-properties": "last", "clock-tolerance": 30},
)  # fmt: skip


class CaseFilters(TypedDict, total=False):
    """Select cases."""

    verdicts: Annotated[Sequence[Label], Option(
        help=f"Include only cases with this verdict: {listed(LABELS, 'or')}.",
        read=read.each(read.one_of(LABELS), empty=False), default=LABELS, default_help="all", section=CASES,
        flags=("--verdict",), metavar="VERDICT", many=True, names=_fixed(LABELS), example=["valid", "invalid"],
    )]  # fmt: skip
    rules: Annotated[Sequence[str], Option(
        help="Include only messages that break this rule (such as orderMinimum:minimum) or the rules of this property "
        "(orderMinimum), and their twins. * matches any characters; '!RULE' excludes a rule.",
        read=read.each(read.text), default=(), section=CASES, flags=("--rule",), metavar="RULE", many=True,
        names=rules_and_sites, excludable=True, example=["*pageCount:minimum", "productClusters[].products[].*"],
    )]  # fmt: skip
    techniques: Annotated[Sequence[str], Option(
        help="Include only messages that break a rule with this technique, and their twins. * and ! work as with "
        "--rule.",
        read=read.each(read.text), default=(), section=CASES, flags=("--technique",), metavar="NAME", many=True,
        names=techniques, excludable=True, example=["one-below", "one-above"],
    )]  # fmt: skip
    tags: Annotated[Sequence[str], Option(
        help="Include only cases with this tag, such as 'probe:*'. * and ! work as with --rule.",
        read=read.each(read.text), default=(), section=CASES, flags=("--tag",), metavar="TAG", many=True,
        example=["probe:*"],
    )]  # fmt: skip


class ManyMessageTypes(TypedDict, total=False):
    message_types: Annotated[Sequence[MessageType], Option(
        help=f"Include only this message type: {ONE_OF_MESSAGES}.", read=read.each(read.text), default=(),
        default_help="all", section=CASES, flags=("--message",), metavar="TYPE", many=True, names=message_types,
    )]  # fmt: skip


# ------------------------------------------------------------------------------------------------- targets and sending


class SendingOptions(TypedDict, total=False):
    """Decide how messages are sent to a target, and how to interpret the answers."""

    method: Annotated[str, Option(
        help="HTTP method of the requests.",
        read=read.text_like(HTTP_NAME.pattern, "the method of a request, such as PUT"), default="POST", section=TARGET,
        metavar="METHOD", example="PUT",
    )]  # fmt: skip
    headers: Annotated[Sequence[tuple[str, str]], Option(
        help="Send this header with each request. In a header or a URL, ${NAME} stands for the value of the "
        "environment variable NAME, ${NAME:-default} for its value or a default, and $$ for a dollar sign.",
        read=read.headers, default=(), section=TARGET, flags=("-H", "--header"), metavar="NAME:VALUE", many=True,
        secret=True, example={"Authorization": "Bearer ${BROKER_TOKEN:-none}"},
    )]  # fmt: skip
    secrets: Annotated[Sequence[str], Option(
        help="Hide the value of this environment variable in everything that brokerfuzz writes: for secrets that "
        "hooks, commands, applications or functions read from the environment. A secret of fewer than six characters "
        "is hidden only where brokerfuzz sends it.",
        read=read.each(read.text), default=(), section=TARGET, flags=("--secret",), metavar="VARIABLE", many=True,
        example=["BROKER_PASSWORD"],
    )]  # fmt: skip
    timeout: Annotated[float, Option(
        help="Maximum time, in seconds, to wait for an answer.", read=read.above_zero, default=10.0, section=TARGET,
        metavar="SECONDS", example=2.5,
    )]  # fmt: skip
    longest_wait: Annotated[float, Option(
        help="If the target does not run yet, is down, or asks brokerfuzz to wait (status 429, or 503 with "
        "Retry-After), wait up to this time, then end the campaign.",
        read=read.duration, default=120.0, default_help="2m", section=TARGET, metavar="DURATION", example="5m",
    )]  # fmt: skip
    fresh: Annotated[str | None, Option(
        help="Give this property a different value in each message, for targets that reject repeated values. Commas "
        "separate several properties: number,omsOfferId.",
        read=read.text, default_help="number with --cleanup; the property of the campaign with --resume and in "
        "`replay`; otherwise off", section=TARGET, metavar="PROPERTY[,...]|off", example="number",
    )]  # fmt: skip
    insecure: Annotated[bool, Option(
        help="Do not verify TLS certificates.", read=read.switch, default=False, section=TARGET, example=True,
    )]  # fmt: skip
    ca: Annotated[str | None, Option(
        help="Also trust the certificate authorities in this file (PEM).", read=read.path, section=TARGET,
        metavar="FILE", file=True, example="certificates.pem",
    )]  # fmt: skip
    cert: Annotated[str | None, Option(
        help="Identify this client with the certificate and the private key in this file (PEM).", read=read.path,
        section=TARGET, flags=(), file=True, example="client.pem",
    )]  # fmt: skip
    accept: Annotated[Sequence[str | int], Option(
        help="Status codes with which the target accepts a message, such as 200,201 or 2xx.",
        read=read.status_codes, default=("2xx",), default_help="2xx", section=ANSWERS, metavar="STATUS,...",
        example=["2xx"],
    )]  # fmt: skip
    reject: Annotated[Sequence[str | int], Option(
        help="Status codes with which the target rejects a message, such as 400,422 or 4xx. Any code that is neither "
        "in --accept nor in --reject counts as a crash.",
        read=read.status_codes, default=("1xx", "3xx", "4xx"), default_help="1xx,3xx,4xx", section=ANSWERS,
        metavar="STATUS,...", example=["400", "422"],
    )]  # fmt: skip
    concurrency: Annotated[int, Option(
        help="Maximum number of concurrent requests.", read=read.whole_number(1), default=16, section=LIMITS,
        metavar="NUMBER", example=4,
    )]  # fmt: skip
    rate: Annotated[float | None, Option(
        help="Maximum number of requests per second.", read=read.above_zero, default_help="no limit", section=LIMITS,
        metavar="NUMBER", example=50,
    )]  # fmt: skip
    policies: Annotated[PolicyValues, POLICY]
    contract: Annotated[Contract | str | None, CONTRACT_FOLDER]
    values: Annotated[str | Path | Mapping[str, Any] | None, VALUES]
    now: Annotated[datetime | None, now("Judge messages")]


class TargetOptions(TypedDict, total=False):
    """Say which target the commands `fire` and `replay` test."""

    config: Annotated[str | None, Option(
        help="Read the settings from this file.", read=read.path,
        default_help="brokerfuzz.toml, or a pyproject.toml with a [tool.brokerfuzz] section. brokerfuzz searches the "
        "current folder, and then its parent folders inside the repository.", metavar="FILE", file=True,
    )]  # fmt: skip
    url: Annotated[str | None, Option(
        help="The URL of a service. ${NAME} and ${NAME:-default} insert environment variables; $$ is a dollar sign. "
        "With app, a path in the application.",
        read=read.text, section=TARGET, flags=(), secret=True, example="https://${BROKER_HOST:-localhost}/offers",
    )]  # fmt: skip
    exec: Annotated[str | None, Option(
        help="Test this command. It runs once per message, and reads the message from standard input. Exit status 0 "
        "means accepted.",
        read=read.command_line, section=TARGET, metavar="COMMAND", secret=True, example=["python", "consumer.py"],
    )]  # fmt: skip
    lines: Annotated[str | None, Option(
        help="Keep the command of --exec running. It reads each message as a line (plain or in base64) or as a frame: "
        "its length in four bytes (big-endian), then the message. For each message, it prints a line: `accepted`, "
        "`rejected` or `crashed`, optionally followed by a reason.",
        read=read.one_of(("plain", "base64", "frames")), section=TARGET, metavar="plain|base64|frames",
        names=_fixed(("plain", "base64", "frames")), example="frames",
    )]  # fmt: skip
    call: Annotated[str | None, Option(
        help="Test this Python function. It receives the bytes of a message. To reject the message, it returns False "
        "or raises ValueError.",
        read=read.text, section=TARGET, metavar="MODULE:FUNCTION", example="package.module:function",
    )]  # fmt: skip
    app: Annotated[str | None, Option(
        help="Test this ASGI or WSGI application, without a server. Instead of a URL, specify a path in the "
        "application, such as /offers.",
        read=read.text, section=TARGET, metavar="MODULE:APP", example="package.module:app",
    )]  # fmt: skip
    demo: Annotated[bool, Option(
        help="Demonstration: start the built-in reference service and test it.", default=False, section=TARGET,
    )]  # fmt: skip
    bugs: Annotated[Sequence[str], BUG]
    hooks: Annotated[str | None, Option(
        help="Python file (.py) or module with hooks, functions that brokerfuzz calls while it sends messages: "
        "authenticate, before_request, classify and after_answer. Each is optional.",
        read=read.text, section=TARGET, metavar="FILE|MODULE", file=True, example="hooks.py",
    )]  # fmt: skip
    cleanup: Annotated[str | None, Option(
        help="After each accepted message, send a request that removes what it created, such as 'DELETE "
        "/offers/{number}'. {NAME} stands for the property NAME of the answer, or else of the message, and {location} "
        "for the URL in the header Location of the answer.",
        read=read.text, section=TARGET, metavar="'METHOD PATH'", example="DELETE /offers/{number}",
    )]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ campaigns


class FireOptions(CaseFilters, SendingOptions, total=False):
    """The options of `fire`, `fire_async` and `assert_conforms`. All of them are optional.

    >>> import brokerfuzz
    >>> minimums: brokerfuzz.FireOptions = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"]}
    >>> brokerfuzz.fire(lambda body: b'"orderMinimum":0' not in body, **minimums).outcome.state
    'complete'
    """

    path: Annotated[str | None, Option(
        help="For applications and test clients, the path to which the messages are sent, such as `/offers`.",
        read=read.text, section=TARGET, flags=(),
    )]  # fmt: skip
    random: Annotated[int | None, Option(
        help="Number of random cases to send after the cases of the catalogue. To send only random cases, add --tag "
        "random.",
        read=read.whole_number(0), default_help="0; 100 with --tag random; no limit with --max-time", section=CASES,
        metavar="NUMBER", example=1000,
    )]  # fmt: skip
    seed: Annotated[int, SEED]
    max_time: Annotated[float | None, Option(
        help=f"End the campaign after this time, such as {read.DURATIONS}. If there are findings, the second half of "
        "this time (at most a minute) is for explaining them. If cases of the catalogue were not sent, the exit status "
        "is 2; random cases may be cut short.",
        read=read.duration, default_help="no limit", section=LIMITS, metavar="DURATION", example="10m",
    )]  # fmt: skip
    shrink: Annotated[float, Option(
        help="Maximum total time for shrinking, which removes from the messages what is not needed to reproduce the "
        "findings, with at most 200 requests for each. A DURATION above 60s increases this number: 120s allows 400. "
        "The value off disables shrinking.",
        read=read.duration_or_off, default=60.0, default_help="60s", section=LIMITS, metavar="DURATION|off",
        example="10s",
    )]  # fmt: skip
    journal: Annotated[str | Path | None, Option(
        help="Write every request and its answer to this file, for --resume.", read=read.path,
        section=RESULTS, metavar="FILE", file=True, example="journal.ndjson",
    )]  # fmt: skip
    reports: Annotated[Sequence[str | Path], Option(
        help="Write a report to this file. The suffix selects the format: .html, .xml (JUnit), .json, .har or .md "
        "(also without a suffix). A report replaces an existing file.",
        read=read.each(read.path, repeats=True), default=(), section=RESULTS, flags=("--report",), metavar="FILE",
        many=True, file=True, example=["report.json", "report.html"],
    )]  # fmt: skip
    baseline: Annotated[str | Path | None, Option(
        help="Treat the findings in this file as known. Known findings do not cause exit status 1.", read=read.path,
        section=RESULTS, metavar="FILE", file=True, example="baseline.json",
    )]  # fmt: skip
    workers: Annotated[int | str, workers("send the cases")]


FireOptions.__doc__ = f"{FireOptions.__doc__}\n" + "\n".join(
    f"    - `{name}`: {option.help}" for name, option in declared(FireOptions).items()
)


class FireCommandOptions(TargetOptions, FireOptions, total=False):
    """The options of the command `fire`."""

    message: Annotated[MessageType | None, message_type(
        "Type of the messages to send", f"{MESSAGE_TYPES[0]}, or the first type of your own contract", TARGET
    )]  # fmt: skip
    resume: Annotated[str | None, Option(
        help="Continue the campaign that wrote this journal (see --journal). brokerfuzz uses the answers in the "
        "journal, and sends only a sample of these requests again, to notice a target that has changed.",
        read=read.path, section=RESULTS, metavar="JOURNAL", file=True,
    )]  # fmt: skip
    baseline_update: Annotated[bool, Option(
        help="Add the findings of this campaign to the file of --baseline, and delete those that no longer occur.",
        default=False, section=RESULTS,
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    quiet: Annotated[bool, quiet("errors and the outcome")]
    verbose: Annotated[bool, Option(
        help="Print all findings.", default=False, section=RESULTS, flags=("-v", "--verbose"),
    )]  # fmt: skip


class ReplayOptions(TargetOptions, SendingOptions, total=False):
    json: Annotated[bool, JSON]
    quiet: Annotated[bool, quiet("errors and the number of findings that no longer occur")]


# ------------------------------------------------------------------------------------------------------ other commands


class CheckOptions(TypedDict, total=False):
    message_type: Annotated[MessageType | None, RECOGNISED]
    ndjson: Annotated[bool, NDJSON]
    policies: Annotated[PolicyValues, POLICY]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    values: Annotated[str | None, VALUES]
    now: Annotated[datetime | None, now("Judge messages")]
    summary: Annotated[bool, Option(
        help="Print only a table of the broken rules, with the number of messages that break each of them.",
        default=False,
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    quiet: Annotated[bool, quiet(
        "errors and messages that are not valid. For a corpus, print only messages whose new verdict differs from the "
        "verdict in the corpus"
    )]  # fmt: skip


class CoverageOptions(TypedDict, total=False):
    message_type: Annotated[MessageType | None, RECOGNISED]
    ndjson: Annotated[bool, NDJSON]
    missing: Annotated[bool, Option(
        help="Instead of the table, list everything that no message covers: rules, techniques, edges and ambiguities.",
        default=False, section=RESULTS,
    )]  # fmt: skip
    fail_under: Annotated[float | None, Option(
        help="Exit with status 1 if the corpus covers less than this percentage of the rules, techniques, edges "
        "(unusual valid values) and ambiguities.",
        read=read.percentage, section=RESULTS, metavar="PERCENT",
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    now: Annotated[datetime | None, now("Judge messages")]


class RulesOptions(ManyMessageTypes, total=False):
    ambiguities: Annotated[bool, Option(
        help="List only the ambiguities (questions that the contract leaves open).", default=False, section=RESULTS,
    )]  # fmt: skip
    techniques: Annotated[bool, Option(
        help="List the techniques (ways to break a rule) instead of the rules.", default=False, section=RESULTS,
    )]  # fmt: skip
    schema: Annotated[bool, Option(
        help="Print the JSON Schema of a message type in one piece. It does not contain the rules that JSON Schema "
        "cannot express.",
        default=False, section=RESULTS,
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]


class ExplainOptions(TypedDict, total=False):
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    now: Annotated[datetime | None, now("Generate the example")]


class ExportOptions(CaseFilters, ManyMessageTypes, total=False):
    seed: Annotated[int, SEED]
    random: Annotated[int | None, Option(
        help="Write only this number of random cases for each message type. With --full or --large, write them after "
        "the cases of the catalogue.",
        read=read.whole_number(1), section=CASES, metavar="NUMBER",
    )]  # fmt: skip
    full: Annotated[bool, Option(
        help="Include the whole catalogue: each fault at several places, in messages that vary, and nearly every "
        "combination of the states (such as absent or null) of any two properties of an object.",
        default=False, section=CASES,
    )]  # fmt: skip
    large: Annotated[bool, Option(
        help="Include messages of more than 16 KiB, such as a message of 1 MiB or of 100,000 brackets.",
        default=False, section=CASES,
    )]  # fmt: skip
    plausible: Annotated[int | None, Option(
        help="Write only this number of plausible valid messages for each message type, for demonstrations and load "
        "tests: unique numbers, values that belong together, and dates around --now (default: today).",
        read=read.whole_number(1), section=CASES, metavar="NUMBER",
    )]  # fmt: skip
    fresh: Annotated[str | None, Option(
        help="Give this property a different value in each case, for systems that reject repeated values. Commas "
        "separate several properties: number,omsOfferId.",
        read=read.text, section=CASES, metavar="PROPERTY[,...]", example="number",
    )]  # fmt: skip
    clock: Annotated[bool, Option(
        help="Include cases whose verdict depends on the current time. The verdict of such a case is correct at the "
        "time in its tag `now:TIME`, and may be wrong at a later time.",
        default=False, section=CASES,
    )]  # fmt: skip
    format: Annotated[str | None, Option(
        help="Format of the corpus. All formats are listed below.", read=read.one_of(tuple(FORMATS)),
        default_help="ndjson", section=OUTPUT, metavar="FORMAT",
        names=lambda contract: FORMATS.items(),
    )]  # fmt: skip
    base64: Annotated[bool, Option(
        help="In the format `ndjson`, write every message in base64, so that any JSON parser can read the exact bytes.",
        default=False, section=OUTPUT,
    )]  # fmt: skip
    by_case: Annotated[bool, Option(
        help="In formats of tests, write one test per case instead of one per rule.", default=False, section=OUTPUT,
    )]  # fmt: skip
    force: Annotated[bool, FORCE]
    shards: Annotated[int | None, Option(
        help="Split the corpus into this many files or folders (shards): NAME-00001-of-00004.ndjson, …",
        read=read.whole_number(1, 99_999), section=OUTPUT, metavar="NUMBER",
    )]  # fmt: skip
    resume: Annotated[bool, Option(
        help="With --shards, keep the existing shards and write the others. All options must be the same.",
        default=False, section=OUTPUT,
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    values: Annotated[str | None, VALUES]
    now: Annotated[datetime | None, now("With --clock or --plausible, generate the cases")]
    workers: Annotated[int | str, workers("generate random cases")]


class ShowOptions(CaseFilters, ManyMessageTypes, total=False):
    cases: Annotated[bool, Option(
        help="List the cases, one per line. A filter, such as --rule, also turns on --cases.", default=False,
        section=RESULTS,
    )]  # fmt: skip
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]


class DiffOptions(TypedDict, total=False):
    json: Annotated[bool, JSON]


class VerifyOptions(TypedDict, total=False):
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    values: Annotated[str | None, VALUES]
    now: Annotated[datetime | None, now("Judge the cases")]


class ServeOptions(TypedDict, total=False):
    host: Annotated[str, Option(
        help="Address to listen on.", read=read.text, default="127.0.0.1", metavar="ADDRESS", section=TARGET
    )]  # fmt: skip
    port: Annotated[int, Option(
        help="Port to listen on. 0 selects any free port.", read=read.whole_number(0, 65_535), default=8080,
        metavar="NUMBER", section=TARGET,
    )]  # fmt: skip
    bugs: Annotated[Sequence[str], BUG]
    list_bugs: Annotated[bool, Option(
        help="List the names that you can use with --bug, and exit.", default=False, section=TARGET,
    )]  # fmt: skip
    seed: Annotated[int, seed("Seed for the random products and prices.")]
    json: Annotated[bool, JSON]
    contract: Annotated[str | None, CONTRACT_FOLDER]
    now: Annotated[datetime | None, now("Judge messages")]


class InitOptions(TypedDict, total=False):
    force: Annotated[bool, Option(help="Overwrite FILE if it already exists.", default=False)]
    contract: Annotated[str | None, CONTRACT_FOLDER]
