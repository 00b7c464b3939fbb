"""
Your own LightGBM, XGBoost and torch code
=========================================

Keep the training code that you have, and change one line: the objective. Gradients and Hessians are
those of all pairs of all labels.
"""

# %%
# Data that no linear model can rank
# ----------------------------------
import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import torch
import xgboost

import isonomy as iso
from isonomy.boosting import (
    lightgbm_metric,
    lightgbm_objective,
    pack_labels,
    xgboost_metric,
    xgboost_objective,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(12_000, 5)).astype(np.float32)
first = rng.logistic(size=len(X)) < 2 * X[:, 0] * X[:, 1]
second = rng.logistic(size=len(X)) < np.abs(X[:, 2]) * 2 - X[:, 0] - 5
Y = np.column_stack([first, second]).astype(float)
X_train, X_valid, X_test = np.split(X, [6_000, 8_000])
Y_train, Y_valid, Y_test = np.split(Y, [6_000, 8_000])
objective, watched = iso.LabelAggregation(), iso.WorstLabel()

# %%
# LightGBM
# --------
train = lightgbm.Dataset(X_train, pack_labels(Y_train))
valid = lightgbm.Dataset(X_valid, pack_labels(Y_valid), reference=train)
curve = {}
booster = lightgbm.train(
    {"objective": lightgbm_objective(objective), "num_threads": 1, "verbosity": -1},
    train,
    num_boost_round=60,
    valid_sets=[valid],
    feval=lightgbm_metric(watched),
    callbacks=[lightgbm.record_evaluation(curve)],
)
scores = {"LightGBM": booster.predict(X_test)}

# %%
# XGBoost
# -------
history = {}
booster = xgboost.train(
    {"learning_rate": 0.1, "nthread": 1},
    xgboost.DMatrix(X_train, pack_labels(Y_train)),
    num_boost_round=60,
    obj=xgboost_objective(objective),
    custom_metric=xgboost_metric(watched),
    evals=[(xgboost.DMatrix(X_valid, pack_labels(Y_valid)), "valid")],
    evals_result=history,
    verbose_eval=False,
)
scores["XGBoost"] = booster.predict(xgboost.DMatrix(X_test), output_margin=True)

# %%
# torch
# -----
torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(5, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
loss = iso.torch.PairLoss(objective)
inputs, labels = torch.from_numpy(X_train), torch.from_numpy(Y_train)
losses = []
for _ in range(10):
    for rows in torch.randperm(len(inputs)).split(1_000):
        optimiser.zero_grad()
        value = loss(network(inputs[rows]).squeeze(-1), labels[rows])
        value.backward()
        optimiser.step()
    losses.append(float(value.detach()))
scores["torch"] = network(torch.from_numpy(X_test)).detach().numpy().squeeze(-1)

# %%
# All of them on new rows
# -----------------------
scores["linear"] = iso.LinearRanker(objective).fit(X_train, Y_train).predict(X_test)
for name, score in scores.items():
    print(f"{name:9}", iso.label_aucs(Y_test, np.asarray(score, float)).round(3))

figure, axes = plt.subplots(figsize=(7, 3.2))
for name, found in (("LightGBM", curve["valid_0"]), ("XGBoost", history["valid"])):
    axes.plot(list(found.values())[-1], label=name)
axes.set(xlabel="round", ylabel="smallest AUC, validation rows")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
