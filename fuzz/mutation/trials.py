"""Tests run against changed modules, each in a child that has all it needs imported."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import pytest

import coverage
from fuzz.in_child import in_child
from fuzz.mutation.mutants import Mutant
from fuzz.mutation.swapped import ROOT, Swapped

Change = tuple[str, Mutant]
UNNOTICED, FAILED, HUNG, CRASHED = "unnoticed", "failed", "hung", "crashed"
_NOT_COLLECTED, _NOT_CONFIGURED = pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR
# What a child may add to the memory that it begins with.
_MORE_MEMORY = 4 << 30
# What a child dies of that uses the processor, or waits, for too long.
_HANGS = (signal.SIGPROF, signal.SIGALRM)
# So many times slower may a machine be while others use it.
_BUSY = 10


@dataclass
class Watched:
    """What the tests do without any change: their seconds, and who runs which line."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    imported: set[tuple[str, int]] = field(default_factory=set)
    failed: str = ""

    def who_runs(self, path: str, mutant: Mutant) -> list[str]:
        """Tests that a change can reach, the quickest first."""
        if self.at_import(path, mutant):
            # What the module holds can matter to a test that runs none of its lines.
            near = {test for (file, _), who in self.tests.items() if file == path for test in who}
            return sorted(self.seconds, key=lambda test: (test not in near, self.seconds[test]))
        found = {test for line in mutant.statement for test in self.tests.get((path, line), ())}
        return sorted(found, key=lambda test: (self.seconds[test], test))

    def at_import(self, path: str, mutant: Mutant) -> bool:
        """Whether the changed line has run before any test does."""
        return not mutant.inside or any((path, line) in self.imported for line in mutant.statement)


def endings(
    changes: list[Change], paths: list[str], tests: list[str], tell: Callable[[Change, str], None]
) -> dict[tuple[str, str], str]:
    """How the tests end with each change, told as it is known; an error if without any, too."""
    if "isonomy" in sys.modules:
        raise SystemExit("isonomy is imported already: changed modules would not be.")
    found, watched = in_child(lambda: _Warm(changes, paths, tell).run(tests))
    for path, mutant in changes:
        if watched.at_import(path, mutant):
            found[path, mutant.key] = _cold_ending(path, mutant, watched)
            tell((path, mutant), found[path, mutant.key])
    return found


class _Warm:
    """A pytest plugin: after the collection, one child for each change inside a function."""

    def __init__(
        self, changes: list[Change], paths: list[str], tell: Callable[[Change, str], None]
    ) -> None:
        self._changes = changes
        self._files = {str(ROOT / "src/isonomy" / path): path for path in paths}
        self._tell = tell
        self._watched = Watched()
        self._found: dict[tuple[str, str], str] = {}
        self._importing = _coverage(self._files)

    def run(self, tests: list[str]) -> tuple[dict[tuple[str, str], str], Watched]:
        self._importing.start()
        with _silent() as aloud:
            self._aloud = aloud
            ended = _pytest(tests, self)
        if self._watched.failed:
            raise RuntimeError(f"{self._watched.failed} fails without any change.")
        if ended != 0:
            raise RuntimeError(f"The tests end with {ended} before any change: {' '.join(tests)}")
        return self._found, self._watched

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        self._importing.stop()
        if session.testsfailed:
            return None
        self._watched = in_child(lambda: _watch(session, self._files))
        if self._watched.failed:
            return True
        for file, path in self._files.items():
            ran = self._importing.get_data().lines(file) or []
            self._watched.imported |= {(path, line) for line in ran}
        functions = _functions(self._files)
        # What is looked for, or collected, in a child makes it copy all pages that it touches.
        _caches()
        gc.collect()
        gc.freeze()
        for path, mutant in self._changes:
            if not self._watched.at_import(path, mutant):
                ending = self._ending(session, path, mutant, functions[path])
                self._found[path, mutant.key] = ending
                with self._aloud():
                    self._tell((path, mutant), ending)
        return True

    def _ending(
        self, session: pytest.Session, path: str, mutant: Mutant, functions: list[FunctionType]
    ) -> str:
        chosen = self._watched.who_runs(path, mutant)
        if not chosen:
            return UNNOTICED

        def trial() -> NoReturn:
            _replace_code(path, mutant, functions)
            _run(session, chosen, self._watched.seconds)

        return _ending_of(trial)


class _Cold:
    """A pytest plugin: only some of the tests, the quickest first, to the first that fails."""

    def __init__(self, chosen: list[str], seconds: dict[str, float]) -> None:
        self._chosen = chosen
        self._seconds = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        if session.testsfailed:
            return
        _run(session, self._chosen, self._seconds)


def _cold_ending(path: str, mutant: Mutant, watched: Watched) -> str:
    chosen = watched.who_runs(path, mutant)
    if not chosen:
        return UNNOTICED

    def trial() -> None:
        with _silent():
            Swapped(path, mutant).install()
            _allow(60)  # No import takes minutes.
            files = sorted({test.partition("::")[0] for test in chosen})
            ended = _pytest(files, _Cold(chosen, watched.seconds))
            # All could be imported without the change.
            os._exit(1 if ended in (_NOT_COLLECTED, _NOT_CONFIGURED) else 100 + ended)

    return _ending_of(trial)


