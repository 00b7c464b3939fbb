"""The paper's theory as code: what the best possible ranking is, and who dictates it.

A *finite space* is m points with masses `mu` (1/m each if None) and class probabilities
`eta` of shape (m, K), labels independent given the point; or `patterns` of shape
(m, 2^K), the probability of each label pattern, where labels depend on each other. Bit k
of a column's number is label k: for K = 2 the columns are 00, 10, 01, 11.

>>> import isonomy as iso
>>> eta = [[0.9, 0.2], [0.5, 0.3], [0.6, 0.1], [0.7, 0.1]]
>>> f = iso.theory.bayes_scores(eta, iso.LossAggregation())
>>> f.argsort()[::-1] + 1
array([1, 2, 4, 3])
>>> g = iso.theory.bayes_scores(eta, iso.LabelAggregation())
>>> iso.theory.population_aucs(eta, f).round(3), iso.theory.population_aucs(eta, g).round(3)
(array([0.6  , 0.608]), array([0.628, 0.565]))
"""

from __future__ import annotations

from isonomy.theory._bayes import bayes_scores
from isonomy.theory._bayes import formula_scores as formula_scores
from isonomy.theory._bayes import why_no_formula as why_no_formula
from isonomy.theory._delta import delta
from isonomy.theory._dictator import Dictatorship, dictator
from isonomy.theory._drawing import draw_orders
from isonomy.theory._effective_weights import effective_weights
from isonomy.theory._effective_weights import fixed_alpha as fixed_alpha
from isonomy.theory._effective_weights import loss_weights as loss_weights
from isonomy.theory._gap import auc_gap_bound
from isonomy.theory._levels import level_probabilities
from isonomy.theory._orders import Edge, PartialOrder, partial_order
from isonomy.theory._population import population_aucs, population_objective_auc
from isonomy.theory._scale import scale_condition
from isonomy.theory._search import Optima, search, weak_orders
from isonomy.theory._space import Space as Space
from isonomy.theory._sweep import SweepPoint, sweep_point

__all__ = [
    "Dictatorship",
    "Edge",
    "Optima",
    "PartialOrder",
    "SweepPoint",
    "auc_gap_bound",
    "bayes_scores",
    "delta",
    "dictator",
    "draw_orders",
    "effective_weights",
    "level_probabilities",
    "partial_order",
    "population_aucs",
    "population_objective_auc",
    "scale_condition",
    "search",
    "sweep_point",
    "weak_orders",
]
