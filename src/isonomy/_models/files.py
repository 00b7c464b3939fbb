"""Save rankers and load them, without code in the file."""

from __future__ import annotations

import json
import math
import os
import platform
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from isonomy import __version__
from isonomy._infra import check_writable, warn_user, write_whole
from isonomy._models.archive import HEAD, MANIFEST, SCHEMA, check_start, pack, unpack
from isonomy._models.canonical import canonical
from isonomy._models.model_file_error import ModelFileError
from isonomy._models.node_checks import Findings, check_classes, examine, forget_jobs
from isonomy._models.prediction_checks import check_predicts
from isonomy._models.schema import State, parse
from isonomy._models.skops_io import skops_io
from isonomy._rankers import Ranker

FORMAT = 2
_PACKAGES = ("numpy", "scikit-learn", "skops")
# By what stands in the path of a function that cannot be saved.
_CURES = {
    "._preprocessor": "HistGradientBoostingClassifier keeps functions for categorical features: "
    "encode them in a step before it, or use BoostedRanker.",
    ".params[": "Prediction needs it not: call the ranker's `set_params(params=None)` and save.",
    ".scorer_": "Save the ranker with the search's `best_estimator_`, or search with scoring=None.",
    "": "Use a named option in its place (`how='mean'`, `costs` as an array; numpy's functions of "
    "numbers, such as np.log1p, are fine), or put the function into a class of your own with "
    "`transform` or `preferences`, which loads with `trusted=`.",
}


