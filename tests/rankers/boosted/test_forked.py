"""Engines in a forked child whose parent has used their threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# In an interpreter of its own: this one has threads of every kind.
FORKED = """
import os, signal, sys, warnings
import numpy as np
import isonomy as iso
warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(80, 3))
Y = (X[:, :2] > 0).astype(int)
ranker = iso.BoostedRanker(engine=sys.argv[1], n_rounds=3, random_state=0)
alone = ranker.fit(X, Y).predict(X).tobytes()
child = os.fork()
if child == 0:
    signal.alarm(40)
    os._exit(ranker.fit(X, Y).predict(X).tobytes() != alone)
sys.exit(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="No fork on this system.")
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_a_forked_child_fits_the_same(engine: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, engine],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0
