"""The architecture: who may import whom, and through which door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "isonomy"

# The tower, from its foundations: a module imports only from rungs before its own.
TOWER = [
    ["_infra"],
    ["_core"],
    ["surrogates"],
    ["_counting"],
    ["_pairsums"],
    ["_metrics", "theory"],
    ["boosting", "torch"],
    ["_rankers"],
    ["_partial"],
    ["_render"],
    ["_audit", "_export", "_judge", "_models", "pareto"],
    ["_compare"],
    ["_frames"],
    ["dask", "spark"],
    ["_render.report"],
    ["cli"],
    ["__main__"],
]
RUNG = {name: number for number, names in enumerate(TOWER) for name in names}
# Beside the tower: only the command line imports it, and it stands on the foundations alone.
BESIDE = "datasets"
UNDER_DATASETS = {"_infra", "_core"}
# Kernels are functions of plain arrays: they know the compiler and each other.
KERNELS_KNOW = {
    f"isonomy.{home}.{name}"
    for home in ("_core", "_core.jit")
    for name in ("kernel", "fused_kernel", "summing_kernel")
}

FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def dotted(path: Path) -> str:
    """A file's module name."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path) for path in FILES}


def offered(path: Path) -> set[str]:
    """The names that a package's `__init__` imports."""
    nodes = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in nodes for alias in node.names}


OFFERED = {dotted(path): offered(path) for path in FILES if path.name == "__init__.py"}
OFFERED["isonomy"] = set()


def room(module: str) -> str:
    """The entry of the tower that a module belongs to: the longest that begins its name."""
    name = module.removeprefix("isonomy.")
    found = [each for each in [*RUNG, BESIDE] if name == each or name.startswith(f"{each}.")]
    return max(found, key=len, default="")


def imports(source: str) -> set[str]:
    """Modules of the package that a source text imports, at any depth, types included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports should be absolute"
            base = node.module or ""
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= {name if _is_module(name) or base == "isonomy" else base for name in names}
    ours = {name for name in found if name.partition(".")[0] == "isonomy"}
    return ours - {"isonomy.__version__"}


def kernel_imports(source: str) -> set[str]:
    """What a kernel's source imports of the package, by the names themselves."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names}
    return {name for name in names if name.startswith("isonomy.")}


def _is_module(name: str) -> bool:
    """Whether `from package import name` gives a module, not what the package offers by it."""
    return name in MODULES and name.rpartition(".")[2] not in OFFERED[name.rpartition(".")[0]]


def violations(importer: str, imported: set[str]) -> list[str]:
    """What is wrong with a module's imports, in words."""
    return [
        f"{importer} imports {name}, {wrong}"
        for name in sorted(imported)
        if (wrong := _wrong(importer, name))
    ]


def _wrong(importer: str, name: str) -> str | None:
    mine, other = room(importer), room(name)
    if name == "isonomy":
        return "which is everything"
    if not other:
        return "which is on no rung"
    if mine != other:
        if other == BESIDE and mine != "cli":
            return "which stands beside the tower"
        if mine == BESIDE and other not in UNDER_DATASETS:
            return "but it stands beside the tower"
        if BESIDE not in (mine, other) and RUNG[other] >= RUNG[mine]:
            return "which is not below it"
    door = _door(importer, name)
    return None if door is None else f"past the door {door}"


def _door(importer: str, name: str) -> str | None:
    """The package through whose `__init__` the importer should have gone; None if it did."""
    package = name if name in OFFERED else name.rpartition(".")[0]
    if package.endswith(".kernels"):
        # Kernels are their package's own affair.
        package = package.removesuffix(".kernels")
    inside = importer == package or importer.startswith(f"{package}.")
    return None if inside or name == package or package == "isonomy" else package


@pytest.mark.parametrize("path", FILES, ids=dotted)
def test_imports_go_downwards_through_doors(path: Path) -> None:
    module = dotted(path)
    assert room(module), (
        f"{module} is on no rung: put it on one in tests/test_layers.py, "
        "just above everything that it imports"
    )
    assert not violations(module, imports(path.read_text()))


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name == "kernels"], ids=dotted)
def test_kernels_know_the_compiler_and_each_other(path: Path) -> None:
    package = dotted(path).rpartition(".")[0]
    found = kernel_imports(path.read_text())
    assert {name for name in found if not name.startswith(f"{package}.")} <= KERNELS_KNOW


def test_a_kernel_that_knows_more_is_found() -> None:
    found = kernel_imports("from isonomy._core import Labels, kernel\nimport numpy")
    assert found - KERNELS_KNOW == {"isonomy._core.Labels"}


def test_there_are_modules_to_check() -> None:
    assert {"isonomy._core.labels", "isonomy._counting.kernels.counting", "isonomy.cli"} <= MODULES


def test_the_tower_has_no_room_that_is_not_built() -> None:
    assert {name for name in RUNG if f"isonomy.{name}" not in MODULES} == set()


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "__init__.py"], ids=dotted)
def test_a_door_is_not_used_from_inside(path: Path) -> None:
    package = dotted(path)
    inside = [each for each in FILES if dotted(each).startswith(f"{package}.")]
    wrong = [dotted(each) for each in inside if package in imports(each.read_text())]
    assert not wrong, "modules of a package import each other, not the package"


@pytest.mark.parametrize(
    ("importer", "source", "message"),
    [
        ("_core.labels", "from isonomy._metrics import auc", "not below"),
        ("_counting.ranking", "from isonomy._pairsums import PreferenceLoss", "not below"),
        ("_core.labels", "def f():\n    import isonomy._metrics", "not below"),
        ("_compare.compare", "from isonomy._render.report import Origin", "not below"),
        ("_metrics.aucs", "from isonomy._core.labels import Labels", "past the door isonomy._core"),
        ("_compare.compare", "from isonomy.pareto import _front", "past the door isonomy.pareto"),
        ("_rankers.plugin.ranker", "from isonomy._rankers.linear.solvers import minimise", "past"),
        ("_metrics.aucs", "from isonomy._counting.kernels.counting import concordance", "past"),
        ("_compare.families", "import isonomy as iso", "everything"),
        ("_metrics.aucs", "from isonomy import datasets", "beside"),
        ("datasets._bank", "from isonomy._metrics import auc", "beside"),
        ("_metrics.aucs", "from isonomy.new import x", "no rung"),
    ],
)
def test_violations_are_found(importer: str, source: str, message: str) -> None:
    assert message in violations(f"isonomy.{importer}", imports(source))[0]


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("_metrics.intervals", "from isonomy._metrics.aucs import prepare"),
        ("_metrics.intervals", "from isonomy._core import Labels"),
        ("_counting.ranking", "from isonomy._counting.kernels.counting import concordance"),
        ("_counting.kernels.sorting", "from isonomy._core import kernel"),
        ("_rankers.plugin.ranker", "from isonomy._rankers.linear import LinearRanker"),
        ("_audit.audit", "from isonomy._render import Table"),
        ("cli._demo", "from isonomy import datasets, __version__"),
        ("_metrics.aucs", "import numpy\nfrom isonomy_other import x"),
    ],
)
def test_right_imports_pass(importer: str, source: str) -> None:
    assert not violations(f"isonomy.{importer}", imports(source))
