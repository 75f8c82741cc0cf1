import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.quality.figures import Figures, Value

ROOT = Path(__file__).parents[2]
GENERATED = "typed.py"


def sizes() -> Figures:
    """Counts lines, modules and classes, without generated code."""
    folders: dict[str, list[Path]] = defaultdict(list)
    for path in modules(ROOT / "brokerfuzz"):
        parts = path.relative_to(ROOT).parts
        folders["/".join(parts[:2]) if len(parts) > 2 else "brokerfuzz/*.py"].append(path)
    whole = {name: _size(modules(ROOT / name)) for name in ("brokerfuzz", "tests", "benchmarks")}
    return whole | {f"  {name}": _size(folders[name]) for name in sorted(folders)}


def modules(folder: Path) -> list[Path]:
    parts = [part for part in folder.iterdir() if part.is_dir() and part.name != "node"]
    paths = [*folder.glob("*.py"), *(path for part in parts for path in part.rglob("*.py"))]
    return [path for path in paths if path.name != GENERATED]


def _size(paths: Iterable[Path]) -> dict[str, Value]:
    texts = [path.read_text(encoding="utf-8") for path in paths]
    classes = sum(isinstance(node, ast.ClassDef) for text in texts for node in ast.walk(ast.parse(text)))
    return {"lines": sum(len(text.splitlines()) for text in texts), "modules": len(texts), "classes": classes}
