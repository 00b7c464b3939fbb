"""Labels, objectives, and the Preferences they make; where input is checked."""

from __future__ import annotations

from isonomy._core.codes import (
    EXACT,
    Codes,
    count_codes,
    number_close,
    number_occurring,
    number_values,
    sum_codes,
)
from isonomy._core.conflicts import ConflictPairs, SideBySide
from isonomy._core.costs import Costs, LevelCosts, Table, as_costs, cost_terms
from isonomy._core.features import check_features, each_entry_once
from isonomy._core.items import Items, cluster_of_groups, take_features
from isonomy._core.jit import fused_kernel, kernel, summing_kernel
from isonomy._core.kernel_cache import kept
from isonomy._core.label_numbers import floors_by_label, numbers_by_label
from isonomy._core.label_weights import named_labels, weights_for
from isonomy._core.labels import Labels
from isonomy._core.mixes import Mean, Mix, Pooled, Worst
from isonomy._core.no_pairs import nothing_to_learn, warn_undefined, why_undefined
from isonomy._core.objectives import (
    LabelAggregation,
    LossAggregation,
    Objective,
    OneLabel,
    SoftLabel,
    WorstLabel,
    check_objective,
    level_preferences,
)
from isonomy._core.packed_labels import labels_of_packed, pack_labels, unpack_labels
from isonomy._core.powers import times_power
from isonomy._core.preferences import GroupWeight, Preferences
from isonomy._core.products import gram
from isonomy._core.rows import check_row_counts, check_same_index, row_count
from isonomy._core.side_words import SideWords
from isonomy._core.sorting import CodedWords, Ordered, gathered, order_items, sort_order
from isonomy._core.validation import (
    AnyArray,
    FloatArray,
    are_names,
    as_generator,
    as_label_table,
    as_label_weights,
    as_names,
    as_numbers,
    as_scores,
    check_choice,
    check_count,
    check_flag,
    check_level,
    check_score_table,
    count_missing,
    extremes,
    is_missing,
    nearest,
    refuse_name,
    suggestion,
)
