"""Defines the options that several commands share, and parses their values. This module imports only fast modules, so
that `--help` is fast.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.durations import FORMS, Duration
from brokerfuzz.format_names import FORMATS
from brokerfuzz.wording import listed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

RANDOM_CASES = 100
"""The number of random cases with `--random`, if there is no `--count`."""

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]


def known(items: str, *, excludable: bool = False) -> Complete:
    """`items` is the name of a function in `name_completion` that yields names. If `excludable` is true, a name may
    begin with `!`.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from brokerfuzz import name_completion

        return name_completion.matching(getattr(name_completion, items), ctx, incomplete, excludable=excludable)

    return complete


def _policies(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Parses policies, which are written as AMBIGUITY=INTERPRETATION. Commas separate several interpretations."""
    found: dict[str, str] = {}
    for value in values:
        ambiguity, equals, interpretation = value.partition("=")
        if not (ambiguity and equals and interpretation):
            raise click.BadParameter(
                f"{value!r} is not a policy: write AMBIGUITY=INTERPRETATION, such as clock-tolerance=30", ctx, param
            )
        if found.setdefault(ambiguity, interpretation) != interpretation:
            remedy = f"to allow both interpretations, write {ambiguity}={found[ambiguity]},{interpretation}"
            raise click.BadParameter(f"{value!r} contradicts {ambiguity}={found[ambiguity]}: {remedy}", ctx, param)
    return found


def _time(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """Parses an RFC 3339 timestamp."""
    import re

    if value is None:
        return None
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})", value, re.ASCII):
            return datetime.fromisoformat(value.upper())
    except ValueError:
        pass
    raise click.BadParameter(
        f"{value!r} is not an RFC 3339 timestamp: write, for example, 2025-06-15T12:00:00Z", ctx, param
    )


def headers(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    for value in values:
        if not value.partition(":")[0].strip() or ":" not in value:
            raise click.BadParameter(
                "a header has no name or no colon: write NAME:VALUE", ctx, param
            )  # the header may contain a secret
    return [(name.strip(), text.strip()) for name, _, text in (value.partition(":") for value in values)]


def above_zero(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Returns the number. Raises an error if the number is not above 0, or is infinite."""
    if value is not None and not 0 < value < float("inf"):
        raise click.BadParameter(f"{value:g} is not a finite number above 0: use a number such as 2.5", ctx, param)
    return value


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
ONE_OF_MESSAGES = listed(MESSAGE_TYPES, "or")

QUIET = "brokerfuzz.quiet"
"""The key in click's `Context.meta` that says whether the user specified `--quiet`."""


def quiet_option(what: str) -> Decorator:
    """`what` names the output that `--quiet` does not suppress."""

    def record(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[QUIET] = value

    return click.option(
        "-q",
        "--quiet",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=record,
        help=f"Print only errors and {what}.",
    )


def color_option() -> click.Option:
    def choose(ctx: click.Context, param: click.Parameter, value: str) -> None:
        if value != "auto":
            ctx.color = value == "always"

    text = "Use colours: always, never, or auto (on a terminal, unless NO_COLOR is set).  [default: auto]"
    kinds = click.Choice(("auto", "always", "never"))
    return click.Option(
        ["--color"],
        metavar="WHEN",
        type=kinds,
        default="auto",
        is_eager=True,
        expose_value=False,
        callback=choose,
        help=text,
    )


CONTRACT = "brokerfuzz.contract"
"""The key in click's `Context.meta` for the folder of a changed contract."""


def _record_contract(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Stores the value of `--contract`, because error messages mention this folder."""
    ctx.meta[CONTRACT] = value
    return value


contract_option = click.option(
    "--contract", metavar="DIR", type=click.Path(file_okay=False), callback=_record_contract, is_eager=True,
    help=(
        "Use the contract in this folder instead of the built-in one. The folder needs only the files that differ "
        "from the built-in contract."
    ),
)  # fmt: skip
values_option = click.option(
    "--values", metavar="FILE", type=click.Path(dir_okay=False),
    help="Read the values that the target knows from this TOML file, for example \"*.productId\" = [\"P-1\", "
         "\"P-2\"]. Generated "
    "valid messages contain only these values in the listed properties. A message with a different value in such a "
    "property "
    "has the verdict unspecified. See \"Reference data\" in the README.",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
seed_option = click.option(
    "--seed",
    metavar="NUMBER",
    type=int,
    default=0,
    show_default=True,
    help="Seed for the random cases. The same seed gives the same cases.",
)
message_option = click.option(
    "--message", "message_types", metavar="TYPE", type=click.Choice(MESSAGE_TYPES), multiple=True,
    callback=lambda _, __, given: tuple(dict.fromkeys(given)), help=(
        "Include only this message type (repeatable): "
        f"{ONE_OF_MESSAGES}."
    ),
)  # fmt: skip
verdict_option = click.option(
    "--verdict", "verdicts", metavar="VERDICT", type=click.Choice(LABELS), multiple=True,
    help=f"Include only cases with this verdict (repeatable): {', '.join(LABELS[:-1])} or {LABELS[-1]}.",
)  # fmt: skip
random_option = click.option(
    "--random/--catalogue", "only_random", default=False,
    help="--random: use only random cases. --catalogue: use the cases of the catalogue, then as many random cases as "
         "--count says.  "
    "[default: catalogue]",
)  # fmt: skip
bug_option = click.option(
    "--bug", "bugs", metavar="NAME", shell_complete=known("bugs"), multiple=True,
    help="Add this bug to the reference service (repeatable). `brokerfuzz serve --list-bugs` lists all bugs.",
)  # fmt: skip
policy_option = click.option(
    "--policy", "policies", metavar="AMBIGUITY=INTERPRETATION", callback=_policies, shell_complete=known("policies"),
    multiple=True,
    help="Settle an ambiguity (a question that the contract leaves open) with this interpretation (repeatable). "
    "To allow several interpretations, separate them with commas: duplicate-properties=first,last.",
)  # fmt: skip
_rule_option = click.option(
    "--rule", "rules", metavar="ID", shell_complete=known("rule_ids", excludable=True), multiple=True,
    help=(
        "Include only messages that break this rule, and their twins (repeatable). * matches any characters; '!ID' "
        "excludes a rule."
    ),
)  # fmt: skip
_technique_option = click.option(
    "--technique", "techniques", metavar="NAME", shell_complete=known("techniques", excludable=True), multiple=True,
    help=(
        "Include only messages that break a rule with this technique, and their twins (repeatable). * and ! work as "
        "with --rule."
    ),
)  # fmt: skip
format_option = click.option(
    "--format", "fmt", metavar="FORMAT", type=click.Choice(tuple(FORMATS)),
    help=(
        "Format of the corpus. All formats are listed below.  [default: the suffix of OUT selects the format; "
        "without a suffix, ndjson]"
    ),
)  # fmt: skip
force_option = click.option(
    "--force",
    is_flag=True,
    help=(
        "Overwrite OUT if it already exists. If OUT is a folder, brokerfuzz overwrites only the files of the corpus "
        "in this folder."
    ),
)


clock_option = click.option(
    "--clock", "with_clock", is_flag=True,
    help="Include cases whose verdict depends on the current time. The verdict of such a case is correct at the time "
         "in "
    "its tag `now:TIME`, and may be wrong at a later time.",
)  # fmt: skip


def now_option(what: str) -> Decorator:
    """Creates the option `--now`, which replaces the current time. The help of the option begins with `what`."""
    return click.option(
        "--now",
        metavar="TIME",
        callback=_time,
        help=f"{what} as if the current time were TIME, for example 2025-06-15T12:00:00Z.  [default: now]",
    )


def count_option(what: str, *more: str) -> Decorator:
    """Creates the option `--count`, the number of random cases. The help of the option contains `what` after "Number of
    random cases to", and the default values in `more` after the usual ones.
    """
    defaults = "; ".join(["0", f"{RANDOM_CASES} with --random", *more])
    return click.option(
        "--count",
        metavar="NUMBER",
        type=click.IntRange(min=0),
        help=f"Number of random cases to {what}.  [default: {defaults}]",
    )


def workers_option(what: str) -> Decorator:
    """Creates the option `--workers`, the number of processes. In the help of the option, `what` follows "Number of
    processes that".
    """
    return click.option(
        "--workers",
        metavar="NUMBER",
        type=click.IntRange(1, 999),
        default=1,
        show_default=True,
        help=f"Number of processes that {what}.",
    )


# ------------------------------------------------------------------------------------------- targets and configurations


def _configured(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Reads the configuration file. The values in the file are the defaults of the other options."""
    from brokerfuzz import configuration
    from brokerfuzz.errors import ConfigurationError

    found = Path(value) if value is not None else configuration.find(Path.cwd())
    if found is not None:
        if value is not None and not found.is_file():
            raise ConfigurationError(
                f"{value} does not exist: specify a configuration file, or write one with `brokerfuzz init`"
            )
        settings = configuration.load(found)
        ctx.meta[CONFIGURATION] = settings
        ctx.default_map = {**configuration.option_defaults(settings), **(ctx.default_map or {})}
    return value


CONFIGURATION = "brokerfuzz.configuration"
"""The key in click's `Context.meta` for the configuration."""

config_option = click.option(
    "--config", metavar="FILE", type=click.Path(dir_okay=False), is_eager=True, callback=_configured,
    expose_value=False,
    help="Read the settings from this file.  [default: brokerfuzz.toml, or a pyproject.toml with a [tool.brokerfuzz] "
         "section. "
    "brokerfuzz searches the current folder, and then its parent folders inside the repository.]",
)  # fmt: skip

url_argument = click.argument("url", required=False)

_TARGET_OPTIONS = (
    click.option(
        "-H", "--header", "headers", metavar="NAME:VALUE", callback=headers, multiple=True,
        help="Send this header with each request (repeatable). In a header, ${NAME} stands for the value of the "
             "environment variable NAME, "
        "and $$ stands for a dollar sign.",
    ),
    click.option("--auth", metavar="USER:PASSWORD",
                 help="Send these credentials with each request (basic authentication). ${NAME} stands for the value "
                      "of the "
                 "environment variable NAME, as in -H."),
    click.option("--secret", "secrets", metavar="VARIABLE", multiple=True,
                 help="Hide the value of this environment variable in everything that brokerfuzz writes (repeatable). "
                      "Use --secret for "
                 "secrets that hooks, commands or functions read from the environment."),
    click.option(
        "--trace-headers", metavar="CASE,CAMPAIGN|off", default="X-Brokerfuzz-Case,X-Brokerfuzz-Campaign",
        show_default=True,
        help="Names of two headers that brokerfuzz adds to each request. The headers contain the ID of the case and "
             "the ID of the campaign. "
        "With these IDs, you can find a request in the logs of the target. The value off omits both headers.",
    ),
    click.option(
        "--hooks", metavar="FILE|MODULE",
        help="Python file (.py) or module with hooks (functions that brokerfuzz calls while it sends messages). The "
             "hooks are authenticate, "
        "before_request, classify and after_answer. Each hook is optional.",
    ),
    click.option(
        "--authenticate-after", metavar="STATUS,...", default="401,419", show_default=True,
        help=(
            "Call the hook authenticate again if the target answers with one of these status codes, such as 401,403 "
            "or 3xx."
        ),
    ),
    click.option(
        "--cleanup", metavar="'METHOD PATH'",
        help="After each accepted message, send a request that removes what the message created, such as 'DELETE "
             "/offers/{number}'. In the "
        "path, brokerfuzz replaces {NAME} with the value of the property NAME of the answer. If the answer does not "
        "contain the property NAME, "
        "brokerfuzz uses the property NAME of the message. 'DELETE {location}' uses the URL in the header Location of "
        "the answer.",
    ),
    click.option(
        "--exec", "exec_", metavar="COMMAND",
        help=(
            "Test this command. The command runs once per message and reads the message from standard input. Exit "
            "status 0 means accepted."
        ),
    ),
    click.option(
        "--lines", metavar="plain|base64|frames", type=click.Choice(("plain", "base64", "frames")),
        help="Keep the command of --exec running between messages. The command reads each message as a line (plain or "
             "in base64) or as a frame: "
        "a four-byte length (big-endian), then the message. For each message, the command prints a line: `accepted`, "
        "`rejected` or "
        "`crashed`, optionally followed by a reason.",
    ),
    click.option(
        "--call", metavar="MODULE:FUNCTION",
        help="Test this Python function. The function receives the bytes of a message. "
        "To reject the message, the function returns False or raises ValueError.",
    ),
    click.option(
        "--app", metavar="MODULE:APP",
        help="Test this ASGI or WSGI application in the process of brokerfuzz, without a server. Instead of a URL, "
             "specify a path in the "
        "application, such as /offers.",
    ),
    click.option("--demo", is_flag=True, help="Demonstration: start the built-in reference service and test it."),
    bug_option,
    click.option("--method", metavar="METHOD", default="POST", show_default=True, help="HTTP method of the requests."),
    click.option("--insecure", is_flag=True, help="Do not verify TLS certificates."),
    click.option("--ca", metavar="FILE", type=click.Path(dir_okay=False), help=(
        "Also trust the certificate "
        "authorities in this file (PEM)."
    )),
    click.option("--cert", metavar="FILE", type=click.Path(dir_okay=False), help=(
        "Identify this client with the "
        "certificate in this file (PEM)."
    )),
    click.option("--key", metavar="FILE", type=click.Path(dir_okay=False),
                 help="Private key of the client certificate (PEM).  [default: the key in the file given with --cert]"),
    click.option("--proxy", metavar="URL",
                 help="Send requests through this proxy.  [default: the proxy in the environment variable http_proxy, "
                      "https_proxy or all_proxy; "
                 "no proxy for this machine and for the hosts in no_proxy]"),
    click.option("--wait-for", metavar="DURATION", type=Duration(),
                 help=(
                     "Before the first message, wait until the service at URL answers. DURATION is the maximum time "
                     f"to wait, such as {FORMS}."
                 )),
    click.option(
        "--longest-wait", metavar="DURATION", type=Duration(), default="2m", show_default=True,
        help="If the target is down or asks brokerfuzz to wait (status 429, or 503 with Retry-After), wait up to this "
             "time, then end the "
        "campaign.",
    ),
    click.option(
        "--timeout", metavar="SECONDS", type=float, callback=above_zero, default=10.0, show_default=True,
        help="Maximum time, in seconds, to wait for an answer.",
    ),
    click.option("--accept", metavar="STATUS,...",
                 help="Status codes with which the target accepts a message, such as 200,201 or 2xx.  [default: 2xx]"),
    click.option(
        "--reject", metavar="STATUS,...",
        help="Status codes with which the target rejects a message, such as 400,422 or 4xx. "
        "Any code that is neither in --accept nor in --reject counts as a crash.  [default: 1xx,3xx,4xx]",
    ),
    click.option(
        "--envelope/--no-envelope", default=True,
        help="With --envelope, a response that contains `operationWasSuccessful: false` counts as a rejection, even "
             "if its status code is in "
        "--accept. With --no-envelope, only the status code counts.  [default: envelope]",
    ),
    click.option(
        "--fresh", metavar="PROPERTY[,...]|off",
        help="Give this property a different value in each message, for targets that reject repeated values. Separate "
             "several properties "
        "with commas: number,omsOfferId.  [default: number with "
        "--cleanup; the property of the campaign with --resume and in `replay`; otherwise off]"
    ),
    click.option(
        "--concurrency", metavar="NUMBER", type=click.IntRange(min=1), default=16, show_default=True,
        help="Maximum number of concurrent requests."
    ),
    click.option("--rate", metavar="NUMBER", type=float, callback=above_zero, help=(
        "Maximum number of requests per "
        "second.  [default: no limit]"
    )),
)  # fmt: skip

_CHOICE_OPTIONS = (
    _rule_option,
    _technique_option,
    click.option(
        "--site", "sites", metavar="SITE", shell_complete=known("sites", excludable=True), multiple=True,
        help="Include only messages that break rules at this site (the path of a property), and their twins "
             "(repeatable). "
        "* and ! work as with --rule.",
    ),
    click.option("--tag", "tags", metavar="TAG", multiple=True,
                 help="Include only cases with this tag, such as 'probe:*' (repeatable). * and ! work as with --rule."),
)  # fmt: skip
CHOICE = ("rules", "techniques", "sites", "tags")
"""The parameters whose values are patterns, such as `*:minimum`."""


def _all(options: tuple[Decorator, ...]) -> Decorator:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


target_options = _all(_TARGET_OPTIONS)
"""The options that specify a target, how to send messages to the target, and how to interpret its answers."""
choice_options = _all(_CHOICE_OPTIONS)
