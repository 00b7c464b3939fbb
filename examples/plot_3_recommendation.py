"""
Recommendation: lists of users
==============================

Items are recommended to each user from a list of their own, so only pairs inside a list count, and
only its top is seen. Labels: *watched* (common) and *shared* (rare).
"""

# %%
# Lists
# -----
import matplotlib.pyplot as plt
import numpy as np

import isonomy as iso

rng = np.random.default_rng(0)
n_users, n_items = 500, 24
user = np.repeat(np.arange(n_users), n_items)
X = rng.normal(size=(user.size, 6))
# Some users watch everything: a level of the whole list, which no ranking can use.
level = np.repeat(rng.normal(scale=1.5, size=n_users), n_items)
watched = rng.logistic(size=user.size) < X[:, 0] + np.abs(X[:, 1]) + level - 1
shared = rng.logistic(size=user.size) < X[:, 2] * X[:, 3] - X[:, 0] + level / 2 - 4
Y = np.column_stack([watched, shared]).astype(float)
names = ["watched", "shared"]
train, test = user < 300, user >= 300
print(f"{Y[:, 0].mean():.0%} watched, {Y[:, 1].mean():.1%} shared")

# %%
# Trees, for all of the list and for its top
# ------------------------------------------
# ``groups`` says which rows are one list; ``top=10`` trains for the first ten of each.
settings = {"n_rounds": 40, "n_jobs": 1, "params": {"num_leaves": 15}, "random_state": 0}
rankers = {
    "shared alone": iso.BoostedRanker(iso.OneLabel(1), **settings),
    "add up the losses": iso.BoostedRanker(iso.LossAggregation(), **settings),
    "add up the labels": iso.BoostedRanker(iso.LabelAggregation(), **settings),
    "labels, for the top 10": iso.BoostedRanker(iso.LabelAggregation(), top=10, **settings),
    "serve the worst": iso.BoostedRanker(iso.WorstLabel(), **settings),
}
scores = {
    name: ranker.fit(X[train], Y[train], groups=user[train]).predict(X[test])
    for name, ranker in rankers.items()
}

# %%
# nDCG of each label, with intervals by user
# ------------------------------------------
figure, axes = plt.subplots(figsize=(7.5, 3.4))
for place, (name, score) in enumerate(scores.items()):
    found = iso.ndcg_intervals(Y[test], score, k=10, groups=user[test])
    print(f"{name:24}", found.estimate.round(3))
    for k, colour in enumerate(["#2b5c8a", "#b5481e"]):
        low, high = found.low[k], found.high[k]
        at = place + 0.16 * (2 * k - 1)
        axes.plot([low, high], [at, at], color=colour, linewidth=3, alpha=0.4)
        axes.plot(found.estimate[k], at, "o", color=colour, label=names[k] if place == 0 else None)
axes.set(yticks=range(len(scores)), yticklabels=list(scores), xlabel="nDCG@10 on new users")
axes.invert_yaxis()
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %%
# Who wins the conflicts that reach the first ten?
found = iso.audit(
    Y[test], scores["add up the losses"], names=names, groups=user[test], clusters=user[test]
)
print(found.summary())
