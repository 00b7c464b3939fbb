"""What can be had for several labels at once, and how to choose from it.

`dominates`, `front` and `hypervolume` compare AUCs, one row per ranking:

>>> from isonomy import pareto
>>> aucs = [[0.9, 0.6], [0.7, 0.8], [0.7, 0.7]]
>>> pareto.dominates(aucs[1], aucs[2])
True
>>> pareto.front(aucs)
array([ True,  True, False])
>>> round(pareto.hypervolume(aucs), 10)
0.08

`trace` finds the front that a ranker attains on data of one's own; its `Front` gives the
weights with which no label pays too much.
"""

from __future__ import annotations

from isonomy.pareto._dominance import dominates, front
from isonomy.pareto._front import Choice, Front
from isonomy.pareto._hypervolume import hypervolume
from isonomy.pareto._sweeps import sweep_weights as sweep_weights
from isonomy.pareto._trace import trace
from isonomy.pareto._weighted_fits import WeightedFitter as WeightedFitter

__all__ = ["Choice", "Front", "dominates", "front", "hypervolume", "trace"]
