"""Save and load: what comes back, what is refused, and what a failed write leaves."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
import warnings
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

import isonomy as iso
from isonomy._models.archive import pack, unpack
from isonomy._models.files import to_bytes
from tests.models.folder import names
from tests.models.models import FRAME, MODELS, TEXTS, X, Y, fitted


class Doubled(BaseEstimator):
    """A transformer of one's own."""

    def fit(self, X: Any, y: Any = None) -> Doubled:
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        return 2 * X


def altered(data: bytes, **texts: dict[str, Any]) -> bytes:
    """A file with other entries in its manifest or schema, and a right checksum."""
    members = {name: bytes(view) for name, view in unpack(data).items()}
    for name, changes in texts.items():
        text = json.loads(members[f"{name}.json"]) | changes
        members[f"{name}.json"] = json.dumps(text).encode()
    return pack(members)


@pytest.mark.parametrize("name", MODELS)
def test_predictions_after_load_are_equal_bit_for_bit(name: str, tmp_path: Path) -> None:
    model, path = fitted(name), tmp_path / "model.isonomy"
    iso.save(model, path)
    again = iso.load(path)
    assert type(again) is type(model)
    assert to_bytes(again) == path.read_bytes(), "the same model gives the same bytes"
    rows = MODELS[name].rows
    assert np.array_equal(again.predict(rows), model.predict(rows))


def test_boosted_rankers_serve_without_their_engines(tmp_path: Path) -> None:
    models = [name for name in MODELS if name in ("lightgbm", "xgboost")]
    for name in models:
        iso.save(fitted(name), tmp_path / name)
        np.save(tmp_path / f"{name}.npy", fitted(name).predict(X))
    np.save(tmp_path / "X.npy", X)
    code = f"""
import sys
sys.modules["lightgbm"] = sys.modules["xgboost"] = None
import numpy as np
import isonomy as iso
for name in {models}:
    ranker = iso.load(name)
    assert (ranker.predict(np.load("X.npy")) == np.load(name + ".npy")).all()
    assert not hasattr(ranker, "booster_")
    iso.save(ranker, name + "2")
assert "lightgbm" not in {{key.partition(".")[0] for key, found in sys.modules.items() if found}}
"""
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert found.returncode == 0, found.stderr.decode()
    for name in models:
        assert (tmp_path / f"{name}2").read_bytes() == (tmp_path / name).read_bytes()


def test_the_result_of_blend_is_a_ranker_like_others(tmp_path: Path) -> None:
    model = iso.blend(X, Y)
    iso.save(model, str(tmp_path / "blend"))
    assert np.array_equal(iso.load(str(tmp_path / "blend")).predict(X), model.predict(X))


def test_a_shared_object_is_written_once_and_stays_shared(tmp_path: Path) -> None:
    iso.save(fitted("forest"), tmp_path / "model")
    again = iso.load(tmp_path / "model")
    assert again.estimators_[0] is again._fitted[0]


def test_an_objective_keeps_its_parameters(tmp_path: Path) -> None:
    iso.save(fitted("costs"), tmp_path / "model")
    assert iso.load(tmp_path / "model").objective == fitted("costs").objective


def test_a_loaded_ranker_can_be_fitted_again(tmp_path: Path) -> None:
    iso.save(fitted("linear"), tmp_path / "model")
    again = iso.load(tmp_path / "model").fit(X, Y)
    assert np.array_equal(again.coef_, fitted("linear").coef_)


# ---- refused at save, before the file is touched


def with_objective(objective: Any) -> Any:
    return iso.LinearRanker(objective).fit(X, Y)


def levels(Y: Any) -> Any:
    return Y.sum(axis=1)


def with_attribute(**attributes: Any) -> Any:
    ranker = iso.LinearRanker().fit(X, Y)
    vars(ranker).update(attributes)
    return ranker


def quietly(ranker: Any, rows: Any = X) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ranker.fit(rows, Y)


def open_file() -> Any:
    with Path(__file__).open() as file:
        return file


def loop() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


