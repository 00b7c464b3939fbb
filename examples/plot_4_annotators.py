"""
Doctors' votes, some of them missing
====================================

Five doctors look at images, none of them at all. One is rarely positive, one sees disease
everywhere, one is not very good. Which images should be looked at first? Here the ranking by all
votes stands beside the one by a *consensus* (Dawid and Skene's), which decides first who is right.
"""

# %%
# Votes with gaps
# ---------------
import matplotlib.pyplot as plt
import numpy as np

import isonomy as iso

rng = np.random.default_rng(0)
n = 3_000
X = rng.normal(size=(n, 8))
severity = X[:, 0] + 0.6 * X[:, 1] - 0.4 * X[:, 2]
sick = rng.logistic(size=n) * 0.5 < severity - 1.2
names = ["Abel", "Brand", "Chen", "Diaz", "Eder"]
threshold = np.array([1.2, 1.0, 2.4, -0.3, 1.2])  # Chen is strict, Diaz is not
noise = np.array([0.4, 0.6, 0.4, 0.6, 2.5])  # Eder guesses a lot
votes = (severity[:, None] + noise * rng.logistic(size=(n, 5)) > threshold).astype(float)
votes[rng.random((n, 5)) < 0.4] = np.nan  # Not everybody sees everything.
train, test = np.arange(n) < 1_500, np.arange(n) >= 1_500
for name, column in zip(names, votes.T, strict=True):
    print(f"{name}: {np.nanmean(column):.0%} positive of {np.isfinite(column).sum():,}")


# %%
# A consensus
# -----------
# crowd-kit's Dawid-Skene where it is installed, else the same in a few lines.
def dawid_skene(votes, rounds=50):
    """P(sick) of each row, by how often each voter is right about the sick and the healthy."""
    seen, yes = np.isfinite(votes), np.nan_to_num(votes)
    p = (yes.sum(axis=1) + 0.5) / (seen.sum(axis=1) + 1)
    for _ in range(rounds):
        odds = np.log(p.mean() / (1 - p.mean()))
        hit = (p @ yes + 1) / (p @ seen + 2)
        false = ((1 - p) @ yes + 1) / ((1 - p) @ seen + 2)
        odds = odds + yes @ np.log(hit / false)
        odds = odds + (seen - yes) @ np.log((1 - hit) / (1 - false))
        p = 1 / (1 + np.exp(-odds))
    return p


try:
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    rows, voters = np.nonzero(np.isfinite(votes))
    table = pd.DataFrame({"task": rows, "worker": voters, "label": votes[rows, voters].astype(int)})
    found = DawidSkene(n_iter=50).fit_predict_proba(table)
    consensus = found[1].reindex(range(n)).fillna(0.5).to_numpy()
    print("consensus by crowd-kit")
except ImportError:
    consensus = dawid_skene(votes)
    print("consensus by the function above")

# %%
# Rankings
# --------
decided = (consensus > 0.5).astype(float)
fits = {
    "the consensus": (iso.OneLabel(0), decided[:, None]),
    "add up the losses": (iso.LossAggregation(), votes),
    "mean of the votes": (iso.LabelAggregation(), votes),
    "soft label": (iso.SoftLabel(), votes),
    "serve the worst": (iso.WorstLabel(), votes),
}
scores = {
    name: iso.LinearRanker(objective, l2=1e-4).fit(X[train], Y[train]).predict(X[test])
    for name, (objective, Y) in fits.items()
}

# %%
# How each doctor is served, and the truth
# ----------------------------------------
# Only a made-up example knows the truth. The doctors' own AUCs are what one has in practice.
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.4), sharey=True, width_ratios=(1.6, 1))
for place, (name, score) in enumerate(scores.items()):
    aucs = iso.label_aucs(votes[test], score)
    left.scatter(aucs, [place] * 5, c=range(5), cmap="tab10", vmin=0, vmax=9, zorder=2)
    truth = iso.auc_intervals(sick[test], score)
    right.plot(np.ravel([truth.low, truth.high]), [place, place], color="#2b5c8a", linewidth=3)
    right.plot(truth.estimate, [place], "o", color="#2b5c8a")
    print(f"{name:18}", " ".join(f"{who} {auc:.3f}" for who, auc in zip(names, aucs, strict=True)))
handles = [plt.Line2D([], [], marker="o", ls="", color=plt.cm.tab10(k)) for k in range(5)]
left.legend(handles, names, frameon=False, fontsize=8, loc=(0.2, 0.3))
left.set(yticks=range(len(fits)), yticklabels=list(fits), xlabel="AUC for each doctor's votes")
right.set(xlabel="AUC for the truth, 95%")
left.invert_yaxis()
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %%
# Does one doctor own the ranking? The audit says so with intervals, for votes with gaps.
print(iso.audit(votes[test], scores["mean of the votes"], names=names).summary().splitlines()[0])
