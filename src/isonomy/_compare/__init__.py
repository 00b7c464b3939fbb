"""Which method for my data? Rankers trained and measured on the same splits."""

from __future__ import annotations

from isonomy._compare.advice import structure_lines
from isonomy._compare.compare import compare
from isonomy._compare.families import AUTO, FAMILIES, MIXED, Family, check_families, mixed_family
from isonomy._compare.findings import serves
from isonomy._compare.fitting import FitSettings, fit_method, seed_of
from isonomy._compare.goals import Goal, check_goal
from isonomy._compare.methods import (
    GOAL_METHODS,
    METHODS,
    MIXING,
    Method,
    MethodEntry,
    family_methods,
    goal_entries,
)
from isonomy._compare.result import Comparison, MethodResult
from isonomy._compare.suspect_features import SuspectFeature, suspect_features
from isonomy._compare.table_features import family_encoder, unused_columns
from isonomy._compare.view import blocks as comparison_blocks
from isonomy._compare.view import methods_table
from isonomy._compare.wording import headline, leak_lines
