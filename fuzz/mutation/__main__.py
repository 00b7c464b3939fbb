"""`python -m fuzz.mutation [subject ...]`: how many wrong lines do the tests notice?"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FunctionType, ModuleType

# Before numba is imported: compiled kernels would be those of the disk.
os.environ.update(NUMBA_DISABLE_JIT="1", HYPOTHESIS_PROFILE="uncompiled", OMP_NUM_THREADS="1")

from fuzz.in_child import in_child
from fuzz.mutation.modules import SUBJECTS, Subject
from fuzz.mutation.mutants import Mutant, mutants

_ROOT = Path(__file__).parents[2]
_EQUIVALENT = Path(__file__).parent / "equivalent.json"


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 1 where fewer than 90% are noticed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutation", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="subject", help=", ".join(SUBJECTS))
    parser.add_argument("--sample", type=int, help="only so many mutants of each, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (%(default)s)")
    parser.add_argument("--module", help="only those whose path has this in it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="put the scores into this file")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no subject {sorted(unknown)[0]!r}; there are {', '.join(SUBJECTS)}")
    _import_what_tests_need()
    good = True
    for name in chosen.subjects or SUBJECTS:
        score = _score(SUBJECTS[name], chosen.sample, chosen.seed, chosen.module or "")
        print(f"{name}: {score}", flush=True)
        good &= score.share >= 0.9
        if chosen.json:
            earlier = json.loads(chosen.json.read_text()) if chosen.json.exists() else {}
            chosen.json.write_text(json.dumps({**earlier, name: vars(score)}, indent=1) + "\n")
    return 0 if good else 1


@dataclass
class Score:
    """How many of the mutants there are, were tried, noticed, and cannot be noticed."""

    there: int = 0
    tried: int = 0
    noticed: int = 0
    equivalent: int = 0

    @property
    def share(self) -> float:
        return self.noticed / max(1, self.tried - self.equivalent)

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} ({self.noticed} of {self.tried - self.equivalent} noticed, "
            f"{self.equivalent} equivalent, {self.tried} tried of {self.there})"
        )


def _score(subject: Subject, sample: int | None, seed: int, only: str) -> Score:
    pairs = [
        (path, mutant)
        for path in subject.modules
        if only in path
        for mutant in mutants((_ROOT / "src/isonomy" / path).read_text())
    ]
    score = Score(there=len(pairs))
    if sample is not None and sample < len(pairs):
        pairs = Random(seed).sample(pairs, sample)
    tests = [f"tests/{test}" for test in subject.tests if (_ROOT / "tests" / test).exists()]
    began = time.monotonic()
    if _ending(tests, 600) != 0:
        raise SystemExit(f"The tests fail without any change: {' '.join(tests)}")
    patience = 10 + 5 * (time.monotonic() - began)
    equivalent = json.loads(_EQUIVALENT.read_text())
    score.tried = len(pairs)
    pairs = [(path, mutant) for path, mutant in pairs if mutant.key not in equivalent.get(path, {})]
    score.equivalent = score.tried - len(pairs)
    inside = [pair for pair in pairs if pair[1].inside]
    # Most change a function: they need not import anything again.
    endings = in_child(lambda: _endings_inside(inside, tests, patience))
    for path, mutant in pairs:
        if not mutant.inside:
            endings[path, mutant.key] = _ending(tests, patience, _Swapped(path, mutant).install)
        if endings[path, mutant.key] != 0:
            score.noticed += 1
        else:
            print(f"  unnoticed: {path}:{mutant.line}: {mutant.key}", flush=True)
    return score


def _endings_inside(
    pairs: list[tuple[str, Mutant]], tests: list[str], patience: float
) -> dict[tuple[str, str], int]:
    """How the tests end with each changed function, in children that have all imported."""
    with silent():
        _pytest(["--collect-only", *tests])
    return {
        (path, mutant.key): _ending(
            tests, patience, lambda path=path, mutant=mutant: _replace_functions(path, mutant)
        )
        for path, mutant in pairs
    }


def _replace_functions(path: str, mutant: Mutant) -> None:
    """Give every function of the module, wherever it is held, its changed code."""
    file = str(_ROOT / "src/isonomy" / path)
    changed = {code.co_qualname: code for code in _codes(compile(mutant.tree, file, "exec"))}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == file:
            each.__code__ = changed[each.__code__.co_qualname]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Nothing of what is printed is seen."""
    kept = os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    yield
    os.dup2(kept[0], 1)
    os.dup2(kept[1], 2)


def _pytest(arguments: list[str]) -> int:
    import pytest

    os.chdir(_ROOT)
    # What was imported before pytest could look at it needs no rewriting.
    imported = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *imported, *arguments]))


def _ending(tests: list[str], patience: float, change: Callable[[], None] | None = None) -> int:
    """How the tests end in a child after a change; 0 where none fails."""
    child = os.fork()
    if child == 0:
        with silent():
            if change is not None:
                change()
            os._exit(_pytest(tests))
    end = time.monotonic() + patience
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


class _Swapped(importlib.abc.MetaPathFinder):
    """Gives the changed module where the good one is asked for."""

    def __init__(self, path: str, mutant: Mutant) -> None:
        self._file = _ROOT / "src/isonomy" / path
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


def _import_what_tests_need() -> None:
    """Once, so that each child begins with them; nothing of Isonomy."""
    import sklearn.base
    import sklearn.metrics  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
