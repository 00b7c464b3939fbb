"""The closed list: what may be in a model file without being asked for by name."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import scipy.special

from isonomy import _core, _rankers
from isonomy._rankers import Ranker, TableEncoder, blended, boosted, plugin

# Objects that are restored from their attributes, by package; Isonomy's own are those that it
# ships (`_shipped`). Whatever predicts is followed to its last part by `prediction_checks`; the
# rest are settings. All other types need the user's word (`trusted`): those that nobody has
# written a check for, and those that hand arrays from the file to compiled code that does not
# look: support vectors, neighbours' trees, `GradientBoostingClassifier`.
_NAMES = {
    "sklearn._loss": """HalfBinomialLoss HalfMultinomialLoss IdentityLink Interval LogitLink
        MultinomialLogit""",
    "sklearn.calibration": """CalibratedClassifierCV _CalibratedClassifier
        _SigmoidCalibration""",
    "sklearn.compose": "ColumnTransformer make_column_selector",
    "sklearn.decomposition": "PCA TruncatedSVD",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis",
    "sklearn.dummy": "DummyClassifier",
    "sklearn.ensemble": """AdaBoostClassifier ExtraTreesClassifier HistGradientBoostingClassifier
        RandomForestClassifier TreePredictor VotingClassifier
        _BinMapper""",
    "sklearn.feature_extraction": """CountVectorizer DictVectorizer FeatureHasher
        HashingVectorizer TfidfTransformer TfidfVectorizer""",
    "sklearn.feature_selection": "VarianceThreshold",
    "sklearn.frozen": "FrozenEstimator",
    "sklearn.impute": "MissingIndicator SimpleImputer",
    "sklearn.isotonic": "IsotonicRegression",
    "sklearn.kernel_approximation": "RBFSampler",
    "sklearn.linear_model": """LogisticRegression LogisticRegressionCV Perceptron
        RidgeClassifier RidgeClassifierCV SGDClassifier""",
    "sklearn.metrics": "_PassthroughScorer",
    "sklearn.model_selection": """GridSearchCV GroupKFold GroupShuffleSplit KFold
        RandomizedSearchCV RepeatedKFold RepeatedStratifiedKFold ShuffleSplit StratifiedGroupKFold
        StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit""",
    "sklearn.multioutput": "ClassifierChain MultiOutputClassifier",
    "sklearn.naive_bayes": "BernoulliNB ComplementNB GaussianNB MultinomialNB",
    "sklearn.neural_network": "AdamOptimizer MLPClassifier SGDOptimizer",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": """Binarizer FunctionTransformer KBinsDiscretizer LabelBinarizer
        LabelEncoder MaxAbsScaler MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder
        PolynomialFeatures PowerTransformer QuantileTransformer RobustScaler StandardScaler""",
    "sklearn.random_projection": "GaussianRandomProjection SparseRandomProjection",
    "sklearn.svm": "LinearSVC",
    "sklearn.tree": "DecisionTreeClassifier ExtraTreeClassifier",
}
_OBJECTS = {package: frozenset(names.split()) for package, names in _NAMES.items()}
_LOSSES = """CyAbsoluteError CyExponentialLoss CyHalfBinomialLoss CyHalfGammaLoss
    CyHalfMultinomialLoss CyHalfPoissonLoss CyHalfSquaredError CyHuberLoss CyPinballLoss
    EpsilonInsensitive Hinge ModifiedHuber SquaredEpsilonInsensitive SquaredHinge"""
_SCALARS = """bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
    complex64 complex128 str_ bytes_"""

_PLAIN = {f"builtins.{name}" for name in ("bool", "float", "int", "str")}
# Types that turn the text of a dictionary's key into the key.
KEYS = frozenset(
    {"builtins.float", "builtins.int", "builtins.str", "numpy.str_"}
    | {f"numpy.{kind}{bits}" for kind in ("int", "uint", "float") for bits in (16, 32, 64)}
)
_TYPES = {
    "JsonNode": {"builtins.str"},
    "DictNode": {"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"},
    "ListNode": {"builtins.list"},
    "SetNode": {"builtins.set"},
    "TupleNode": {"builtins.tuple"},
    "SliceNode": {"builtins.slice"},
    "BytesNode": {"builtins.bytes"},
    "TypeNode": _PLAIN | {f"numpy.{name}" for name in _SCALARS.split()},
    "NdArrayNode": {f"numpy.{name}" for name in ("ndarray", *_SCALARS.split())},
    "MaskedArrayNode": {"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"},
    "DTypeNode": {"numpy.dtype"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
    "SparseMatrixNode": {
        f"scipy.sparse._{kind}.{kind}_{form}"
        for kind in ("csr", "csc")
        for form in ("matrix", "array")
    },
    "TreeNode": {"sklearn.tree._tree.Tree"},
    "LossNode": {
        f"{module}.{name}"
        for module in ("sklearn._loss._loss", "sklearn.linear_model._sgd_fast")
        for name in _LOSSES.split()
    },
}
_UFUNC_MODULES = {
    "numpy": "numpy",
    "numpy._core._multiarray_umath": "numpy",
    "scipy.special": "scipy.special",
    "scipy.special._ufuncs": "scipy.special",
}
_MODULE = re.compile(r"\w+(\.\w+)*", re.ASCII)


def is_listed(loader: str, module: str, name: str) -> bool:
    """Whether a node of this kind and type is on the closed list.

    Examples
    --------
    >>> is_listed("ObjectNode", "sklearn.linear_model._logistic", "LogisticRegression")
    True
    >>> is_listed("ObjectNode", "subprocess", "Popen")
    False
    >>> is_listed("FunctionNode", "numpy", "log1p"), is_listed("FunctionNode", "os", "system")
    (True, False)
    """
    if loader == "ObjectNode":
        if module.partition(".")[0] == "isonomy":
            return f"{module}.{name}" in _shipped()
        return any(
            name in names and _within(module, package) for package, names in _OBJECTS.items()
        )
    if loader == "FunctionNode":
        return _is_ufunc(module, name)
    return f"{module}.{name}" in _TYPES.get(loader, ())


def _shipped() -> set[str]:
    """Isonomy's own: every objective and every ranker, and what they are made of.

    Whatever else a package offers, a file cannot name.
    """
    objectives = [each for each in vars(_core).values() if _is_objective(each)]
    folders = [folder.name for folder in iter_modules(_rankers.__path__) if folder.ispkg]
    rankers = [
        each
        for folder in folders
        for each in vars(import_module(f"{_rankers.__name__}.{folder}")).values()
        if isinstance(each, type) and issubclass(each, Ranker) and each is not Ranker
    ]
    parts = [*blended.MODEL_PARTS, *boosted.MODEL_PARTS, *plugin.MODEL_PARTS]
    types = [*objectives, *rankers, TableEncoder, *parts]
    return {f"{each.__module__}.{each.__qualname__}" for each in types}


def _is_objective(value: object) -> bool:
    """A class as the protocol `Objective` wants it, from the module where objectives are."""
    home = _core.Objective.__module__
    return (
        isinstance(value, type)
        and value is not _core.Objective
        and value.__module__ == home
        and callable(getattr(value, "preferences", None))
    )


def _within(module: str, package: str) -> bool:
    # Private modules move between versions; the name inside their package does not.
    inside = module == package or module.startswith(f"{package}.")
    return inside and _MODULE.fullmatch(module) is not None and "tests" not in module.split(".")


def _is_ufunc(module: str, name: str) -> bool:
    """Functions of numbers alone, such as `numpy.log1p`; they can do nothing but compute."""
    home = {"numpy": np, "scipy.special": scipy.special}.get(_UFUNC_MODULES.get(module, ""))
    return home is not None and isinstance(getattr(home, name, None), np.ufunc)
