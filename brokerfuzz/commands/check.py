from collections import Counter

import click

from brokerfuzz.case_options import contract_of
from brokerfuzz.commands.output import FOUND, counted, failed, note_other_bodies, print_json, print_lines
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import CorpusError, InputError
from brokerfuzz.explaining import judgements
from brokerfuzz.explaining.judgements import MessageJudgement, judge
from brokerfuzz.explaining.listings import table
from brokerfuzz.inputs import contract_messages, messages
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import CheckOptions
from brokerfuzz.schemas import Contract, Label
from brokerfuzz.wording import printable_as_in_python

_COLOURS = {"valid": "green", "invalid": "red", "unspecified": "yellow"}


@click.command("check", cls=SectionedCommand)
@click.argument("files", metavar="FILE...|-", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(CheckOptions)
def command(files: tuple[str, ...], options: CheckOptions) -> int:
    """Judge messages as valid, invalid or unspecified, and explain why.

    A FILE contains one message of up to 64 MiB, or one message per line. Use - for standard input. A FILE can also be a
    corpus that `export` wrote. brokerfuzz judges each message of a corpus again, and compares the new verdict with the
    verdict in the corpus. A FILE can also be recorded traffic (HAR), in which brokerfuzz judges only the messages of
    the contract. In a folder, each file is read. A message that is not JSON counts as invalid, not as a usage error.

    Without --message, brokerfuzz recognises the type of a message by its properties. If several types are possible,
    brokerfuzz judges the message once for each of these types. If the verdicts for these types differ, you must specify
    the type with --message. If a message has none of the types in the contract, brokerfuzz uses the most similar type.

    With --json, each line of the output is a JSON document about one message.

    Exit status: 0 no message is invalid (for a corpus: no verdict has changed); 1 a message is invalid (for a corpus: a
    verdict has changed); 2 usage error, or a file cannot be read.

    \b
    Examples:
      brokerfuzz check offer.json
      brokerfuzz check --summary captured-offers/
      brokerfuzz check --policy timestamp-format=rejected --quiet recorded.ndjson
      curl -s https://broker.example/products | brokerfuzz check --message product-list-response -
    """
    contract, counts = contract_of(options), dict.fromkeys(LABELS, 0)
    message_type, quiet = options["message_type"], options["quiet"]
    policies, status = contract.check_policies(options["policies"]), 0
    others: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for name in files:
        try:
            for message in contract_messages(messages(name, lines=options["ndjson"]), contract, message_type, others):
                judgement = judge(message, message_type, contract=contract, now=options["now"], policies=policies)
                counts[judgement.verdict.label] += 1
                status = max(status, FOUND if judgement.is_finding else 0)
                if options["summary"]:
                    broken.update({violation.rule for violation in judgement.verdict.broken})
                elif judgement.is_finding or not quiet or (not message.record and judgement.verdict.label != "valid"):
                    _print_judgement(judgement, contract, as_json=options["json"])
        except (InputError, CorpusError) as problem:
            status = failed(str(problem))
    note_other_bodies(others)
    if options["summary"]:
        _print_summary(counts, broken, as_json=options["json"])
    elif not options["json"] and sum(counts.values()) > 1:
        click.echo(f"{sum(counts.values()):,} messages: {counted(counts)}")
    return status


def _print_summary(counts: dict[Label, int], broken: Counter[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"messages": counts, "broken": dict(broken.most_common())})
        return
    rows = [{"messages": f"{number:,}", "rule": printable_as_in_python(rule)} for rule, number in broken.most_common()]
    columns = ["messages", "rule"]
    print_lines(table([dict(zip(columns, columns, strict=True)), *rows] if rows else [], columns))
    click.echo(f"{sum(counts.values()):,} messages: {counted(counts)}")


def _print_judgement(judgement: "MessageJudgement", contract: "Contract", *, as_json: bool) -> None:
    if as_json:
        print_json(judgements.data(judgement, contract), indent=None)
        return
    message, label = judgement.message, judgement.verdict.label
    what = f" ({judgement.message_type})" if judgement.message_type else ""
    if judgement.closest is not None:
        what = f" (not a message of the contract; the closest is {judgement.closest})"
    click.echo(f"{printable_as_in_python(message.name)}:{message.line}: {click.style(label, fg=_COLOURS[label])}{what}")
    print_lines(printable_as_in_python(line) for line in judgements.lines(judgement, contract))
