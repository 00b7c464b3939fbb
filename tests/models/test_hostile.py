"""Hostile files: a clear error each, no code run, memory bounded."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import isonomy as iso
from isonomy._models.archive import pack, unpack
from isonomy._models.files import from_bytes, to_bytes
from isonomy._models.model_file_error import ModelFileError
from tests.models.folder import names
from tests.models.hostile import (
    State,
    closed,
    find,
    items,
    node,
    npy,
    numbered,
    opened,
    pair,
    reference,
    respell,
    saved,
    table,
    text,
    thing,
    with_attribute,
)
from tests.models.models import X, Y, fitted

SYSTEM = node("FunctionNode", "os", "mkdir")
MKDIR = pair(text("exploded"))
UFUNC = node("FunctionNode", "numpy", "log1p")

# Everything by which skops builds, aimed at `os.mkdir("exploded")` or something else that acts.
CODE = {
    "function": SYSTEM,
    "builtin": node("TypeNode", "os", "mkdir"),
    "type": node("TypeNode", "subprocess", "Popen"),
    "method": node("MethodNode", "os", "mkdir", content={"func": "mkdir", "obj": text(1)}),
    "operator": node("OperatorFuncNode", "operator", "methodcaller", attrs=MKDIR),
    "operator call": node("OperatorFuncNode", "operator", "call", attrs=pair(SYSTEM, text("x"))),
    "partial": node(
        "PartialNode",
        "functools",
        "partial",
        content={"func": SYSTEM, "args": MKDIR, "kwds": table(), "namespace": table()},
    ),
    "constructor": node("ConstructorFromReduceNode", "os", "mkdir", content=MKDIR),
    "default": node(
        "DefaultDictNode",
        "collections",
        "defaultdict",
        content={"main": table(), "default_factory": SYSTEM},
    ),
    "list": node("ListNode", "os", "mkdir", content=[text("exploded")]),
    "set": node("SetNode", "os", "mkdir", content=[]),
    "tuple": node("TupleNode", "os", "mkdir", content=[]),
    "dict": node("DictNode", "os", "getcwd", content={}, key_types=items()),
    "keys": table(SYSTEM, exploded=text(1)),
    "ufunc keys": table(UFUNC, exploded=text(1)),
    "untyped keys": node("DictNode", "builtins", "dict", content={"a": text(1)}, key_types=text(1)),
    "array": node("NdArrayNode", "os", "mkdir", type="numpy", file="0.npy"),
    "loss": node("LossNode", "os", "mkdir", content=table(), __reduce__={"args": MKDIR}),
    "tree": node("TreeNode", "os", "mkdir", content=table(), __reduce__={"args": MKDIR}),
    "quantiles": node("QuantileForestNode", "os", "mkdir", content=table(), __reduce__={}),
    "random": node("RandomStateNode", "os", "getcwd", content=table()),
    "bits": node(
        "RandomGeneratorNode",
        "numpy.random._generator",
        "Generator",
        content={"bit_generator": table(bit_generator=text("seed")), "seed_seq": table()},
    ),
    "object": node("ObjectNode", "os", "mkdir", content=table()),
    "process": thing("subprocess", "Popen", args=text("mkdir exploded")),
    "tests": node("ObjectNode", "sklearn.linear_model.tests.x", "LogisticRegression"),
    "no class": thing("isonomy._core.validation", "as_scores", a=text(1)),
    "dots": node("ObjectNode", "sklearn.linear_model/../x", "LogisticRegression"),
    "unknown": node("EvalNode", "builtins", "eval", content="1"),
    "not text": {"__loader__": ["ObjectNode"], "__module__": 1, "__class__": None},
    "no node": {"content": 1},
    "dunder": thing("isonomy._core.objectives", "WorstLabel", __class__=text("x")),
    "hidden method": thing("isonomy._core.objectives", "WorstLabel", preferences=UFUNC),
    "cache": thing("sklearn.pipeline", "Pipeline", memory=text("cache")),
    "more fields": node("TypeNode", "builtins", "str", content=1),
}


@pytest.mark.parametrize("kind", CODE)
def test_no_node_runs_code(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelFileError):
        from_bytes(with_attribute(CODE[kind]), set())
    # Naming a type in `trusted` restores objects of it; it does not allow calls.
    trusted = {f"{CODE[kind].get('__module__')}.{CODE[kind].get('__class__')}", "os.mkdir"}
    with pytest.raises(ModelFileError):
        from_bytes(with_attribute(CODE[kind]), trusted)
    assert not names(tmp_path)


def test_what_is_spoiled_here_was_good() -> None:
    good = with_attribute(items(text(1.5), pair(), table(a=text(None)), UFUNC))
    assert from_bytes(good, set()).extra == [1.5, (), {"a": None}, np.log1p]


ARRAYS = {
    "claims much": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"),
    "claims none": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }", bytes(8)),
    "overflow": npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**62}, 8), }}"),
    "negative": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1), }", bytes(8)),
    "wide and empty": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 10**12), }"),
    "no size": npy("{'descr': '|V0', 'fortran_order': False, 'shape': (1000000000000,), }"),
    "no text": npy("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }"),
    "huge item": npy("{'descr': '|V2000000000', 'fortran_order': False, 'shape': (0,), }"),
    "objects": saved(np.array([{}, []], dtype=object)),
    "objects in records": saved(np.zeros(2, dtype=[("a", "O")])),
    "nested header": npy("(" * 9000),
    "code in header": npy("__import__('os').mkdir('exploded')"),
    "long header": npy("{" + " " * 20_000 + "}"),
    "no magic": b"\x80\x04K\x01.",
    "empty": b"",
    "only magic": b"\x93NUMPY",
    "version 2": npy("{}", version=b"\x02\x00"),
    "version 9": npy("{}", version=b"\x09\x00"),
    "zip": b"PK\x03\x04" + bytes(100),
    "one byte less": saved(np.arange(4.0))[:-1],
    "one byte more": saved(np.arange(4.0)) + b"\0",
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_array_headers_are_held_against_their_bytes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, members = opened()
    with pytest.raises(ModelFileError, match=r"[Aa]n? array"):
        from_bytes(pack({**members, "0.npy": ARRAYS[kind]}), set())
    assert not names(tmp_path)


def deep(levels: int) -> State:
    state = text(1)
    for _ in range(levels):
        state = items(state)
    return state


def schema_with(**changes: Any) -> bytes:
    schema, members = opened()
    return closed({**schema, **changes}, members)


def raw_schema(content: bytes) -> bytes:
    return closed(content, opened()[1])


SCHEMAS: dict[str, Callable[[], bytes]] = {
    "deep nodes": lambda: with_attribute(deep(150)),
    "deep brackets": lambda: raw_schema(b"[" * 100_000),
    "deep objects": lambda: raw_schema(b'{"content":' * 100_000),
    "deep JSON in text": lambda: with_attribute(
        node("JsonNode", "builtins", "str", content="[" * 10**5, is_json=True)
    ),
    "list in text": lambda: with_attribute(
        node("JsonNode", "builtins", "str", content="[[],[],[]]", is_json=True)
    ),
    "half a text": lambda: with_attribute(
        node("JsonNode", "builtins", "str", content='"half', is_json=True)
    ),
    "huge integer": lambda: raw_schema(b'{"protocol":' + b"9" * 10**6 + b"}"),
    "huge integer in text": lambda: with_attribute(
        node("JsonNode", "builtins", "str", content="9" * 10**6, is_json=True)
    ),
    "no JSON": lambda: raw_schema(b"coef"),
    "no UTF-8": lambda: raw_schema(b'{"\xff\xfe": 1}'),
    "a list": lambda: raw_schema(b"[]"),
    "empty": lambda: raw_schema(b"{}"),
    "old protocol": lambda: schema_with(protocol=0),
    "new protocol": lambda: schema_with(protocol=3),
    "no protocol": lambda: schema_with(protocol=None),
    "no version": lambda: schema_with(_skops_version=None),
    "another root": lambda: closed(
        {**text(1), "protocol": 2, "_skops_version": "0"},
        {k: v for k, v in opened()[1].items() if not k.endswith("npy")},
    ),
    "no such member": lambda: with_attribute(
        node("NdArrayNode", "numpy", "ndarray", type="numpy", file="7.npy")
    ),
    "manifest as array": lambda: with_attribute(
        node("NdArrayNode", "numpy", "ndarray", type="numpy", file="isonomy.json")
    ),
    "unused member": lambda: closed(*opened(), **{"1_npy": saved(X)}),
    "unknown reference": lambda: with_attribute(reference(5)),
    "reference to itself": lambda: with_attribute(numbered(items(reference(5)), 5)),
    "reference ahead": lambda: with_attribute(items(reference(5), numbered(items(), 5))),
    "same number twice": lambda: with_attribute(items(numbered(items(), 5), numbered(pair(), 5))),
    "number as text": lambda: with_attribute(numbered(items(), "5")),  # type: ignore[arg-type]
    "object array too large": lambda: with_attribute(
        node("NdArrayNode", "numpy", "ndarray", type="json", content=[], shape=pair(text(10**12)))
    ),
    "object array of shape": lambda: with_attribute(
        node(
            "NdArrayNode",
            "numpy",
            "ndarray",
            type="json",
            content=[items(text(1))],
            shape=pair(text(10**6), text(10**6)),
        )
    ),
    "slice of text": lambda: with_attribute(
        node("SliceNode", "builtins", "slice", content={"start": "a", "stop": 1, "step": 1})
    ),
    "masked": lambda: with_attribute(
        node("MaskedArrayNode", "numpy.ma", "MaskedArray", content={"data": text(1)})
    ),
    "masked text": lambda: with_attribute(
        node(
            "MaskedArrayNode", "numpy.ma", "MaskedArray", content={"data": text(1), "mask": text(1)}
        )
    ),
    "dtype": lambda: with_attribute(node("DTypeNode", "numpy", "dtype", content=text(1))),
    "state of no dictionary": lambda: with_attribute(
        node("ObjectNode", "isonomy._core.objectives", "WorstLabel", content=items())
    ),
    "position": lambda: with_attribute(
        node(
            "RandomStateNode",
            "numpy.random.mtrand",
            "RandomState",
            content=table(bit_generator=text("MT19937"), state=table(pos=text(10**9))),
        )
    ),
    "pool of seeds": lambda: with_attribute(
        node(
            "RandomGeneratorNode",
            "numpy.random._generator",
            "Generator",
            content={
                "bit_generator": table(bit_generator=text("PCG64")),
                "seed_seq": table(pool_size=text(10**12)),
            },
        )
    ),
    "loss of objects": lambda: with_attribute(
        node(
            "LossNode",
            "sklearn._loss._loss",
            "CyHuberLoss",
            content=table(),
            __reduce__={"args": pair(text("x"))},
        )
    ),
    "loss with a state": lambda: with_attribute(
        node(
            "LossNode",
            "sklearn._loss._loss",
            "CyHuberLoss",
            content=table(a=text(1)),
            __reduce__={"args": pair()},
        )
    ),
    "manifest": lambda: pack({**opened()[1], "isonomy.json": b"[]"}),
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_spoiled_schemas_are_refused(kind: str) -> None:
    with pytest.raises(ModelFileError):
        from_bytes(SCHEMAS[kind](), set())


def test_the_deepest_schema_that_is_allowed_loads() -> None:
    found = from_bytes(with_attribute(deep(97)), set()).extra
    for _ in range(97):
        (found,) = found
    assert found == 1


# ---- decision trees


def spoil(name: str, field: str, place: int, value: Any) -> bytes:
    """A model whose first table of nodes has another value."""
    _, members = opened(name)
    for key, content in members.items():
        if key.endswith(".npy") and f"'{field}'".encode() in content[:1000]:
            buffer = np.load(io.BytesIO(content))
            buffer[field][place] = value
            members[key] = saved(buffer)
            return pack(members)
    raise AssertionError("no table of nodes")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("forest", "left_child", 10**6),
        ("forest", "right_child", 10**6),
        ("forest", "left_child", 0),
        ("forest", "right_child", 1),
        ("forest", "right_child", -5),
        ("forest", "feature", 4),
        ("forest", "feature", -1),
        ("histogram", "left", 10**6),
        ("histogram", "right", 0),
        ("histogram", "feature_idx", 4),
        ("histogram", "is_categorical", 1),
        ("forest", "right_child", 2),
    ],
)
def test_trees_that_would_read_foreign_memory_are_refused(
    name: str, field: str, value: int
) -> None:
    with pytest.raises(ModelFileError, match=r"[Tt]ree"):
        from_bytes(spoil(name, field, 0, value), set())


@pytest.mark.parametrize(
    ("name", "field", "other"),
    [("forest", "left_child", "n_node_samples"), ("histogram", "left", "count")],
)
def test_fields_of_trees_stand_where_they_are_read(name: str, field: str, other: str) -> None:
    """Two names changed places: what is checked by its name would be read by its place."""
    _, members = opened(name)
    for key, content in members.items():
        if key.endswith(".npy") and f"'{field}'".encode() in content[:1000]:
            table = np.load(io.BytesIO(content)).copy()
            swap = {field: other, other: field}
            table.dtype.names = tuple(swap.get(each, each) for each in table.dtype.names)
            with pytest.raises(ModelFileError, match="decision tree"):
                from_bytes(pack({**members, key: saved(table)}), set())
            return
    raise AssertionError("no table of nodes")


@pytest.mark.parametrize("jobs", [60, 10**6, -1])
def test_no_file_says_how_many_processes_to_start(jobs: int) -> None:
    schema, members = opened("forest")
    find(schema, "RandomForestClassifier", "n_jobs")["content"]["n_jobs"] = text(jobs)
    found = from_bytes(closed(schema, members), set())
    assert found.estimators_[0].n_jobs is None
    again = from_bytes(to_bytes(found), set())
    assert np.array_equal(again.predict(X), fitted("forest").predict(X))


def test_jobs_are_not_saved_but_stay_with_whoever_saves(tmp_path: Path) -> None:
    ranker = iso.PlugInRanker(RandomForestClassifier(2, n_jobs=2), cv=None).fit(X, Y)
    iso.save(ranker, tmp_path / "model")
    assert ranker.estimators_[0].n_jobs == 2
    assert iso.load(tmp_path / "model").estimators_[0].n_jobs is None
    ranker.estimators_[0].n_jobs = np.int64(2)
    with pytest.raises(ValueError, match="n_jobs should be a plain number"):
        iso.save(ranker, tmp_path / "model")


@pytest.mark.parametrize("shape", [(2,), (2, 2)])
def test_references_are_counted(shape: tuple[int, ...]) -> None:
    """Lists of two references each, inside each other: 2^40 entries in a few thousand bytes."""
    parts = [numbered(items(text(1), text(2)), 1)] + [
        numbered(items(reference(number - 1), reference(number - 1)), number)
        for number in range(2, 40)
    ]
    array = node(
        "NdArrayNode",
        "numpy",
        "ndarray",
        type="json",
        content=[reference(39), reference(39)],
        shape=pair(*map(text, shape)),
    )
    begun = time.process_time()
    for content in (items(*parts), items(*parts, array)):
        with pytest.raises(ModelFileError, match="again and again"):
            from_bytes(with_attribute(content), set())
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("forest", '"n_features_in_": {"__class__": "str"', '"n_in": {"__class__": "str"'),
        ("histogram", '"n_features_in_": {"__class__": "str"', '"n_in": {"__class__": "str"'),
        ("forest", '"content": "4"', '"content": "3"'),
        ("forest", '"max_depth": {"__class__": "str"', '"max": {"__class__": "str"'),
        ("forest", '"node_count": {"__class__": "str"', '"count": {"__class__": "str"'),
        ("forest", '"nodes": {', '"knots": {'),
        ("histogram", '"nodes": {', '"knots": {'),
    ],
)
def test_trees_are_held_against_their_estimators(name: str, old: str, new: str) -> None:
    with pytest.raises(ModelFileError):
        from_bytes(respell(name, old, new), set())


@pytest.mark.parametrize(("name", "value"), [("_in_fit", True), ("_preprocessor", "x")])
def test_boosting_cannot_be_told_to_skip_its_checks(name: str, value: Any) -> None:
    schema, members = opened("histogram")
    boosting = find(schema, "HistGradientBoostingClassifier", "_predictors")
    if name not in boosting["content"]:
        boosting["key_types"]["content"].append(node("TypeNode", "builtins", "str"))
    boosting["content"][name] = text(value)
    with pytest.raises(ModelFileError, match=f"{name} should be"):
        from_bytes(closed(schema, members), set())


# ---- sparse matrices


def sparse_file(**parts: Any) -> bytes:
    _, members = opened("sparse")
    (key,) = (key for key in members if key.endswith(".npz"))
    buffer = io.BytesIO(members[key])
    with np.load(buffer) as arrays:
        content = {**arrays, **parts}
    out = io.BytesIO()
    np.savez(out, **content)
    members[key] = out.getvalue()
    return pack(members)


@pytest.mark.parametrize(
    "parts",
    [
        {"indices": np.full(100, 10**6, dtype=np.int32)},
        {"indptr": np.array([0, 1], dtype=np.int32)},
        {"shape": np.array([10**12, 10**12])},
        {"format": np.array(b"dia")},
        {"data": np.zeros(10**6)},
        {"more": np.zeros(1)},
    ],
)
def test_unsound_sparse_matrices_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match="sparse matrix"):
        from_bytes(sparse_file(**parts), set())


def test_compressed_sparse_matrices_are_refused() -> None:
    _, members = opened("sparse")
    (key,) = (key for key in members if key.endswith(".npz"))
    for content in (b"", b"PK\x03\x04", members[key][:-10]):
        with pytest.raises(ModelFileError, match="sparse matrix"):
            from_bytes(pack({**members, key: content}), set())
    out = io.BytesIO()
    with np.load(io.BytesIO(members[key])) as arrays:
        np.savez_compressed(out, **arrays)
    with pytest.raises(ModelFileError, match="compressed"):
        from_bytes(pack({**members, key: out.getvalue()}), set())


# ---- whole files


def test_truncated_at_every_byte(tmp_path: Path) -> None:
    data, path = to_bytes(fitted("linear")), tmp_path / "model"
    for length in range(len(data)):
        with pytest.raises(ModelFileError, match=r"no model file|truncated"):
            from_bytes(data[:length], set())
        if length % 50 == 0:
            path.write_bytes(data[:length])
            with pytest.raises(ValueError, match=r"no model file|truncated"):
                iso.load(path)
    path.write_bytes(data)
    iso.load(path)


def test_2000_random_mutations(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data, path = to_bytes(fitted("logistic")), tmp_path / "model"
    for number in range(2000):
        spoiled = mutated(data, rng)
        assert spoiled != data
        with pytest.raises(ModelFileError, match=r"no model file|truncated or was altered"):
            from_bytes(spoiled, set())
        if number % 50 == 0:
            path.write_bytes(spoiled)
            with pytest.raises(ValueError, match="Cannot load"):
                iso.load(path)


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Bits flipped, bytes replaced, pieces cut out, doubled or moved."""
    a = int(rng.integers(1, len(data) - 1))
    b = min(a + 1 + int(rng.integers(100)), len(data))
    match int(rng.integers(5)):
        case 0:
            return data[:a] + bytes([data[a] ^ (1 << int(rng.integers(8)))]) + data[a + 1 :]
        case 1:
            return data[:a] + rng.bytes(b - a) + data[b:]
        case 2:
            return data[:a] + data[b + 1 :]
        case 3:
            return data[:b] + data[a:b] + data[b:] + b"\0"
        case _:
            return data[a:] + data[:a]


