"""Model files with something wrong inside: what loads predicts, or is refused at `load`.

    python -m tests.models.mutated_files --files 20000 [--kinds linear,forest] [--keep DIR]

takes good files of every kind, changes something in their schema or arrays, puts the checksum
right, loads them and ranks rows that suit the model. What is neither a refusal nor a score for
every row is a violation, and so is a crash, a hang or much memory. From elsewhere: `check_files`.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from isonomy._models.archive import pack, unpack
from isonomy._models.files import from_bytes, to_bytes
from isonomy._models.model_file_error import ModelFileError
from isonomy.cli import main as command
from tests.cli.conftest import make_table
from tests.models.models import MODELS, fitted

State = dict[str, Any]

# Seconds of the processor, which others may use too, and bytes that one file may take beyond those
# of the process. What computes nothing, or never lets Python speak, is ended by the clock, after
# so many times as long.
MOST_SECONDS, MOST_MEMORY, PATIENCE = 20, 2 * 2**30, 10
N_ROWS = 40
# What the command line can fit: method and family.
COMMANDS = {
    "fit mean": "--method mean",
    "fit worst": "--method worst --no-tune",
    "fit plug-in": "--method plug-in",
    "fit blend": "--method blend --no-tune",
    "fit funnel": "--method funnel --no-tune",
    "fit one label": "--method one-label --only buy --no-tune",
    "fit texts": "--method soft --no-tune --text id",
    "fit boosted": "--method mean --family boosted --no-tune",
    "fit boosted blend": "--method blend --family boosted --no-tune",
    "fit lambdarank": "--method lambdarank --family boosted --no-tune --group query",
    "fit neural": "--method mean --family neural --no-tune",
}
KINDS = [*MODELS, *COMMANDS]


@dataclass(frozen=True)
class Verdict:
    """What became of one file: "refused", "predicts", "rows" (it wants others), or a violation."""

    kind: str
    seed: int
    what: str

    @property
    def is_violation(self) -> bool:
        return self.what not in ("refused", "predicts", "rows")


def check_files(
    kinds: Sequence[str],
    seeds: range,
    *,
    keep: Path | None = None,
    use: Callable[[bytes, Any], str] | None = None,
    seconds: int = MOST_SECONDS,
) -> Iterator[Verdict]:
    """Make, load and use one mutated file of each kind for each seed.

    Each kind has a process of its own, which is started again where a file has ended it. `use`
    stands in for `outcome`, in tests of this.
    """
    # A copy of this process could not use the threads that fitting has started here.
    fresh = multiprocessing.get_context("spawn")
    for kind in kinds:
        good = good_file(kind)
        todo = list(seeds)
        while todo:
            here, there = fresh.Pipe(duplex=False)
            given = (rows_for(kind), good, todo, there, use or outcome, seconds)
            child = fresh.Process(target=_work, args=given)
            child.start()
            there.close()
            with suppress(EOFError):
                # It says when it is ready: to start may take long where others compute.
                here.recv()
                while todo and here.poll(PATIENCE * seconds):
                    yield _kept(Verdict(kind, todo[0], here.recv()), keep)
                    del todo[0]
            if not todo:
                # It ends by itself: what measures it can write down what it saw.
                child.join(seconds)
            child.kill()
            child.join()
            if todo:
                yield _kept(
                    Verdict(kind, todo.pop(0), f"ended its process: {child.exitcode}"), keep
                )


def _work(
    rows: Any,
    good: bytes,
    seeds: Sequence[int],
    results: Any,
    use: Callable[[bytes, Any], str],
    seconds: int,
) -> None:
    """Load and use one file after the other."""
    results.send(outcome(good, rows))
    limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (limit + MOST_MEMORY, limit + MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _give_up)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    for seed in seeds:
        data = mutated(good, np.random.default_rng(seed))
        signal.setitimer(signal.ITIMER_PROF, seconds)
        results.send(use(data, rows))
        signal.setitimer(signal.ITIMER_PROF, 0)
    results.close()


def _give_up(*_: object) -> None:
    raise SystemExit("took too long")


def _kept(found: Verdict, keep: Path | None) -> Verdict:
    if keep is not None and found.is_violation:
        keep.mkdir(parents=True, exist_ok=True)
        data = mutated(good_file(found.kind), np.random.default_rng(found.seed))
        (keep / f"{found.kind.replace(' ', '-')}-{found.seed}.isonomy").write_bytes(data)
    return found


def outcome(data: bytes, rows: Any) -> str:
    """What becomes of a file: see `Verdict`."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            ranker = from_bytes(data, set())
        except ModelFileError:
            return "refused"
        except BaseException as error:  # noqa: BLE001
            return f"load: {_told(error)}"
        try:
            scores = ranker.predict(rows)
        except BaseException as error:  # noqa: BLE001
            return "rows" if _wants_other_rows(error) else f"predict: {_told(error)}"
    if np.shape(scores) != (N_ROWS,) or np.asarray(scores).dtype.kind != "f":
        return f"predict: scores of shape {np.shape(scores)}"
    return "predicts"


