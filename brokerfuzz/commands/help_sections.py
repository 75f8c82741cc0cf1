"""Groups the options by purpose in the help of a command. The groups that users need most often come first."""

from collections.abc import Mapping

import click

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Target": (
        "message_type", "headers", "auth", "secrets", "exec_", "lines", "call", "app", "demo", "bugs", "method",
        "timeout", "wait_for",
        "longest_wait", "fresh",
        "proxy", "insecure", "ca", "cert", "key", "trace_headers", "hooks", "authenticate_after", "cleanup",
    ),
    "Answers": ("accept", "reject", "envelope"),
    "Cases": (
        "message_types", "count", "seed", "only_random", "verdicts", "rules", "techniques", "sites", "tags", "full",
        "large", "plausible",
        "with_clock",
    ),
    "Limits": ("max_time", "max_findings", "shrink", "rate", "concurrency", "preflight"),
    "Results": (
        "reports", "force", "as_json", "quiet", "verbose", "journal", "resume", "baseline", "baseline_update",
        "baseline_prune", "write_config",
    ),
    "Contract": ("policies", "contract", "values", "now"),
    "Workers": ("workers", "cluster"),
}  # fmt: skip
"""Maps the title of each section to its options. The help lists the sections and their options in this order."""


class Sectioned(click.Command):
    """A command whose help lists the options in sections. Options that belong to no section come last."""

    sections = SECTIONS

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        records = {param.name: record for param in params if (record := param.get_help_record(ctx)) is not None}
        for heading, names in self.sections.items():
            _write(formatter, heading, [records.pop(name) for name in names if name in records])
        _write(formatter, "Other options", list(records.values()))


def _write(formatter: click.HelpFormatter, heading: str, records: list[tuple[str, str]]) -> None:
    if records:
        with formatter.section(heading):
            formatter.write_dl(records)
