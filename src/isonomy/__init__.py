"""Isonomy: one ranking from several binary labels, and a check that no label dictates it.

An objective says what a good ranking is, a metric how good one is:

>>> import isonomy as iso
>>> Y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
>>> score = [3, 5, 4, 1, 3, 2, 6, 3]
>>> iso.label_aucs(Y, score)
array([0.75  , 0.9375])
>>> iso.objective_auc(Y, score, iso.LossAggregation())
0.84375
>>> round(iso.objective_auc(Y, score, iso.LabelAggregation()), 4)
0.9583

Where the two labels disagree, who wins?

>>> iso.conflict_aucs(Y, score)
array([[ nan, 0.25],
       [0.75,  nan]])
"""

import ast
from importlib import import_module
from pathlib import Path
from threading import RLock

__version__ = "0.2.0"

# The one list of public names is `__init__.pyi`, which type checkers read as well. Names resolve
# at first use, so that `import isonomy` and `isonomy --help` load neither numpy nor numba.
_HOMES = {
    alias.name: node.module
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text()).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}

__all__ = sorted(_HOMES)

# Threads that import modules with circles among them at the same time, such as scipy's, may be
# handed half of one.
_importing = RLock()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'isonomy' has no attribute {name!r}")
    home = _HOMES[name]
    with _importing:
        if home is None:
            return import_module(f"isonomy.{name}")
        value = globals()[name] = getattr(import_module(f"isonomy.{home}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
