"""Scores in words."""

from collections.abc import Mapping

from benchmarks.fleet.mutants import KINDS
from benchmarks.fleet.scoring import MARKS, Score

_WIDTH = 30


def side_by_side(scores: Mapping[str, Score], rows: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Scores of one fleet, a column each. `rows` are more to tell: title -> score's name -> text."""
    whole = len(next(iter(scores.values())).first)
    lines = [_line("", {name: name for name in scores})]
    lines += [_line(title, cells) for title, cells in (rows or {}).items()]
    lines.append(_line("messages", {name: f"{score.messages:,}" for name, score in scores.items()}))
    lines.append(_line(f"told apart, of {whole:,}", {name: f"{score.told:,}  {score.told / whole:4.0%}" for name, score in scores.items()}))
    for mark in MARKS:
        lines.append(_line(f"  by the first {mark:,}", {name: f"{score.share_by(mark):.0%}" for name, score in scores.items()}))
    for share in (0.5, 0.9, 1.0):
        needed = {name: score.messages_for(share) for name, score in scores.items()}
        lines.append(_line(f"  messages for {share:.0%}", {name: "-" if n is None else f"{n:,}" for name, n in needed.items()}))
    for kind in KINDS:
        told = {name: score.by_kind().get(kind, (0, 0)) for name, score in scores.items()}
        lines.append(_line(f"  {kind}", {name: f"{done} of {there}" for name, (done, there) in told.items()}))
    return "\n".join(lines)


def _line(title: str, cells: Mapping[str, str]) -> str:
    return f"  {title:<{_WIDTH}}" + "".join(f"  {cell:>22}" for cell in cells.values())


def survivors(score: Score, most: int = 60) -> str:
    """Those that no message tells apart, by kind."""
    left = [f"  {mutant.kind}: {mutant.name}" for mutant in score.survivors]
    more = [f"  and {len(left) - most} more"] if len(left) > most else []
    return "\n".join(["Not told apart:", *left[:most], *more]) if left else "None is left."
