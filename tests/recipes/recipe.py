"""Recipes are followed to the letter: their code is taken from CONTRIBUTING."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import isonomy
from tests.test_layers import imports, violations

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


def blocks(title: str) -> dict[str, str]:
    """The code of a recipe by the file that it goes into, as its first line says."""
    text = CONTRIBUTING.partition(f"\n### {title}\n")[2].partition("\n### ")[0]
    found = re.findall(r"^```python\n# (\S+?),?( in \w+)?\n(.*?)^```$", text, flags=re.M | re.S)
    assert len(found) == text.count("```python"), "a block's first line says where it goes"
    return {path: code for path, _, code in found}


def follow(title: str, path: str, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a block as if it stood at the end of its file; what it defines, until the test ends."""
    code, module = blocks(title)[path], _module(path)
    assert not violations(module.__name__, imports(code))
    namespace = dict(vars(module))
    exec(compile(code, path, "exec"), namespace)
    new = {name: value for name, value in namespace.items() if name not in vars(module)}
    for name, value in new.items():
        patch.setattr(module, name, value, raising=False)
    return new


def entry(title: str, path: str) -> Any:
    """A block that is an entry of a list in its file."""
    return eval(compile(f"({blocks(title)[path]})", path, "eval"), dict(vars(_module(path))))


def write(title: str, path: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Write a block into a new file, in a folder that the package then also looks into.

    `folder` stands for the folder of the tower's package.
    """
    package, _, rest = path.removeprefix("src/isonomy/").partition("/")
    code, target = blocks(title)[path], folder / rest
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(code)
    module = import_module(f"isonomy.{package}")
    if str(folder) not in module.__path__:
        patch.setattr(module, "__path__", [*module.__path__, str(folder)])
    dotted = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    if not path.endswith("__init__.py"):
        assert not violations(dotted.replace("/", "."), imports(code))


def ship(value: Any, home: str, patch: pytest.MonkeyPatch) -> None:
    """Offer something by the line `from .home import name as name` in `__init__.pyi`."""
    name = value.__name__
    patch.setattr(import_module(f"isonomy.{home}"), name, value, raising=False)
    patch.setitem(isonomy._HOMES, name, home)
    patch.setitem(vars(isonomy), name, None)
    assert isonomy.__getattr__(name) is value


def _module(path: str) -> Any:
    return import_module(path.removeprefix("src/").removesuffix(".py").replace("/", "."))