UNSAVABLE = {
    "not a ranker": (lambda: LogisticRegression().fit(X, Y[:, 0]), TypeError, "LogisticRegression"),
    "a pipeline without": (
        lambda: make_pipeline(Doubled(), LogisticRegression()).fit(X, Y[:, 0]),
        TypeError,
        "Pipeline that contains one",
    ),
    "a search": (
        lambda: GridSearchCV(iso.LinearRanker(), {"l2": [0.1]}, cv=2).fit(X, Y),
        TypeError,
        "best_estimator_",
    ),
    "a class": (lambda: iso.LinearRanker, TypeError, "fitted ranker"),
    "nothing": (lambda: None, TypeError, "NoneType"),
    "unfitted": (iso.LinearRanker, ValueError, "Call `fit` before"),
    "unfitted pipeline": (
        lambda: make_pipeline(Doubled(), iso.LinearRanker()),
        ValueError,
        "Call `fit` before",
    ),
    "lambda": (
        lambda: with_objective(iso.LabelAggregation(lambda Y: Y.sum(axis=1))),
        ValueError,
        r"LinearRanker.objective.how is a function .*how='mean'",
    ),
    "function": (
        lambda: with_objective(iso.LabelAggregation(levels)),
        ValueError,
        "LinearRanker.objective.how is a function",
    ),
    "partial": (
        lambda: with_objective(iso.LabelAggregation(partial(np.sum, axis=1))),
        ValueError,
        "is a function",
    ),
    "costs": (
        lambda: with_objective(iso.LabelAggregation(costs=lambda a, b: a - b)),
        ValueError,
        "LinearRanker.objective.costs is a function",
    ),
    "transformer": (
        lambda: make_pipeline(FunctionTransformer(lambda X: X), iso.LinearRanker()).fit(X, Y),
        ValueError,
        r"Pipeline.steps\[0\]\[1\].func is a function .*trusted=",
    ),
    "method": (
        lambda: make_pipeline(FunctionTransformer(X.__add__), iso.LinearRanker()).fit(X, Y),
        ValueError,
        "Cannot save this Pipeline",
    ),
    "numpy's function with effects": (
        lambda: make_pipeline(FunctionTransformer(np.asarray), iso.LinearRanker()).fit(X, Y),
        ValueError,
        "is a function",
    ),
    "categories": (
        lambda: quietly(
            iso.PlugInRanker(
                HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype"),
                cv=None,
            ),
            FRAME.astype({"colour": "category"}),
        ),
        ValueError,
        "encode them in a step before",
    ),
    "scorer": (
        lambda: iso.PlugInRanker(
            GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring="roc_auc", cv=2), cv=None
        ).fit(X, Y),
        ValueError,
        "scoring=None",
    ),
    "keys": (lambda: with_attribute(table={(1, 2): 3}), ValueError, "Cannot save"),
    "bool keys": (lambda: with_attribute(table={True: 1, False: 2}), ValueError, "neither text"),
    "keys of one text": (
        lambda: with_attribute(table={1: 1, "1": 2}),
        ValueError,
        "two keys of the same text",
    ),
    "a loop": (lambda: with_attribute(loop=loop()), ValueError, "Cannot save"),
    "deep": (lambda: with_attribute(deep=nested(200)), ValueError, "levels deep|recursion"),
    "an open file": (lambda: with_attribute(file=open_file()), ValueError, "Cannot save"),
    "random numbers": (lambda: with_attribute(r=random.Random(0)), ValueError, "random.Random"),
    "a hidden method": (lambda: with_attribute(predict=3), ValueError, "hides its method predict"),
    "a matrix of records": (
        lambda: with_attribute(table=np.empty(2, dtype=[("a", object)])),
        ValueError,
        "Cannot save",
    ),
}


