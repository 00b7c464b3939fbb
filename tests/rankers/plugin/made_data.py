"""Data and classifiers of the plug-in ranker's tests."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from isonomy._rankers.plugin.ranker import PlugInRanker


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows P(Y_k = 1 | x); the row number of x is its only feature."""

    def __init__(self, eta, as_list=False):
        self.eta = eta
        self.as_list = as_list

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict_proba(self, X):
        p = np.asarray(self.eta)[np.asarray(X)[:, 0].astype(int)]
        return [np.column_stack([1 - q, q]) for q in p.T] if self.as_list else p


def population(eta, copies=4000, seed=0):
    """A sample of the points with labels drawn from eta, whose priors are close to true."""
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(len(eta)), copies)
    return x[:, None].astype(float), (rng.random((x.size, eta.shape[1])) < eta[x]).astype(float)


def space(K=3, m=6, seed=0):
    return np.random.default_rng(seed).uniform(0.05, 0.95, (m, K))


def oracle(eta, objective, **options):
    X, Y = population(eta)
    return PlugInRanker(
        Oracle(eta, **options).fit(None, None), objective, prefit=True, cv=None
    ).fit(X, Y)


def made(n=600, K=2, d=4, seed=0, shift=0.0):
    """Features, labels, and the labels' true probabilities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    P = expit(X @ rng.normal(size=(d, K)) + shift)
    return X, (rng.random((n, K)) < P).astype(float), P
