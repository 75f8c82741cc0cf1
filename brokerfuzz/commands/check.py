"""`check`: judges messages."""

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from brokerfuzz import options
from brokerfuzz.commands.making import contract_of
from brokerfuzz.commands.output import FOUND, counted, failed, print_json, print_lines, say_others
from brokerfuzz.contract_names import LABELS, MESSAGE_TYPES
from brokerfuzz.options import ONE_OF_MESSAGES

if TYPE_CHECKING:
    from brokerfuzz.explaining.judgements import MessageJudgement
    from brokerfuzz.schemas import Contract, MessageType


_COLOURS = {"valid": "green", "invalid": "red", "unspecified": "yellow"}


@click.command("check", short_help="Judge messages, and say why.")
@click.argument("files", metavar="FILE...|-", nargs=-1, required=True, type=click.Path(allow_dash=True, readable=False))
@click.option(
    "--message",
    "message_type",
    metavar="TYPE",
    type=click.Choice(MESSAGE_TYPES),
    help=f"What they are: {ONE_OF_MESSAGES}. Else told from their members.",
)
@click.option("--ndjson", is_flag=True, help="A message a line; so it is for .ndjson and .jsonl in any case.")
@options.stance_option
@options.now_option("Judge as")
@options.contract_option
@click.option("-q", "--quiet", is_flag=True, help="Leave out what is valid, or as its corpus says.")
@options.json_option
def command(
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

    demands, counts = contract_of(contract), dict.fromkeys(LABELS, 0)
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
            status = failed(str(problem))
    say_others(others)
    if not as_json and sum(counts.values()) > 1:
        click.echo(f"{sum(counts.values()):,} messages: {counted(counts)}")
    return status


def _print_judgement(judgement: "MessageJudgement", contract: "Contract", *, as_json: bool) -> None:
    from brokerfuzz.explaining import judgements
    from brokerfuzz.wording import printable_as_in_python

    if as_json:
        print_json(judgements.data(judgement, contract), indent=None)
        return
    message, label = judgement.message, judgement.verdict.label
    what = f" ({judgement.message_type})" if judgement.message_type else ""
    click.echo(f"{printable_as_in_python(message.name)}:{message.line}: {click.style(label, fg=_COLOURS[label])}{what}")
    print_lines(printable_as_in_python(line) for line in judgements.lines(judgement, contract))
