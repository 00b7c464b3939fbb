"""
Ads: click and conversion, a funnel
===================================

Nobody converts without a click, and few who click convert. Training for conversions alone wastes
the clicks; adding up both losses lets the rare conversion dictate. ``compare`` sees that one label
implies the other and tries a *funnel* too: P(click) x P(conversion | click).
"""

# %%
# Impressions
# -----------
# What makes people click is not quite what makes them buy.
import matplotlib.pyplot as plt
import numpy as np
import polars as pl

import isonomy as iso

rng = np.random.default_rng(0)
n = 4_000
X = pl.DataFrame(rng.normal(size=(n, 4)), schema=["headline", "price", "brand", "season"])
interest = 1.2 * X["headline"] + 0.5 * X["brand"] - 1.4
intent = 1.5 * X["brand"] - 1.2 * X["price"] - 1.2
click = rng.logistic(size=n) < interest.to_numpy()
buy = click & (rng.logistic(size=n) < intent.to_numpy())
Y = pl.DataFrame({"click": click.astype(int), "buy": buy.astype(int)})
print(Y.mean())

# %%
# Every method on the same rows
# -----------------------------
found = iso.compare(X, Y, family="linear", tune=False, repeats=1, random_state=0)
print(found)

# %%
# What each choice costs
# ----------------------
# Each dot is a method, measured on rows that it has not seen. Up is good for buyers, right for
# clickers.
aucs = {name: found.to_frame().filter(method=name) for name in found.to_frame()["method"]}
figure, axes = plt.subplots(figsize=(7, 4.2))
for name, row in aucs.items():
    best = name == found.recommended
    x, y = row["auc click"].item(), row["auc buy"].item()
    axes.plot(x, y, "o", markersize=9 if best else 6, color="#b5481e" if best else "#2b5c8a")
    axes.annotate(name, (x, y), xytext=(6, -3), textcoords="offset points", fontsize=8)
axes.set(xlabel="AUC of click", ylabel="AUC of buy", title=f"Recommended: {found.recommended}")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