# Errors that name the rows, not the model: other columns, types or categories than it wants.
_ROW_ERRORS = (
    "The feature names should match",
    "The table lacks the",
    "features as input",
    "columns are missing:",
    "Found unknown categories",
    "should hold numbers, as in training",
    "should be categorical, as it was in training",
    "should hold numbers, as it did in training",
    "should hold numbers or categories",
    "A given column is not a column of the dataframe",
    "Specifying the columns using strings is only supported",
    "contains NaN",
    "contains infinity or a value too large",
    "should be a data frame, as in training",
    "Cannot use median strategy with non-numeric data",
    "Negative values in data",
    "could not convert string to float",
    "ufunc 'isnan' not supported for the input types",
)


def _wants_other_rows(error: BaseException) -> bool:
    return isinstance(error, ValueError | TypeError) and any(
        text in str(error) for text in _ROW_ERRORS
    )


def _told(error: BaseException) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    return f"{type(error).__name__} at {place}: {str(error)[:160]}"


def rows_for(kind: str) -> Any:
    """Rows that suit a model."""
    return MODELS[kind].rows[:N_ROWS] if kind in MODELS else make_table().head(N_ROWS)


@cache
def good_file(kind: str) -> bytes:
    """A model's file, with nothing wrong."""
    return to_bytes(fitted(kind)) if kind in MODELS else _file_of_command(COMMANDS[kind])


def _file_of_command(options: str) -> bytes:
    before = sys.argv
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        table, out = Path(folder, "table.parquet"), Path(folder, "model")
        make_table().write_parquet(table)
        sys.argv = ["isonomy", "fit", str(table), "--labels", "click,buy", "--quiet"]
        sys.argv += ["--out", str(out), *options.split()]
        try:
            command()
        except SystemExit as stop:
            if stop.code:
                raise
        finally:
            sys.argv = before
        return out.read_bytes()


# ---- what is changed


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """A file with one to three things changed; its checksum is right."""
    members = {name: bytes(member) for name, member in unpack(data).items()}
    schema = json.loads(members["schema.json"])
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        arrays = [name for name in members if name.endswith(".npy")]
        if arrays and rng.random() < 0.4:
            name = arrays[rng.integers(len(arrays))]
            members[name] = _mutated_array(members, name, arrays, rng)
        else:
            _mutate_schema(schema, rng)
    _drop_unused(schema, members)
    members["schema.json"] = json.dumps(schema).encode()
    return pack(members)


def _drop_unused(schema: State, members: dict[str, bytes]) -> None:
    """Members that nothing names any more; the rest are numbered anew."""
    names: dict[str, str] = {}
    kept: dict[str, bytes] = {}
    for _, state in _nodes(schema):
        old = state.get("file")
        if isinstance(old, str) and old in members:
            if old not in names:
                names[old] = f"{len(names)}{old[old.rindex('.') :]}"
                kept[names[old]] = members[old]
            state["file"] = names[old]
    for name in [name for name in members if name[0].isdigit()]:
        del members[name]
    members.update(kept)


def _nodes(value: Any) -> Iterator[tuple[Any, State]]:
    """All nodes, each with what holds it."""
    todo = [(None, value)]
    while todo:
        holder, state = todo.pop()
        if isinstance(state, dict):
            if "__loader__" in state:
                yield holder, state
            todo += [(state, part) for part in state.values()]
        elif isinstance(state, list):
            todo += [(state, part) for part in state]


