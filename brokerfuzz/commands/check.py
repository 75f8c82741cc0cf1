from collections import Counter

import click

from brokerfuzz.case_options import contract_of, message_type_of
from brokerfuzz.commands.output import note_other_bodies, print_error, show
from brokerfuzz.errors import CorpusError, InputError
from brokerfuzz.exit_status import FOUND
from brokerfuzz.explaining.judgements import JudgedMessages, judge, judgement_summary
from brokerfuzz.inputs.files import contract_messages
from brokerfuzz.option import SectionedCommand, on_command_line
from brokerfuzz.options import CheckOptions


@click.command("check", cls=SectionedCommand)
@click.argument("files", metavar="FILE...|-", nargs=-1, required=True, type=click.Path(readable=False))
@on_command_line(CheckOptions)
def command(files: tuple[str, ...], options: CheckOptions) -> int:
    """Judge messages as valid, invalid or unspecified, and explain why.

    A FILE contains one message of up to 64 MiB, or one message per line. Use - for standard input. A FILE can also be
    recorded traffic (.har), in which brokerfuzz judges only the messages of the contract, or a corpus (`corpus verify`
    compares its verdicts). In a folder, each file is read. A message that is not JSON counts as invalid, not as a usage
    error.

    Without --message, brokerfuzz recognises the type of a message by its properties. If several types are possible, it
    shows the broken rules of each; if the verdicts differ, you must specify the type. With --json, each line of the
    output is a JSON document about one message.

    Exit status: 0 no message is invalid; 1 a message is invalid; 2 usage error, or a file cannot be read.

    \b
    Examples:
      brokerfuzz check offer.json
      brokerfuzz check --summary captured-offers/
      brokerfuzz check --policy timestamp-format=rejected --quiet recorded.ndjson
      curl -s https://broker.example/products | brokerfuzz check --message product-list-response -
    """
    contract, as_json = contract_of(options), options["json"]
    message_type = message_type_of(options, contract)
    policies, status, counts = contract.check_policies(options["policies"]), 0, JudgedMessages()
    other_bodies: Counter[str] = Counter()
    for name in files:
        try:
            for message in contract_messages(name, contract, message_type, other_bodies, lines=options["ndjson"]):
                judgement = judge(message, message_type, contract=contract, now=options["now"], policies=policies)
                counts.add(judgement)
                label = judgement.verdict.label
                status = max(status, FOUND if label == "invalid" else 0)
                if not options["summary"] and not (options["quiet"] and label == "valid"):
                    show(judgement_summary(judgement, contract), as_json=as_json, indent=None)
        except (InputError, CorpusError) as problem:
            status = print_error(str(problem))
    note_other_bodies(other_bodies)
    summary = counts.summary()
    if options["summary"]:
        show(summary, as_json=as_json)
    elif not as_json and counts.labels.total() > 1:
        click.echo(summary.text[-1])
    return status
