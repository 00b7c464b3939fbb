"""The architecture: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "isonomy"

# Modules import only from rungs above their own in this list (lower in the tower).
RUNGS = [
    ["_atomic", "_codes", "_short_names", "_threads", "_warn"],
    ["_validation", "_progress", "surrogates"],
    ["_kernels"],
    ["_preferences", "_sorting", "_table_encoder"],
    ["_pairsums"],
    ["_labels", "_costs", "_ranking"],
    ["_objectives", "_undefined"],
    ["_influence", "_metrics", "_losses", "theory"],
    ["_bootstrap"],
    ["_intervals", "boosting", "torch"],
    ["_rankers", "_audit"],
    ["_saving", "pareto", "dask"],
    ["_compare"],
    ["_report"],
    ["cli"],
]
RUNG = {name: number for number, names in enumerate(RUNGS) for name in names}
# Beside the tower: only these import it, and it stands on the foundations alone.
BESIDE = "datasets"
MAY_USE_DATASETS = {"cli", "datasets"}
UNDER_DATASETS = {"_codes", "_preferences", "_progress", "_validation", "_warn"}
# Folders whose modules may import each other.
FOLDERS = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}


def module_name(path: Path) -> str:
    """The module, or the folder, directly under the package."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[0]


def imports(source: str, package: str = "isonomy") -> set[str]:
    """Modules of the package that a source text imports, at any depth, types included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports should be absolute"
            base = node.module or ""
            names = [f"{base}.{alias.name}" for alias in node.names] if base == package else [base]
        else:
            continue
        names = [name for name in names if name != f"{package}.__version__"]
        found |= {name.split(".")[1] for name in names if name.startswith(f"{package}.")}
        assert package not in names, "import from a module of the package, not the package"
    return found


def violations(importer: str, imported: set[str]) -> list[str]:
    """What is wrong with a module's imports, in words."""
    wrong = []
    for name in sorted(imported):
        if name == BESIDE:
            if importer not in MAY_USE_DATASETS:
                wrong.append(f"{importer} imports {name}, which stands beside the tower")
        elif importer == BESIDE:
            if name not in UNDER_DATASETS:
                wrong.append(f"{importer} imports {name}, but it stands beside the tower")
        elif name not in RUNG:
            wrong.append(f"{importer} imports {name}, which is on no rung")
        elif importer == name and name in FOLDERS:
            continue
        elif RUNG[name] >= RUNG[importer]:
            wrong.append(f"{importer} imports {name}, which is not below it")
        elif importer == "_kernels":
            wrong.append(f"_kernels imports {name}, but kernels import only kernels")
    return wrong


FILES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_go_downwards(path: Path) -> None:
    name = module_name(path)
    assert name in RUNG or name == BESIDE, (
        f"{name} is on no rung: put it on one in tests/test_layers.py, "
        "just above everything that it imports"
    )
    assert not violations(name, imports(path.read_text()))


def test_there_are_modules_to_check() -> None:
    assert {"_kernels", "_metrics", "cli"} <= {module_name(path) for path in FILES}


@pytest.mark.parametrize(
    ("importer", "source", "message"),
    [
        ("_labels", "from isonomy._metrics import auc", "not below"),
        ("_labels", "from isonomy._costs import Costs", "not below"),
        ("_metrics", "def f():\n    import isonomy._intervals", "not below"),
        ("_kernels", "from isonomy._validation import as_scores", "only kernels"),
        ("_metrics", "from isonomy import datasets", "beside"),
        ("datasets", "from isonomy._metrics import auc", "beside"),
        ("_metrics", "from isonomy.new import x", "no rung"),
    ],
)
def test_violations_are_found(importer: str, source: str, message: str) -> None:
    assert message in violations(importer, imports(source))[0]


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("_intervals", "from isonomy._metrics import prepare"),
        ("_kernels", "from isonomy._kernels._jit import kernel"),
        ("cli", "from isonomy import datasets, _metrics"),
        ("_metrics", "import numpy\nfrom isonomy_other import x"),
    ],
)
def test_right_imports_pass(importer: str, source: str) -> None:
    assert not violations(importer, imports(source))