SCALARS: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 5, -1, 7, 63, 1000, 2**31, -(2**31), 2**62, 2**64, 10**30),
    *(0.0, 0.5, 1.0, -1.0, 1e-300, 1e300, float("nan"), float("inf"), -float("inf")),
    *("", "a", "mean", "median", "constant", "drop", "passthrough", "most_frequent", "auto"),
    *("error", "ignore", "logit", "probability", "sigmoid", "isotonic", "0", "NaN", "x" * 500),
    *("int8", "float32", "object", "l1", "l2", "max", "log_loss", "hinge", "soft", "hard", "\0"),
]
ARRAYS: list[Callable[[], Any]] = [
    lambda: np.zeros(0),
    lambda: np.zeros(1),
    lambda: np.zeros((0, 3)),
    lambda: np.zeros((2, 2)),
    lambda: np.arange(3),
    lambda: np.arange(2),
    lambda: np.array(0.5),
    lambda: np.array(["a", "b"]),
    lambda: np.array([True, False]),
    lambda: np.array([np.nan, 1.0]),
    lambda: np.zeros((1, 1, 1)),
    lambda: np.array(["2020-01-01"], "M8[D]"),
    lambda: np.zeros(2, complex),
]


def _mutate_schema(schema: State, rng: np.random.Generator) -> None:
    nodes = list(_nodes(schema))
    kinds = [_value, _delete, _swap, _copy, _rename, _shuffle, _retype, _value, _value, _swap]
    for _ in range(50):
        holder, state = nodes[rng.integers(len(nodes))]
        if kinds[rng.integers(len(kinds))](holder, state, nodes, rng):
            return


def _value(_: Any, state: State, __: Any, rng: np.random.Generator) -> bool:
    """Another number or text; now and then one close by."""
    if state["__loader__"] != "JsonNode":
        return False
    old = json.loads(state["content"])
    new = SCALARS[rng.integers(len(SCALARS))]
    if isinstance(old, int | float) and rng.random() < 0.4:
        new = old + int(rng.integers(-2, 3))
    state["content"] = json.dumps(new)
    return True


def _delete(_: Any, state: State, __: Any, rng: np.random.Generator) -> bool:
    """One thing less in a list, tuple, or dictionary (with its key's type)."""
    content = state.get("content")
    if state["__loader__"] in ("ListNode", "TupleNode") and content:
        del content[rng.integers(len(content))]
        return True
    if state["__loader__"] != "DictNode" or not content:
        return False
    del content[list(content)[rng.integers(len(content))]]
    types = state["key_types"].get("content")
    if isinstance(types, list) and types:
        del types[-1]
    return True


def _swap(_: Any, state: State, nodes: Any, rng: np.random.Generator) -> bool:
    """Two nodes change places, mostly of the same kind."""
    others = [other for _, other in nodes if other is not state]
    if rng.random() < 0.8:
        others = [other for other in others if other["__loader__"] == state["__loader__"]]
    if not others:
        return False
    other = others[rng.integers(len(others))]
    if _inside(state, other) or _inside(other, state):
        return False
    mine, its = dict(state), dict(other)
    fixed = {key: state[key] for key in ("protocol", "_skops_version") if key in state}
    fixed_other = {key: other[key] for key in ("protocol", "_skops_version") if key in other}
    if fixed or fixed_other:
        return False
    state.clear()
    state.update(its)
    other.clear()
    other.update(mine)
    return True


def _inside(inner: State, outer: State) -> bool:
    return any(node is inner for _, node in _nodes(outer))


def _copy(_: Any, state: State, nodes: Any, rng: np.random.Generator) -> bool:
    """A node becomes a copy of another one."""
    others = [other for _, other in nodes if "__id__" not in json.dumps(other)[:20_000]]
    if not others or "protocol" in state:
        return False
    other = json.loads(json.dumps(others[rng.integers(len(others))]))
    state.clear()
    state.update(other)
    return True


def _rename(_: Any, state: State, nodes: Any, rng: np.random.Generator) -> bool:
    """A key of a dictionary becomes another one."""
    content = state.get("content")
    if state["__loader__"] != "DictNode" or not content:
        return False
    old = list(content)[rng.integers(len(content))]
    keys = [key for _, node in nodes if node["__loader__"] == "DictNode" for key in node["content"]]
    new = str(rng.choice(np.array([*keys, "", "a", "0", "1.5", old + "x"], dtype=object)))
    state["content"] = {new if key == old else key: value for key, value in content.items()}
    return True


