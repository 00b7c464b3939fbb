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
# Measured on rows that no method has seen. What serves buyers best costs clicks, and the other way
# round; the recommended one serves the label that is served worst.
table = found.to_frame().filter(pl.col("method") != "chance")
figure, axes = plt.subplots(figsize=(7.5, 4))
for label, colour in (("click", "#2b5c8a"), ("buy", "#b5481e")):
    axes.plot(table[f"auc {label}"], table["method"], "o", color=colour, label=label)
axes.axhline(found.recommended, color="#3c7d3c", linewidth=12, alpha=0.15, label="recommended")
axes.invert_yaxis()
axes.set_xlabel("AUC on held-out rows")
axes.legend(frameon=False, loc="lower left")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