def _watch(session: pytest.Session, files: dict[str, str]) -> Watched:
    """Run all tests, without any change."""
    found = Watched()
    measure = _coverage(files)
    session.config.pluginmanager.register(_SharedFixtures(measure))
    measure.start()
    for item, after in zip(session.items, [*session.items[1:], None], strict=True):
        _forget()
        measure.switch_context(item.nodeid)
        began = time.monotonic()
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        found.seconds[item.nodeid] = time.monotonic() - began
        if session.testsfailed:
            found.failed = item.nodeid
            return found
    measure.stop()
    users = defaultdict(set)
    for item in session.items:
        users[item.nodeid] = {item.nodeid}
        for name in getattr(item, "fixturenames", ()):
            users[f"fixture {name}"].add(item.nodeid)
    for file, path in files.items():
        for line, contexts in measure.get_data().contexts_by_lineno(file).items():
            for context in contexts:
                found.tests.setdefault((path, line), set()).update(users[context])
    return found


class _SharedFixtures:
    """A pytest plugin: what a fixture of several tests runs is run for all of them."""

    def __init__(self, measure: coverage.Coverage) -> None:
        self._measure = measure
        self._outer: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[object]:
        test = request._pyfuncitem.nodeid
        if fixturedef.scope != "function":
            self._outer.append(f"fixture {fixturedef.argname}")
        else:
            self._outer.append(self._outer[-1] if self._outer else test)
        self._measure.switch_context(self._outer[-1])
        try:
            return (yield)
        finally:
            self._outer.pop()
            self._measure.switch_context(self._outer[-1] if self._outer else test)


def _run(session: pytest.Session, chosen: list[str], seconds: dict[str, float]) -> NoReturn:
    """End with 1 at the first test that fails, with 0 where none does; die where one hangs."""
    _forget()
    places = {name: k for k, name in enumerate(chosen)}
    # A name can hold a case's words, which a change at import makes others.
    functions = {name.partition("[")[0] for name in chosen}
    items = [
        item
        for item in session.items
        if item.nodeid in places
        or (item.nodeid not in seconds and item.nodeid.partition("[")[0] in functions)
    ]
    items.sort(key=lambda item: places.get(item.nodeid, -1))
    longest = max(seconds.values())
    for item, after in zip(items, [*items[1:], None], strict=True):
        _allow(5 + 5 * seconds.get(item.nodeid, longest))
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if session.testsfailed:
            os._exit(1)
    os._exit(0 if items else 1)


def _allow(seconds: float) -> None:
    """Die after so long a time of the processor: others may use the machine, too.

    What waits for a lock uses none, and dies by the clock.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _BUSY * seconds)


def _ending_of(trial: Callable[[], object]) -> str:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            for each in _HANGS:
                signal.signal(each, signal.SIG_DFL)
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + _MORE_MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            trial()
        except BaseException:
            os.write(write, traceback.format_exc()[-4000:].encode())
        finally:
            os._exit(70)
    os.close(write)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(ProcessLookupError):  # What the tests have started.
        os.killpg(child, signal.SIGKILL)
    with os.fdopen(read) as why:
        if status > 1:
            raise RuntimeError(f"A child ended with {status} and without tests: {why.read()}")
    if -status in _HANGS:
        return HUNG
    return {0: UNNOTICED, 1: FAILED}.get(status, CRASHED)


def _functions(files: dict[str, str]) -> dict[str, list[FunctionType]]:
    found: dict[str, list[FunctionType]] = {path: [] for path in files.values()}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename in files:
            found[files[each.__code__.co_filename]].append(each)
    return found


def _replace_code(path: str, mutant: Mutant, functions: list[FunctionType]) -> None:
    """Give every function of a module, wherever it is held, its changed code."""
    file = ROOT / "src/isonomy" / path
    before = _codes(compile(file.read_text(), str(file), "exec"))
    after = _codes(compile(mutant.tree, str(file), "exec"))
    replaced = 0
    for each in functions:
        code = each.__code__
        names = [name for name, other in before.items() if other == code]
        if len(names) != 1:
            raise RuntimeError(f"{path} has {len(names)} functions like {code.co_qualname}.")
        # A branch that never runs is compiled without the functions in it.
        each.__code__ = after.get(names[0], code)
        replaced += each.__code__ != code
    if not replaced:
        raise RuntimeError(f"{path} has no function with the line {mutant.line}.")


def _codes(code: CodeType) -> dict[tuple[str, int, int], CodeType]:
    """Code of all functions; two of one name differ by line, or by their order in it."""
    found = {}
    seen: Counter[tuple[str, int]] = Counter()
    waiting = [code]
    while waiting:
        each = waiting.pop()
        name = each.co_qualname, each.co_firstlineno
        seen[name] += 1
        found[*name, seen[name]] = each
        waiting += [other for other in each.co_consts if isinstance(other, CodeType)]
    return found


def _coverage(files: dict[str, str]) -> coverage.Coverage:
    return coverage.Coverage(data_file=None, config_file=False, include=list(files))


def _forget() -> None:
    """Empty caches of results: the next test computes what an earlier one did."""
    for each in _caches():
        each.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, functools._lru_cache_wrapper)
        and each.__module__.startswith(("isonomy", "tests"))
    ]


def _pytest(tests: list[str], plugin: object) -> int:
    os.chdir(ROOT)
    # What was imported before pytest could look at it needs no rewriting.
    options = ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    with tempfile.TemporaryDirectory() as folder:
        options += ["--basetemp", f"{folder}/tests"]
        return int(pytest.main([*options, *tests], [plugin]))


@contextlib.contextmanager
def _silent() -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """Nothing of what is printed is seen, but within what this gives."""
    kept = os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)

    def to(out: int, errors: int) -> None:
        sys.stdout.flush()
        os.dup2(out, 1)
        os.dup2(errors, 2)

    @contextlib.contextmanager
    def aloud() -> Iterator[None]:
        to(*kept)
        try:
            yield
        finally:
            to(nothing, nothing)

    to(nothing, nothing)
    try:
        yield aloud
    finally:
        to(*kept)
