"""
Search: relevance and recency
=============================

A search log in which 40% of the documents are *relevant* and 1% are *recent*. One ranking should
serve both. Adding up one AUC loss per label looks fair; this page shows who wins.
"""

# %%
# The pull that nobody asked for
# ------------------------------
# With equal weights, a label's pull on the ranking is 1 / (pi (1 - pi)), so that the rare one has
# nearly all of it.
import matplotlib.pyplot as plt
import numpy as np

import isonomy as iso

log = iso.datasets.make_search_log(20_000)
train, test = np.arange(20_000) < 10_000, np.arange(20_000) >= 10_000
pull = iso.theory.effective_weights(log.Y, iso.LossAggregation())
for name, share, prior in zip(log.label_names, pull / pull.sum(), log.Y.mean(axis=0), strict=True):
    print(f"{name:9} {prior:6.1%} positive, {share:.0%} of the pull")

# %%
# Three objectives, the same linear model
# ---------------------------------------
objectives = {
    "add up the losses": iso.LossAggregation(),
    "add up the labels": iso.LabelAggregation(),
    "serve the worst": iso.WorstLabel(),
}
scores = {
    name: iso.LinearRanker(objective).fit(log.X[train], log.Y[train]).predict(log.X[test])
    for name, objective in objectives.items()
}
for name, score in scores.items():
    print(f"{name:18}", iso.label_aucs(log.Y[test], score).round(3))

# %%
# Who wins where the labels disagree
# ----------------------------------
# Of all pairs of a document that is relevant but old and one that is recent but beside the point:
# which one stands first?
wins = {name: iso.conflict_intervals(log.Y[test], score) for name, score in scores.items()}

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), width_ratios=(1, 1.25))
colours = ["#2b5c8a", "#b5481e"]
left.barh(log.label_names, pull / pull.sum(), color=colours)
left.set(title="The pull of equal weights", xlim=(0, 1))
left.xaxis.set_major_formatter("{x:.0%}")
left.bar_label(left.containers[0], fmt="{:.0%}", padding=3)
left.invert_yaxis()

for place, found in enumerate(wins.values()):
    value, low, high = (each[0, 1] for each in (found.estimate, found.low, found.high))
    right.barh(place, value, color=colours[0])
    right.barh(place, 1 - value, left=value, color=colours[1])
    right.plot([low, high], [place, place], color="white", linewidth=2)
right.axvline(0.5, color="black", linewidth=1, linestyle=":")
right.set(yticks=range(len(wins)), yticklabels=list(wins), xlim=(0, 1))
right.set_title("Conflicts won by relevant (blue) and recent (red)")
right.xaxis.set_major_formatter("{x:.0%}")
right.invert_yaxis()
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()

# %%
# Adding up the losses lets the rare label win three of four conflicts. Adding up the labels hands
# them to the common one. Serving the worst comes nearest to equal standing here; on other data it
# is another. ``isonomy compare`` asks your data, and ``isonomy audit`` watches the ranking that you
# have:
found = iso.audit(log.Y[test], scores["add up the losses"], names=log.label_names)
print(found)
