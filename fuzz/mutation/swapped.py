"""A changed module where the good one is imported."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from pathlib import Path
from types import CodeType, ModuleType

from fuzz.mutation.mutants import Mutant

ROOT = Path(__file__).parents[2]


class Swapped(importlib.abc.MetaPathFinder):
    """Gives the changed module where the good one is asked for."""

    def __init__(self, path: str, mutant: Mutant) -> None:
        self._file = ROOT / "src/isonomy" / path
        self._name = f"isonomy.{path.removesuffix('.py').replace('/', '.')}"
        self._mutant = mutant

    def install(self) -> None:
        """From now on."""
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> object:
        if name != self._name:
            return None
        mutant, file = self._mutant, self._file

        class Loader(importlib.abc.SourceLoader):
            def get_filename(self, fullname: str) -> str:
                return str(file)

            def get_data(self, path: str) -> bytes:
                return file.read_bytes()

            def get_code(self, fullname: str) -> CodeType:
                return compile(mutant.tree, str(file), "exec")

        return importlib.util.spec_from_file_location(name, file, loader=Loader())