def nested(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize("case", UNSAVABLE)
def test_what_a_file_cannot_hold_is_refused_before_the_file_is_touched(
    case: str, tmp_path: Path
) -> None:
    make, error, message = UNSAVABLE[case]
    path = tmp_path / "model"
    path.write_bytes(b"old")
    with pytest.raises(error, match=message):
        iso.save(make(), path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_a_cache_is_refused(tmp_path: Path) -> None:
    ranker = make_pipeline(Doubled(), iso.LinearRanker()).fit(X, Y)
    ranker.memory = str(tmp_path)
    with pytest.raises(ValueError, match="Set memory=None"):
        iso.save(ranker, tmp_path / "model")


def test_a_torch_module_is_refused_with_the_cure(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    for attributes in ({"module_": torch.nn.Linear(1, 1)}, {"objective": torch.nn.Linear(1, 1)}):
        with pytest.raises(ValueError, match=r"torch\.save"):
            iso.save(with_attribute(**attributes), tmp_path / "model")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": 3}, TypeError, "`path` should be a path"),
        ({"path": "model", "trusted": [3]}, TypeError, "`trusted` should hold names"),
        ({"path": "model", "trusted": None}, TypeError, "`trusted` should hold names.*None"),
        ({"path": "model", "trusted": ["Doubled"]}, TypeError, r"such as 'my_package\.MyTrans"),
        ({"path": "no such file"}, FileNotFoundError, "no such file"),
        ({"path": os.curdir}, ValueError, "not a file"),
        ({"path": os.devnull}, ValueError, "not a file"),
    ],
)
def test_bad_arguments_of_load(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        iso.load(**arguments)


# ---- types that are not on the list


def test_a_type_of_ones_own_loads_when_it_is_trusted(tmp_path: Path) -> None:
    model, path = make_pipeline(Doubled(), iso.LinearRanker()).fit(X, Y), tmp_path / "model"
    iso.save(model, path)
    with pytest.raises(ValueError, match=r"trusted=\['tests.models.test_files.Doubled'\]"):
        iso.load(path)
    for trusted in (["tests.models.test_files.Doubled"], "tests.models.test_files.Doubled"):
        assert np.array_equal(iso.load(path, trusted=trusted).predict(X), model.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [SVC(probability=True), KNeighborsClassifier(), GradientBoostingClassifier(n_estimators=2)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_whose_compiled_code_trusts_the_file_must_be_named(
    estimator: Any, tmp_path: Path
) -> None:
    model, path = quietly(iso.PlugInRanker(estimator, cv=None)), tmp_path / "model"
    iso.save(model, path)
    with pytest.raises(ValueError, match="not trusted") as caught:
        iso.load(path)
    names = json.loads(str(caught.value).split("trusted=")[1].rstrip(".").replace("'", '"'))
    assert np.array_equal(iso.load(path, trusted=names).predict(X), model.predict(X))


# ---- versions


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "model"
    data = to_bytes(fitted("linear"))
    path.write_bytes(altered(data, isonomy={"format": 3, "isonomy": "9.1"}))
    with pytest.raises(ValueError, match=r"format 3, of Isonomy 9\.1.*pip install -U"):
        iso.load(path)
    for number in ("1", True, None, 0, 1.0):
        path.write_bytes(altered(data, isonomy={"format": number}))
        with pytest.raises(ValueError, match="which format"):
            iso.load(path)


def test_an_older_format_asks_for_a_new_fit(tmp_path: Path) -> None:
    path = tmp_path / "model"
    data = to_bytes(fitted("linear"))
    path.write_bytes(altered(data, isonomy={"format": 1, "isonomy": "0.1.0"}))
    with pytest.raises(ValueError, match=r"format 1, of Isonomy 0\.1\.0.*Fit the model again"):
        iso.load(path)


def test_another_scikit_learn_gives_one_warning_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(altered(to_bytes(fitted("logistic")), isonomy={"scikit-learn": "1.2.3"}))
    with pytest.warns(UserWarning, match=r"Install scikit-learn==1\.2\.3") as caught:
        iso.load(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    # Isonomy's own objects do not depend on it.
    path.write_bytes(altered(to_bytes(fitted("linear")), isonomy={"scikit-learn": "1.2.3"}))
    iso.load(path)


# ---- foreign files


def foreign(folder: Path) -> dict[str, bytes]:
    import joblib
    import skops.io

    joblib.dump(fitted("linear"), folder / "joblib")
    np.savez(folder / "arrays.npz", a=X)
    with zipfile.ZipFile(folder / "zip", "w") as archive:
        archive.writestr("isonomy.json", "{}")
    return {
        "empty": b"",
        "one byte": b"P",
        "random": np.random.default_rng(0).bytes(5000),
        "text": b"coef: 1, 2\n",
        "pickle": pickle.dumps(fitted("linear")),
        "joblib": (folder / "joblib").read_bytes(),
        "numpy": (folder / "arrays.npz").read_bytes(),
        "zip": (folder / "zip").read_bytes(),
        "skops": skops.io.dumps(fitted("linear")),
    }


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    for name, data in foreign(tmp_path).items():
        path = tmp_path / "foreign"
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"no model file|truncated or was altered") as caught:
            iso.load(path)
        assert str(path) in str(caught.value)
        if name == "pickle":
            assert "a pickle" in str(caught.value)


class Bomb:
    def __reduce__(self) -> Any:
        return (os.mkdir, ("exploded",))


@pytest.mark.skipif(os.name != "posix", reason="a file with a hole")
def test_a_large_foreign_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, 2**42)
    with pytest.raises(ValueError, match="no model file"):
        iso.load(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"`path`.*make the folder first"):
        iso.save(fitted("linear"), tmp_path / "no" / "model")
    with pytest.raises(IsADirectoryError, match=r"`path`.*Found a folder"):
        iso.save(fitted("linear"), tmp_path)


def test_a_pickle_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="a pickle"):
        iso.load("model")
    assert names(tmp_path) == ["model"]


# ---- what is imported

IMPORTS = """
import sys
import isonomy as iso
ranker = iso.load(sys.argv[1])
print(*sorted({name.partition('.')[0] for name in sys.modules}))
"""


def test_loading_imports_no_engine(tmp_path: Path) -> None:
    iso.save(fitted("table"), tmp_path / "model")
    command = [sys.executable, "-c", IMPORTS, str(tmp_path / "model")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not {"torch", "lightgbm", "xgboost", "dask", "skorch"} & set(found.stdout.split())


def test_text_survives(tmp_path: Path) -> None:
    iso.save(fitted("text"), tmp_path / "model")
    again = iso.load(tmp_path / "model")
    assert set(again[0].vocabulary_) == {"cat", "dog", "straße", "日本"}
    assert np.array_equal(again.predict(TEXTS[:3]), fitted("text").predict(TEXTS[:3]))


def test_columns_survive(tmp_path: Path) -> None:
    iso.save(fitted("table"), tmp_path / "model")
    again = iso.load(tmp_path / "model")
    assert isinstance(again[0], ColumnTransformer)
    assert list(again.feature_names_in_) == list(FRAME.columns)
