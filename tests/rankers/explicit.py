"""The pair loss written out over all pairs, and general solvers for it."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog, minimize

from isonomy._core.items import Items
from isonomy.surrogates import SURROGATES


class Explicit:
    """The ratios' losses of linear scores, by all pairs of rows."""

    def __init__(self, X, Y, objective, *, surrogate="logistic", l2=1e-6, weight=None,
                 groups=None, group_weight="pairs"):  # fmt: skip
        items = Items.checked(Y, sample_weight=weight, groups=groups, group_weight=group_weight)
        wish = items.preferences(objective)
        above, below = (np.asarray(t, float)[wish.codes] for t in (wish.above, wish.below))
        w = np.ones(len(X)) if wish.weight is None else wish.weight
        group = np.zeros(len(X), int) if wish.group is None else wish.group
        costs = np.einsum("i,j,ir,jr->rij", w, w, above, below) * (group[:, None] == group)
        # No row meets itself.
        costs[:, np.arange(len(X)), np.arange(len(X))] = 0.0
        if wish.mix.pooled:
            costs = costs.sum(axis=0, keepdims=True)
        if group_weight == "equal":
            for q in range(len(costs)):
                totals = np.array([costs[q][group == g].sum() for g in range(group.max() + 1)])
                costs[q] /= np.where(totals > 0, totals, 1.0)[group][:, None]
        self.costs = costs / costs.sum(axis=(1, 2), keepdims=True)
        self.X, self.l2, self.phi = X, l2, SURROGATES[surrogate]
        self.mix = np.asarray(wish.mix.slope(np.linspace(0.1, 0.9, len(costs))))

    def losses(self, w):
        s = self.X @ w
        return self.costs.reshape(len(self.costs), -1) @ self.phi.value(s[:, None] - s).ravel()

    def gradients(self, w):
        s = self.X @ w
        pull = self.costs * self.phi.slope(s[:, None] - s)
        return (pull.sum(axis=2) - pull.sum(axis=1)) @ self.X

    def hessian(self, w, mix):
        s = self.X @ w
        bend = np.einsum("r,rij,ij->ij", mix, self.costs, self.phi.curvature(s[:, None] - s))
        inner = np.diag(bend.sum(axis=0) + bend.sum(axis=1)) - bend - bend.T
        return self.X.T @ inner @ self.X

    def best(self, positive=False):
        """The optimum of the mixed loss, by a trust region or by bounded L-BFGS."""

        def value(w):
            return self.mix @ self.losses(w) + self.l2 / 2 * w @ w

        def gradient(w):
            return self.mix @ self.gradients(w) + self.l2 * w

        zero = np.zeros(self.X.shape[1])
        if positive:
            return minimize(value, zero, jac=gradient, bounds=[(0, None)] * zero.size,
                            method="L-BFGS-B",
                            options={"ftol": 0, "gtol": 1e-12, "maxiter": 5000}).x  # fmt: skip
        w = minimize(value, zero, jac=gradient, method="BFGS", options={"gtol": 1e-9}).x
        for _ in range(5):
            w = w - np.linalg.solve(self.hessian(w, self.mix) + self.l2 * np.eye(w.size),
                                    gradient(w))  # fmt: skip
        return w

    def best_hinge(self, positive=False, worst=False):
        """The least hinge loss without penalty: a linear program over slacks of all pairs."""
        i, j = np.nonzero(self.costs.sum(axis=0))
        costs, d = self.costs[:, i, j], self.X.shape[1]
        if not worst:
            costs = self.mix[None] @ costs
        # Variables: weights, slacks, and the largest loss t.
        pairs = sparse.hstack(
            [-sparse.csr_array(self.X[i] - self.X[j]), -sparse.eye_array(i.size),
             sparse.csr_array((i.size, 1))]
        )  # fmt: skip
        losses = sparse.hstack(
            [sparse.csr_array((len(costs), d)), costs, -np.ones((len(costs), 1))]
        )
        found = linprog(
            np.append(np.zeros(d + i.size), 1.0),
            A_ub=sparse.vstack([pairs, losses]),
            b_ub=np.append(-np.ones(i.size), np.zeros(len(costs))),
            bounds=[(0 if positive else None, None)] * d + [(0, None)] * i.size + [(None, None)],
        )
        return found.x[:d], found.fun

    def best_penalised_hinge(self):
        """The same with the penalty, a quadratic program, for few pairs."""
        i, j = np.nonzero(self.costs.sum(axis=0))
        c, d = self.mix @ self.costs[:, i, j], self.X.shape[1]
        rows = np.column_stack([self.X[i] - self.X[j], np.eye(i.size)])
        found = minimize(
            lambda v: c @ v[d:] + self.l2 / 2 * v[:d] @ v[:d],
            np.append(np.zeros(d), np.ones(i.size)),
            jac=lambda v: np.append(self.l2 * v[:d], c),
            constraints=[{"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda _: rows}],
            bounds=[(None, None)] * d + [(0, None)] * i.size,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        return found.x[:d], found.fun

    def best_worst(self, positive=False):
        """The optimum of the largest loss, in epigraph form: minimise t above all losses."""
        d, K = self.X.shape[1], len(self.costs)
        start = np.append(np.zeros(d), self.losses(np.zeros(d)).max())
        found = minimize(
            lambda v: v[d] + self.l2 / 2 * v[:d] @ v[:d],
            start,
            jac=lambda v: np.append(self.l2 * v[:d], 1.0),
            constraints=[{
                "type": "ineq",
                "fun": lambda v: v[d] - self.losses(v[:d]),
                "jac": lambda v: np.column_stack([-self.gradients(v[:d]), np.ones(K)]),
            }],
            bounds=[(0, None) if positive else (None, None)] * d + [(None, None)],
            method="SLSQP",
            # Some 20 steps suffice; amid rounding it would try a thousand more.
            options={"ftol": 1e-16, "maxiter": 60},
        )  # fmt: skip
        return found.x[:d]


def data(seed=0, n=300, d=5, n_labels=3, noise=1.0):
    """Features and labels that depend on them, no two alike."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 2.0, d) + rng.normal(size=d)
    truth = rng.normal(size=(d, n_labels))
    Y = X @ truth + noise * rng.logistic(size=(n, n_labels)) > np.linspace(-1, 2, n_labels)
    return X, Y.astype(int)
