"""The import rules of ARCHITECTURE.md: which part of the package may import which part. Import cycles are forbidden."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import brokerfuzz

PACKAGE = Path(brokerfuzz.__file__).parent
LEAVES = {"contract_names", "exit_status", "file_contents", "name_patterns", "pointers", "typed", "wording"}
"""Modules that every part may import. These modules import nothing."""
ALLOWED: dict[str, set[str]] = {
    **{leaf: set() for leaf in LEAVES},
    "errors": set(),
    "shapes": {"errors"},
    "version": set(),
    "format_names": set(),
    "json_trees": set(),
    "hypothesis_plugin": {"strategies"},
    "schemas": {"errors", "shapes"},
    "generation": {"schemas", "errors"},
    "cases": {"generation", "schemas", "errors", "shapes"},
    "strategies": {"cases", "generation", "schemas", "errors"},
    "corpus": {
        "cases.fresh_values", "cases.message_diff", "cases.case_tags",
        "cases.case", "cases.catalogue", "cases.plan", "cases.records",
        "cases.case_filters", "cases.stable_names",
        "format_names",
        "workers", "storage", "version", "schemas", "errors",
    },
    "targets": {"errors"},
    "hooks": {"targets", "errors"},
    "workers": {"errors"},
    "campaign": {
        "workers", "storage", "locks", "targets",
        "cases.case", "cases.case_tags", "cases.fresh_values", "cases.techniques", "cases.fault_injector", "cases.fault_wishes", "json_trees",
        "cases.catalogue", "cases.covering", "cases.records", "generation", "cases.plan", "option", "options", "version", "schemas", "shapes", "errors",
    },
    "reports": {
        "version", "campaign", "targets", "cases.case", "cases.covering", "cases.fresh_values",
        "cases.message_diff", "cases.records",
        "cases.techniques", "storage", "schemas", "shapes", "errors",
    },
    "service": {"cases.random_cases", "schemas", "errors"},
    "testing": {"option", "options", "case_options", "target_options", "reports", "service.running", "campaign", "targets", "corpus.bundled_corpus",
    "cases", "schemas", "errors"},
    "explaining": {"corpus", "inputs", "cases", "generation", "service.bugs", "schemas", "errors"},
    "inputs": {"corpus", "storage", "cases.case", "cases.records", "schemas", "errors"},
    "locks": set(),
    "storage": {"errors"},
    "option": {"errors"},
    "option_values": {"option"},
    "options": {"option", "option_values", "cases.techniques", "service.bugs", "format_names", "schemas"},
    "config": {"option", "options", "storage", "locks", "schemas", "errors"},
    "case_options": {"option", "options", "cases", "format_names", "schemas", "errors"},
    "target_options": {"targets", "errors"},
}  # fmt: skip
"""Maps each part (a package or module of brokerfuzz) to the parts that it may import. Instead of a package, a single
module of it can be listed. Commands may import any part, and only the command line imports commands.
"""
TOP = {"cli", "__main__", "__init__"}
ALLOWED["commands"] = set(ALLOWED)


@cache
def modules() -> dict[str, ast.Module]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yields the statements in a module, a class or a function, also inside of other statements. That takes a tenth of
    the time of `ast.walk`, which also yields each expression.
    """
    for part in ast.iter_child_nodes(tree):
        if isinstance(part, ast.stmt | ast.excepthandler | ast.match_case):
            if isinstance(part, ast.stmt):
                yield part
            yield from statements(part)


@cache
def imports(tree: ast.AST) -> set[str]:
    """Returns the names of the modules that a module of brokerfuzz imports, also inside of functions."""
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name.removeprefix("brokerfuzz.") in modules() else node.module for name in below.values()}
    return {name.removeprefix("brokerfuzz.") for name in found if name.startswith("brokerfuzz.")}


def is_allowed(module: str, imported: str) -> bool:
    room = module.partition(".")[0]
    allowed = set() if room in LEAVES else ALLOWED[room] | LEAVES | {room}
    return any(imported == name or imported.startswith(f"{name}.") for name in allowed)


def test_packages_import_only_what_the_table_allows() -> None:
    pairs = [
        (module, imported) for module in sorted(set(modules()) - TOP) for imported in sorted(imports(modules()[module]))
    ]
    assert len(pairs) > 300
    assert [f"{module} imports {imported}" for module, imported in pairs if not is_allowed(module, imported)] == []


def test_only_the_command_line_imports_commands() -> None:
    assert [name for name, tree in modules().items() if "cli" in imports(tree) and name != "__main__"] == []
    importing = {
        name for name, tree in modules().items() if any(other.startswith("commands") for other in imports(tree))
    }
    assert {name for name in importing if not name.startswith("commands")} == {"cli"}


def test_there_are_no_circles_of_modules_even_with_imports_inside_functions() -> None:
    graph = {name: imports(tree) - {name} for name, tree in modules().items() if name != "__init__"}
    TopologicalSorter(graph).prepare()


OPTIONAL = {
    "distributed", "fsspec", "hypothesis", "hypothesis_jsonschema", "pytest",
    "upath", "uvicorn", "uvloop",
}  # fmt: skip
"""Packages that are not installed with every brokerfuzz, or that are slow and rarely needed."""
LAZY = {"__init__", "hypothesis_plugin", "testing.plugin", "testing.rule_summary"}
"""Modules that Python, Hypothesis or pytest imports in each process. They import others when these are needed."""
LEFT = {"service.running", "targets"}
"""Modules and parts in which functions import modules of brokerfuzz that need optional packages."""


def late_imports(tree: ast.Module) -> set[str]:
    """Returns the names of the packages that functions of a module import, except for optional ones."""
    functions = [node for node in statements(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = [node for function in functions for node in statements(function)]
    found = {alias.name for node in inside if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in inside if isinstance(node, ast.ImportFrom)}
    return {name for name in found if name.partition(".")[0] not in OPTIONAL}


def test_functions_import_only_optional_packages() -> None:
    late = {name for name, tree in modules().items() if late_imports(tree)} - LAZY - LEFT
    assert {name for name in late if name.partition(".")[0] not in LEFT} == set()
