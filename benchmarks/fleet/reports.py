from collections.abc import Mapping

from benchmarks.fleet.mutants import KINDS
from benchmarks.fleet.scoring import MARKS, Score

_WIDTH = 30


def side_by_side(scores: Mapping[str, Score], rows: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Returns a table with one column per score. `rows[title][name]` is the cell of the score `name` in an additional row."""
    whole = len(next(iter(scores.values())).first)
    lines = [_line("", {name: name for name in scores})]
    lines += [_line(title, cells) for title, cells in (rows or {}).items()]
    lines.append(_line("messages", {name: f"{score.messages:,}" for name, score in scores.items()}))
    lines.append(_line(f"killed, of {whole:,}", {name: f"{score.killed:,}  {score.killed / whole:4.0%}" for name, score in scores.items()}))
    for mark in MARKS:
        lines.append(_line(f"  by the first {mark:,}", {name: f"{score.share_by(mark):.0%}" for name, score in scores.items()}))
    for share in (0.5, 0.9, 1.0):
        needed = {name: score.messages_for(share) for name, score in scores.items()}
        lines.append(_line(f"  messages for {share:.0%}", {name: "-" if n is None else f"{n:,}" for name, n in needed.items()}))
    for kind in KINDS:
        killed = {name: score.by_kind().get(kind, (0, 0)) for name, score in scores.items()}
        lines.append(_line(f"  {kind}", {name: f"{done} of {there}" for name, (done, there) in killed.items()}))
    return "\n".join(lines)


def _line(title: str, cells: Mapping[str, str]) -> str:
    return f"  {title:<{_WIDTH}}" + "".join(f"  {cell:>22}" for cell in cells.values())


def survivors(score: Score, most: int = 60) -> str:
    left = [f"  {mutant.kind}: {mutant.name}" for mutant in score.survivors]
    more = [f"  and {len(left) - most} more"] if len(left) > most else []
    return "\n".join(["Survivors:", *left[:most], *more]) if left else "No survivors."
