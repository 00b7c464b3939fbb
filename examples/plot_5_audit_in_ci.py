"""
A ranking in production: audit, drift, gates
============================================

The score that is live serves *click* and *relevance*. Every night a job audits it, compares with
January and fails where a promise is broken: the same as

.. code-block:: sh

    isonomy audit tonight.parquet --score s --labels click,relevance --baseline january.json \\
        --fail-on-drift --fail-on-dictator --fail-under relevance=0.70 --json tonight.json
"""

# %%
# January, and a night in spring
# ------------------------------
# Meanwhile somebody has made the model chase clicks.
import json

import matplotlib.pyplot as plt
import numpy as np

import isonomy as iso


def traffic(n, chase, seed):
    """Labels and live scores of n impressions; `chase`: how much the score is after clicks."""
    rng = np.random.default_rng(seed)
    taste, quality = rng.normal(size=(2, n))
    click = rng.logistic(size=n) < 1.3 * taste - 2.5
    relevance = rng.logistic(size=n) < 1.5 * quality
    score = chase * taste + quality + 0.3 * rng.normal(size=n)
    return np.column_stack([click, relevance]).astype(float), score


names = ["click", "relevance"]
january = iso.audit(*traffic(20_000, chase=0.8, seed=0), names=names)
kept = json.dumps(january.to_dict())  # what ``--json january.json`` writes
print(january.summary().splitlines()[0])

# %%
# Tonight
# -------
tonight = iso.audit(*traffic(20_000, chase=2.0, seed=1), names=names)
drift = tonight.drift(json.loads(kept))
print(drift)

# %%
# The gates
# ---------
# Reasons, a line each; the command exits with 1 where there is one.
reasons = tonight.failures(dictator=True, under={"relevance": 0.70}, drift=drift)
for reason in reasons:
    print("FAIL:", reason)

# %%
# Twelve nights in a picture
# --------------------------
nights = [
    iso.audit(*traffic(4_000, chase, seed=9 + k), names=names)
    for k, chase in enumerate(np.linspace(0.8, 2.0, 12))
]
figure, axes = plt.subplots(figsize=(7.5, 3.2))
for k, colour in enumerate(["#b5481e", "#2b5c8a"]):
    rows = [night.to_frame().row(k, named=True) for night in nights]
    low, high = [row["auc low"] for row in rows], [row["auc high"] for row in rows]
    axes.fill_between(range(12), low, high, color=colour, alpha=0.2)
    axes.plot([row["auc"] for row in rows], color=colour, label=names[k])
axes.axhline(0.70, color="black", linestyle=":", linewidth=1)
axes.annotate("--fail-under relevance=0.70", (5.2, 0.703), fontsize=8)
axes.set(xlabel="night", ylabel="AUC, 95% interval")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