def test_mutations_behind_a_right_checksum_do_no_harm() -> None:
    """Whoever repairs the checksum meets the other checks: an error or a ranker, no crash."""
    rng = np.random.default_rng(1)
    schema, members = opened("logistic")
    original = json.dumps(schema).encode()
    outcomes = {"ranker": 0, "refused": 0}
    for _ in range(300):
        try:
            found = from_bytes(closed(mutated(original, rng), members), set())
            assert isinstance(found, iso.PlugInRanker)
            outcomes["ranker"] += 1
        except ModelFileError:
            outcomes["refused"] += 1
    assert outcomes["refused"] > 100, outcomes


# ---- memory

MEMORY = """
import sys, tracemalloc
import isonomy as iso
from pathlib import Path
iso.load(sys.argv[1])  # Imports.
for path in sys.argv[2:]:
    tracemalloc.start()
    try:
        iso.load(path)
        found = "loaded"
    except ValueError as error:
        found = type(error).__name__
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(Path(path).name, found, Path(path).stat().st_size, peak)
"""


def bombs() -> dict[str, bytes]:
    import zipfile

    from tests.models.test_archive import sealed

    def deflated(archive: zipfile.ZipFile) -> None:
        archive.writestr(zipfile.ZipInfo("isonomy.json"), b"{}")
        archive.writestr("schema.json", bytes(50_000_000), zipfile.ZIP_DEFLATED)

    def many(archive: zipfile.ZipFile) -> None:
        for number in range(5_000):
            archive.writestr(zipfile.ZipInfo(f"{number}.bin" if number else "isonomy.json"), b"")

    _, members = opened()
    nodes = json.dumps(text(0), separators=(",", ":")).encode()
    return {
        "deflate": sealed(deflated),
        "members": sealed(many),
        "array": pack({**members, "0.npy": ARRAYS["claims much"]}),
        "nested": raw_schema(b"[" * 300_000),
        "flat": raw_schema(b"[" + b"{}," * 100_000 + b"{}]"),
        "nodes": with_attribute(items(*[json.loads(nodes)] * 5_000)),
        "integers": raw_schema(b'{"a":' + b"9" * 300_000 + b"}"),
    }


def test_memory_is_bounded_by_the_size_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(to_bytes(fitted("linear")))
    paths = []
    for name, data in bombs().items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "good"), *map(str, paths)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        name, found, size, peak = line.split()
        assert found == ("loaded" if name == "nodes" else "ValueError"), line
        assert int(peak) < 1_000_000 + 40 * int(size), line
    assert len(out.splitlines()) == len(paths)


def test_no_member_outlives_the_check() -> None:
    """Loading reads a file once: what was checked is what is built."""
    data = to_bytes(fitted("linear"))
    assert all(view.obj is data for view in unpack(data).values())