def save(
    ranker: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Save a fitted ranker, or a pipeline that contains one, to a file.

    Whatever interrupts the write, the file is the old one or the whole new one. The same model
    gives the same bytes.

    Parameters
    ----------
    ranker : ranker or Pipeline
        Any fitted ranker of Isonomy, or a scikit-learn `Pipeline` with one among its steps.
    path : str or path
        Where to. Any name will do; `.isonomy` is a good ending.
    about : mapping, optional
        What `isonomy show` should tell of the model besides what it is: where its rows came
        from, say. Names, with text, numbers or lists of these.

    Raises
    ------
    TypeError
        If `ranker` is no ranker.
    ValueError
        If it is not fitted, or holds what a file cannot hold: functions, torch modules. The
        file is not touched.
    OSError
        If the file cannot be written, such as on a full disk. An old file stays as it was.

    See Also
    --------
    load

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import isonomy as iso
    >>> X, Y = [[0.0, 2.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> ranker = iso.LinearRanker(l2=0.01).fit(X, Y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ranker.isonomy")
    ...     iso.save(ranker, path)
    ...     again = iso.load(path)
    >>> bool((again.predict(X) == ranker.predict(X)).all())
    True
    """
    where = _as_path(path)
    _check_ranker(ranker)
    check_writable(where, "Parameter `path`")
    write_whole(where, to_bytes(ranker, _as_about(about)))


def load(path: str | os.PathLike[str], *, trusted: Sequence[str] = ()) -> Any:
    """Load what `save` saved.

    Loading runs no code from the file: a file can only name types on a closed list (Isonomy's,
    numpy's, many of scikit-learn's) and give their attributes. The file is checked before
    anything is built from it.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote.
    trusted : sequence of str
        Names of further types to accept, such as ["my_package.MyTransformer"]. Their modules
        are imported, so name only what you know.

    Returns
    -------
    ranker or Pipeline
        Equal to what was saved: its predictions are the same to the last bit.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no model file, truncated, altered, written by a newer Isonomy, or holds a type
        that is neither on the list nor in `trusted`.

    Warns
    -----
    UserWarning
        If it holds scikit-learn's objects of another version of scikit-learn.

    See Also
    --------
    save

    Examples
    --------
    >>> import isonomy as iso
    >>> iso.load("README.md")
    Traceback (most recent call last):
    ...
    ValueError: Cannot load README.md. It is no model file of Isonomy. Pass a file that
    `isonomy.save` wrote.
    """
    where = _as_path(path)
    names = _as_trusted(trusted)
    where.stat()
    if not where.is_file():
        raise ValueError(
            f"Cannot load {where}. It is not a file. Pass one that `isonomy.save` wrote."
        )
    try:
        with where.open("rb") as file:
            # A file of another kind may be too large to be read.
            check_start(file.read(HEAD))
            file.seek(0)
            return from_bytes(file.read(), names)
    except ModelFileError as error:
        raise ValueError(f"Cannot load {where}. {error}") from error


@dataclass(frozen=True)
class ModelFacts:
    """What a file says of itself: versions of what wrote it, and what `save` was told."""

    versions: dict[str, str]
    about: dict[str, Any]


def read_facts(path: str | os.PathLike[str]) -> ModelFacts:
    """What a model file says of itself; nothing is built from it."""
    try:
        manifest = unpack(Path(path).read_bytes())[MANIFEST]
        about = parse(manifest).get("about")
        plain: State = about if about is not None and _is_plain(about) else {}
        return ModelFacts(_read_manifest(manifest), plain)
    except ModelFileError as error:
        raise ValueError(f"Cannot load {path}. {error}") from error


def to_bytes(ranker: Any, about: State | None = None) -> bytes:
    """The file's content; checked to be loadable."""
    io = skops_io()
    _refuse_modules(ranker)
    name = type(ranker).__name__
    try:
        schema, members = canonical(io.dumps(ranker))
        views = {key: memoryview(value) for key, value in members.items()}
        found = examine(schema, views)
        forget_jobs(found)
        content = {
            MANIFEST: _text(_manifest(about)),
            SCHEMA: _text(schema),
            **members,
        }
        data = pack(content)
        again, _ = canonical(io.dumps(from_bytes(data, found.unlisted)))
    except ModelFileError as error:
        cures = (f" {cure}" for part, cure in _CURES.items() if part in str(error))
        known = "holds no code" in str(error) or ".params[" in str(error)
        cure = next(cures) if known else ""
        raise ValueError(f"Cannot save this {name}. {error}{cure}") from error
    except Exception as error:
        raise ValueError(
            f"Cannot save this {name}: it holds an object that skops, which writes model files, "
            f"cannot take ({type(error).__name__}: {str(error)[:300]})."
        ) from error
    if _outline(found) != _outline(examine(again, views)):
        raise ValueError(
            f"Cannot save this {name}: it would not come back as it is. Dictionaries should have "
            "keys that are text or numbers."
        )
    return data


def from_bytes(data: bytes, trusted: set[str]) -> Any:
    """The ranker in a file's content."""
    members = unpack(data)
    head = members.pop(MANIFEST)
    manifest = _read_manifest(head)
    schema = parse(members.pop(SCHEMA))
    try:
        found = examine(schema, members)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(
            f"Its schema makes no sense ({type(error).__name__}: {error})."
        ) from error
    unknown = sorted(found.unlisted - trusted)
    if unknown:
        raise ModelFileError(
            f"It holds objects of types that are not trusted: {', '.join(unknown)}. If you know "
            f"that the file comes from a good source, pass trusted={unknown}."
        )
    check_classes(found)
    _warn_of_version(manifest, found)
    if forget_jobs(found):
        rest = {name: bytes(member) for name, member in members.items()}
        data = pack({MANIFEST: bytes(head), SCHEMA: _text(schema), **rest})
    return _build(data, found)


def _build(data: bytes, found: Findings) -> Any:
    io = skops_io()
    names = sorted(name for name in found.types if not name.startswith("builtins."))
    try:
        with warnings.catch_warnings():
            # `_warn_of_version` says it once, with the cure.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            ranker = io.loads(data, trusted=names)
    except Exception as error:
        raise ModelFileError(
            f"Its objects cannot be built ({type(error).__name__}: {str(error)[:300]})."
        ) from error
    try:
        if not _has_ranker(ranker):
            raise ModelFileError(f"It holds a {type(ranker).__name__}, not a ranker.")
        check_is_fitted(ranker)
    except ModelFileError:
        raise
    except NotFittedError as error:
        raise ModelFileError("Its ranker is not fitted.") from error
    except Exception as error:
        raise ModelFileError(
            f"Its pipeline has no steps to follow ({str(error)[:300]})."
        ) from error
    check_predicts(ranker)
    return ranker


def _manifest(about: State | None) -> State:
    return {
        **({"about": about} if about else {}),
        "format": FORMAT,
        "isonomy": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
    }


def _read_manifest(text: memoryview) -> dict[str, str]:
    manifest = parse(text)
    manifest.pop("about", None)
    number = manifest.pop("format", None)
    if type(number) is not int or number < 1:
        raise ModelFileError("It does not say which format it has.")
    if number > FORMAT:
        raise ModelFileError(
            f"It has format {number}, of Isonomy {str(manifest.get('isonomy'))[:40]}; this version "
            f"reads format {FORMAT}. Upgrade with `pip install -U isonomy`."
        )
    if number < FORMAT:
        raise ModelFileError(
            f"It has format {number}, of Isonomy {str(manifest.get('isonomy'))[:40]}, whose types "
            f"have moved; this version reads format {FORMAT}. Fit the model again and save it."
        )
    return {str(name): str(value)[:40] for name, value in manifest.items()}


def _warn_of_version(manifest: dict[str, str], found: Findings) -> None:
    then, now = manifest.get("scikit-learn", "an unknown version"), version("scikit-learn")
    if then != now and any(name.startswith("sklearn.") for name in found.types):
        warn_user(
            f"The file was written with scikit-learn {then}, and this is {now}: its estimators may "
            f"behave differently or fail. Install scikit-learn=={then}, or fit and save again."
        )


def _outline(found: Findings) -> list[tuple[object, ...]]:
    """Kinds, types, keys and places of all nodes: what could get lost."""
    outline: list[tuple[object, ...]] = []
    todo = [found.root]
    while todo:
        node = todo.pop()
        content = node.state.get("content")
        keys = tuple(content) if isinstance(content, dict) else None
        outline.append((node.loader, node.type, keys, len(node.children)))
        todo += node.children
    return outline


def _text(value: State) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _as_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"Parameter `path` should be a path. Found {path!r}.")
    return Path(path)


def _as_trusted(trusted: Any) -> set[str]:
    if not isinstance(trusted, Iterable):
        trusted = [trusted]
    names = [trusted] if isinstance(trusted, str) else list(trusted)
    for name in names:
        if not isinstance(name, str) or "." not in name:
            raise TypeError(
                "Parameter `trusted` should hold names such as 'my_package.MyTransformer'. "
                f"Found {name!r}."
            )
    return set(names)


def _as_about(about: Any) -> State:
    found = {} if about is None else dict(about)
    if not _is_plain(found):
        raise TypeError(
            "Parameter `about` should map names to text, numbers or lists of these. "
            f"Found {about!r}."
        )
    return found


def _is_plain(about: Any) -> bool:
    """A dictionary of names, each with text, a number or a list of these."""
    return isinstance(about, dict) and all(
        isinstance(name, str)
        and all(
            isinstance(each, str | int) or (isinstance(each, float) and math.isfinite(each))
            for each in (value if isinstance(value, list) else [value])
        )
        for name, value in about.items()
    )


def _check_ranker(ranker: Any) -> None:
    if not _has_ranker(ranker):
        best = ", such as its `best_estimator_`" if hasattr(ranker, "best_estimator_") else ""
        raise TypeError(
            "Parameter `ranker` should be a fitted ranker of Isonomy, or a Pipeline that contains "
            f"one{best}. Found {type(ranker).__name__}."
        )
    check_is_fitted(ranker, msg="Parameter `ranker` is not fitted. Call `fit` before `save`.")


def _has_ranker(ranker: Any) -> bool:
    if isinstance(ranker, Pipeline):
        return any(_has_ranker(step) for _, step in ranker.steps)
    return isinstance(ranker, Ranker)


def _refuse_modules(ranker: Any) -> None:
    """Networks of one's own are code."""
    values = [ranker, *ranker.get_params(deep=True).values()]
    for value in values:
        kinds = value.__mro__ if isinstance(value, type) else type(value).__mro__
        torch = any(kind.__module__.partition(".")[0] == "torch" for kind in kinds)
        if torch or hasattr(value, "module_"):
            raise ValueError(
                f"Cannot save this {type(ranker).__name__}: it holds a torch module of your own, "
                "which is code. Save the module's weights with `torch.save(module.state_dict(), "
                "path)` and keep its class beside them, or use NeuralRanker's default network."
            )
