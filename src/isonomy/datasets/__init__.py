"""Data sets to try Isonomy on: generated ones with the truth behind them, and the paper's.

>>> from isonomy import datasets
>>> log = datasets.make_search_log(1000)
>>> log.X.shape, log.label_names
((1000, 4), ('relevant', 'recent'))

Loaders look for files in `data_dir` (by default the folder that the environment variable
`ISONOMY_DATA` names), then in the cache, and download them from their owners otherwise.
"""

from __future__ import annotations

from isonomy.datasets._bank import load_bank
from isonomy.datasets._helpsteer import load_helpsteer
from isonomy.datasets._mslr import load_mslr
from isonomy.datasets._search_log import make_search_log
from isonomy.datasets._squares import make_sweep, make_synthetic_training
from isonomy.datasets._tables import Generated, Loaded
from isonomy.datasets._thresholds import make_threshold_gaussians

__all__ = [
    "Generated",
    "Loaded",
    "load_bank",
    "load_helpsteer",
    "load_mslr",
    "make_search_log",
    "make_sweep",
    "make_synthetic_training",
    "make_threshold_gaussians",
]
