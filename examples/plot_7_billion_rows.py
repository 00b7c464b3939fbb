"""
A billion rows by SQL counts
============================

AUCs need no rows, only how many items have each score and labels: ``counts=`` takes what a GROUP BY
gives, and the answer is exact, intervals included. The warehouse does the heavy part.
"""

# %%
# The statement
# -------------
# Here DuckDB makes up five million impressions, so that the page builds in seconds. On a billion
# the statement is the same, and what it gives is as small: scores in steps of 0.001, two labels.
import duckdb
import matplotlib.pyplot as plt
import numpy as np

import isonomy as iso

connection = duckdb.connect()
connection.execute("SELECT setseed(0.5)")
connection.execute(
    """
    CREATE TABLE impressions AS
    SELECT round(s, 3) AS score, (random() < 1 / (1 + exp(1 - 2 * s)))::TINYINT AS click,
           (random() < 0.02 * s * s)::TINYINT AS buy
    FROM (SELECT random() + random() - 0.5 AS s FROM range(5_000_000))
    """
)
counts = connection.sql(
    """
    SELECT score, click, buy, COUNT(*) AS n
    FROM impressions GROUP BY ALL ORDER BY ALL
    """
).pl()
print(f"{counts['n'].sum():,} rows in {counts.height:,}")

# %%
# Exact, from the counts alone
# ----------------------------
Y, score, n = counts[["click", "buy"]], counts["score"], counts["n"]
print(iso.label_aucs(Y, score, counts=n))
print(iso.audit(Y, score, counts=n).summary().splitlines()[0])

# %%
# Two hundred times as many items, a billion, take as long: the table is what counts.
billion = n * 200
found = iso.auc_intervals(Y, score, counts=billion)
print(f"{billion.sum():,} items:", found.estimate.round(5), (found.high - found.low).round(6))

# %%
# What is not rounded may be sketched
# -----------------------------------
# Scores that differ in every row do not group. ``AUCSketch`` keeps them in a fixed number of bytes;
# sketches of days and machines merge, and the exact AUC lies inside their bounds for certain.
rng = np.random.default_rng(0)
sizes, widths = [2_000, 10_000, 50_000, 250_000], []
fine = rng.normal(size=1_000_000)
label = (rng.logistic(size=fine.size) < fine - 2).astype(float)
for size in sizes:
    bounds = iso.AUCSketch(["click"], max_bytes=size).add(label, fine).label_aucs()
    low, high = bounds.low.item(), bounds.high.item()
    widths.append(high - low)
    print(f"{size:7,} bytes: between {low:.6f} and {high:.6f}")

figure, axes = plt.subplots(figsize=(6.5, 3.2))
axes.loglog(sizes, widths, "o-", color="#2b5c8a")
axes.set(xlabel="bytes of the sketch", ylabel="width of the bounds")
axes.set_title("A million different scores: what the exact AUC can be")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