def _shuffle(_: Any, state: State, __: Any, rng: np.random.Generator) -> bool:
    """The order of a list, or one of its entries twice."""
    content = state.get("content")
    if state["__loader__"] not in ("ListNode", "TupleNode") or not content:
        return False
    if rng.random() < 0.5:
        rng.shuffle(content)
    else:
        again = json.loads(json.dumps(content[rng.integers(len(content))]))
        if "__id__" in json.dumps(again):
            return False
        content.append(again)
    return True


def _retype(_: Any, state: State, nodes: Any, rng: np.random.Generator) -> bool:
    """The class of another node of the same loader, or another loader for the same content."""
    if rng.random() < 0.3 and state["__loader__"] in ("ListNode", "TupleNode", "SetNode"):
        name = str(rng.choice(["list", "tuple", "set"]))
        state.update(__loader__=f"{name.capitalize()}Node", __class__=name)
        return True
    others = [node for _, node in nodes if node["__loader__"] == state["__loader__"]]
    other = others[rng.integers(len(others))]
    if (other["__module__"], other["__class__"]) == (state["__module__"], state["__class__"]):
        return False
    state.update(__module__=other["__module__"], __class__=other["__class__"])
    return True


def _mutated_array(
    members: dict[str, bytes], name: str, arrays: list[str], rng: np.random.Generator
) -> bytes:
    array = np.load(io.BytesIO(members[name]))
    way = rng.integers(8)
    if way == 0:
        return members[arrays[rng.integers(len(arrays))]]
    if way == 1:
        return _saved(ARRAYS[rng.integers(len(ARRAYS))]())
    if way == 2 and array.ndim:
        axis = int(rng.integers(array.ndim))
        keep = np.arange(array.shape[axis])
        keep = keep[:-1] if rng.random() < 0.5 else np.append(keep, keep[:1])
        return _saved(np.take(array, keep, axis))
    if way == 3:
        shapes = [(-1,), (1, -1), (-1, 1), array.shape[::-1]]
        return _saved(array.reshape(shapes[rng.integers(len(shapes))]))
    if way == 4 and array.dtype.names is None:
        dtypes = ["f4", "f8", "f2", "i8", "i4", "u1", "?", "U8", "c16", ">f8", "M8[s]"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Wrong numbers are what is wanted.
            try:
                return _saved(array.astype(dtypes[rng.integers(len(dtypes))]))
            except (TypeError, ValueError, RuntimeError):
                return _saved(array)
    return _saved(_with_other_entries(array, rng))


def _with_other_entries(array: Any, rng: np.random.Generator) -> Any:
    array = array.copy()
    flat = array.reshape(-1)
    for _ in range(int(rng.integers(1, 4)) if flat.size else 0):
        place = int(rng.integers(flat.size))
        part = flat
        if flat.dtype.names is not None:
            part = flat[str(rng.choice(flat.dtype.names))]
        if part.dtype.kind in "iu":
            edges = np.iinfo(part.dtype)
            values = [edges.min, edges.max, 0, 1, 2, max(edges.min, -1), min(edges.max, 10**6)]
            part[place] = values[rng.integers(len(values))]
        elif part.dtype.kind == "f":
            values = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, 1e300, -1e300, 1e-300]
            with np.errstate(all="ignore"):
                part[place] = values[rng.integers(len(values))]
        elif part.dtype.kind == "b":
            part[place] = not part[place]
        else:
            part[place] = part[int(rng.integers(flat.size))]
    return array


def _saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    kinds = given.kinds.split(",")
    each = -(-given.files // len(kinds))
    began, counts = time.monotonic(), Counter[str]()
    for found in check_files(kinds, range(given.seed, given.seed + each), keep=given.keep):
        counts["violation" if found.is_violation else found.what] += 1
        if found.is_violation:
            sys.stdout.write(f"{found.kind} {found.seed}: {found.what}\n")
            sys.stdout.flush()
    seconds = time.monotonic() - began
    sys.stdout.write(f"{counts.total():,} files in {seconds:.0f} s: {dict(counts)}\n")
    sys.exit(bool(counts["violation"]))


if __name__ == "__main__":
    main()
