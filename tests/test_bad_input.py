"""What users get wrong, and what they are told: one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

import isonomy as iso

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
y = Y[:, 0]
s = np.array([0.4, 0.3, 0.2, 0.1])
LABELS = iso.Labels.from_table
MEAN = iso.LabelAggregation()
NAMED = pd.DataFrame(Y, columns=["click", "buy"])
RAGGED = [[1, 0], [1]]

# What is wrong: the call, the exception, and what its message must say.
ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    # Scores.
    "scores 2-D": (
        lambda: iso.auc(y, np.c_[1 - s, s]),
        ValueError,
        r"`y_score` should be 1-D.*shape \(4, 2\).*`y_score\[:, 1\]`",
    ),
    "scores 3-D": (lambda: iso.auc(y, np.ones((4, 1, 1))), ValueError, r"`y_score` .*\(4, 1, 1\)"),
    "scores 0-D": (lambda: iso.auc(y, 3.0), ValueError, r"`y_score` should be 1-D.*\(\)"),
    "scores NaN": (
        lambda: iso.label_aucs(Y, [1, np.nan, 2, np.nan]),
        ValueError,
        "`y_score` should hold no NaN. Found 2, the first in row 1. Drop those rows or give",
    ),
    "scores None": (lambda: iso.auc(y, [1, None, 2, 3]), TypeError, r"`y_score`.*astype\(float\)"),
    "scores null (polars)": (
        lambda: iso.auc(y, pl.Series([1, None, 2, 3])),
        ValueError,
        "`y_score` should hold no NaN. Found 1, the first in row 1",
    ),
    "scores NA (pandas)": (
        lambda: iso.auc(y, pd.Series([1, None, 2, 3], dtype="Int64")),
        ValueError,
        "`y_score` should hold no NaN. Found 1, the first in row 1",
    ),
    "scores masked": (
        lambda: iso.auc(y, np.ma.masked_array(s, [0, 0, 0, 1])),
        ValueError,
        "`y_score` should hold no NaN. Found 1, the first in row 3",
    ),
    "scores empty": (lambda: iso.auc(y, []), ValueError, "`y_score` should hold at least one"),
    "scores too few": (
        lambda: iso.label_aucs(Y, s[:3]),
        ValueError,
        "`Y` and `y_score` should have the same number of rows. Found 4 and 3",
    ),
    "scores too many": (
        lambda: iso.auc(y, [*s, 1]),
        ValueError,
        "`y_true` and `y_score` .*same number of rows. Found 4 and 5",
    ),
    "scores text": (
        lambda: iso.auc(y, ["a", "b", "c", "d"]),
        TypeError,
        "`y_score` should be an array of numbers. Found dtype <U1. Map its values to numbers",
    ),
    "scores None at all": (lambda: iso.auc(y, None), TypeError, "`y_score` .*Found None"),
    "labels by name": (
        lambda: iso.label_aucs("click", s),
        TypeError,
        r"`Y` should hold one value per row, such as `table\['click'\]`. Found 'click'",
    ),
    "labels of words": (
        lambda: iso.label_aucs(pd.DataFrame({"buy": ["yes", "no", None, "no"]}), s),
        TypeError,
        r"`Y\['buy'\]` should be an array of numbers.*Map its values to numbers first",
    ),
    "groups by name": (
        lambda: iso.auc(y, s, groups="query"),
        TypeError,
        r"`groups` should hold one value per row, such as `table\['query'\]`",
    ),
    "clusters too few": (
        lambda: iso.auc_intervals(Y, s, clusters=[1, 2]),
        ValueError,
        r"`clusters` should hold one cluster for each of the 4 items. Found shape \(2,\)\.$",
    ),
    "scores bytes": (lambda: iso.auc(y, [b"a"] * 4), TypeError, "`y_score`.*Map its values"),
    "scores object": (
        lambda: iso.auc(y, s.astype(object)),
        TypeError,
        r"`y_score` .*dtype object. Convert it, such as `.astype\(float\)`",
    ),
    "scores complex": (lambda: iso.auc(y, s + 0j), TypeError, "`y_score`.*complex128. Convert it"),
    "scores datetime": (
        lambda: iso.auc(y, np.arange(4).astype("M8[D]")),
        TypeError,
        "`y_score` .*datetime64.* Convert it to numbers",
    ),
    "scores longdouble": (
        lambda: iso.auc(y, s.astype(np.longdouble)),
        TypeError,
        r"`y_score` should hold float64 or narrower.*`.astype\(float\)`",
    ),
    "scores ragged": (lambda: iso.auc(y, RAGGED), ValueError, "`y_score`.*unequal length"),
    "scores sparse": (
        lambda: iso.auc(y, sparse.csr_array(s[None])),
        TypeError,
        r"`y_score` should be a dense array.*`y_score.toarray\(\)`",
    ),
    "score_a NaN": (
        lambda: iso.compare_scores(y, [1, 2, 3, np.nan], s),
        ValueError,
        "`score_a` should hold no NaN. Found 1",
    ),
    "score_b NaN": (
        lambda: iso.compare_scores(y, s, [1, 2, 3, np.nan]),
        ValueError,
        "`score_b` should hold no NaN. Found 1",
    ),
    "score_a too few": (
        lambda: iso.compare_scores(y, s[:2], s),
        ValueError,
        "`Y` and `score_a` .* Found 4 and 2",
    ),
    "score_b too few": (
        lambda: iso.compare_scores(y, s, s[:2]),
        ValueError,
        "`score_a` and `score_b` .* Found 4 and 2",
    ),
    # Labels.
    "labels of 2": (
        lambda: iso.auc([0, 1, 2, 1], s),
        ValueError,
        "`y_true` should hold binary labels: 0, 1, or NaN.*2.0 in label '0'.*`y_true >= 3`",
    ),
    "labels of -1": (
        lambda: iso.label_aucs(2 * Y - 1, s),
        ValueError,
        "`Y` should hold binary labels: 0, 1, or NaN.*Found -1.0 in label '[01]'. Make it binary",
    ),
    "labels of -1, one byte, eight labels": (
        lambda: iso.label_aucs(-np.ones((4, 8), np.int8), s),
        ValueError,
        "`Y` should hold binary labels: 0, 1, or NaN.*Found -1.0",
    ),
    "labels of .5": (lambda: iso.label_aucs(Y / 2, s), ValueError, "`Y` should .*Found 0.5"),
    "labels of 2, by name": (
        lambda: iso.objective_auc(NAMED * 2, s, iso.WorstLabel()),
        ValueError,
        "`Y` should hold binary labels.*Found 2.0 in label '(click|buy)'",
    ),
    "ordinal labels in OneLabel": (
        lambda: iso.objective_auc(Y * 3, s, iso.OneLabel(1)),
        ValueError,
        "`Y` should hold binary labels.*Found 3.0 in label '1'",
    ),
    "ordinal labels in conflicts": (
        lambda: iso.conflict_aucs(Y * 2, s),
        ValueError,
        "`Y` should hold binary labels",
    ),
    "labels text": (
        lambda: iso.label_aucs(np.array([["yes"], ["no"]]), [1, 2]),
        TypeError,
        "`Y` should be an array of numbers. Found dtype <U3. Map its values to numbers",
    ),
    "labels text in a frame": (
        lambda: iso.label_aucs(pd.DataFrame({"a": ["yes", "no"]}), [1, 2]),
        TypeError,
        r"`Y\['a'\]` should be an array of numbers",
    ),
    "labels text in polars": (
        lambda: iso.label_aucs(pl.DataFrame({"a": ["yes", None]}), [1, 2]),
        TypeError,
        r"`Y\['a'\]` should be an array of numbers",
    ),
    "labels infinite": (
        lambda: iso.label_aucs([0, np.inf], [1, 2]),
        ValueError,
        "`Y` should hold finite labels, NaN for 'not observed'",
    ),
    "labels None": (lambda: iso.auc([1, None], [1, 2]), TypeError, "`y_true`.*NaN for missing"),
    "labels 3-D": (lambda: iso.label_aucs(Y[None], s), ValueError, r"`Y` .*\(n, K\).*\(1, 4, 2\)"),
    "labels 0-D": (lambda: iso.auc(1, [1]), ValueError, r"`y_true` should have shape \(n,\)"),
    "labels empty": (lambda: LABELS([]), ValueError, "`Y` should have at least one row"),
    "no label columns": (
        lambda: iso.label_aucs(np.empty((4, 0)), s),
        ValueError,
        r"`Y` should have at least one row and one label. Found shape \(4, 0\)",
    ),
    "no label columns in a frame": (
        lambda: iso.label_aucs(pd.DataFrame(index=range(4)), s),
        ValueError,
        r"`Y` should have at least one row and one label. Found shape \(4, 0\)",
    ),
    "labels ragged": (lambda: iso.label_aucs(RAGGED, [1, 2]), ValueError, "`Y`.*unequal length"),
    "labels object": (lambda: iso.label_aucs(Y.astype(object), s), TypeError, "`Y`.*astype"),
    "labels sparse": (
        lambda: iso.label_aucs(sparse.csr_matrix(Y), s),
        TypeError,
        r"`Y` should be a dense array. Found a sparse matrix; pass `Y.toarray\(\)`",
    ),
    "labels complex": (lambda: iso.auc(y + 0j, s), TypeError, "`y_true`.*complex128"),
    "labels lazy": (
        lambda: iso.label_aucs(pl.LazyFrame({"a": [0, 1]}), [1, 2]),
        TypeError,
        r"`Y`.*LazyFrame.*`Y.collect\(\)`",
    ),
    "columns of one name": (
        lambda: iso.label_aucs(pd.DataFrame(Y, columns=["a", "a"]), s),
        ValueError,
        "`Y` should have a different name for each column. Found 'a' more than once. Rename one",
    ),
    "several labels in auc": (
        lambda: iso.auc(Y, s),
        ValueError,
        "`y_true` should hold one label. Found 2 columns; use `label_aucs`",
    ),
    "several labels in multipartite_auc": (
        lambda: iso.multipartite_auc(Y, s),
        ValueError,
        "`y_true` .*Found 2 columns; use `objective_auc` with `LabelAggregation`",
    ),
    "conflicts of one label": (
        lambda: iso.conflict_aucs(y, s),
        ValueError,
        "`Y` should hold at least two labels.*Found one",
    ),
    "conflict intervals of one label": (
        lambda: iso.conflict_intervals(Y[:, :1], s),
        ValueError,
        "`Y` should hold at least two labels",
    ),
    # Weights of items.
    "weights negative": (
        lambda: iso.auc(y, s, sample_weight=[1, -2, 1, 1]),
        ValueError,
        "`sample_weight` should hold weights >= 0. Found -2",
    ),
    "weights all 0": (
        lambda: iso.auc(y, s, sample_weight=np.zeros(4)),
        ValueError,
        "`sample_weight` should hold a positive weight. All are 0",
    ),
    "weights NaN": (
        lambda: iso.auc(y, s, sample_weight=[1, 1, np.nan, 1]),
        ValueError,
        "`sample_weight` should hold finite weights.*use 0 to leave an item out",
    ),
    "weights infinite": (
        lambda: iso.auc(y, s, sample_weight=[1, 1, np.inf, 1]),
        ValueError,
        "`sample_weight` should hold finite weights",
    ),
    "weights too few": (
        lambda: iso.label_aucs(Y, s, sample_weight=[1, 2]),
        ValueError,
        r"`sample_weight` should hold one weight for each of the 4 items. Found shape \(2,\)",
    ),
    "weights a scalar": (
        lambda: iso.auc(y, s, sample_weight=2),
        ValueError,
        r"`sample_weight` .*Found shape \(\)",
    ),
    "weights 2-D": (
        lambda: iso.auc(y, s, sample_weight=np.ones((4, 1))),
        ValueError,
        r"`sample_weight` .*Found shape \(4, 1\)",
    ),
    "weights text": (
        lambda: iso.auc(y, s, sample_weight=["1"] * 4),
        TypeError,
        "`sample_weight` should be an array of numbers",
    ),
    # Groups.
    "groups None": (
        lambda: iso.auc(y, s, groups=["a", None, "a", None]),
        ValueError,
        "`groups` should name a group for every item. Found 2 missing. Drop those rows or",
    ),
    "groups NaN": (
        lambda: iso.auc(y, s, groups=[1, np.nan, 1, 2]),
        ValueError,
        "`groups` should name a group for every item. Found 1 missing",
    ),
    "groups NaT": (
        lambda: iso.auc(y, s, groups=np.array(["2020", "NaT", "2020", "2021"], "M8[D]")),
        ValueError,
        "`groups` should name a group for every item. Found 1 missing",
    ),
    "groups NA (pandas)": (
        lambda: iso.auc(y, s, groups=pd.Series([1, None, 1, 2], dtype="Int64")),
        ValueError,
        "`groups` should name a group for every item. Found 1 missing",
    ),
    "groups NA (pandas text)": (
        lambda: iso.auc(y, s, groups=pd.Series(["a", None, "a", "b"], dtype="string")),
        ValueError,
        "`groups` should name a group for every item. Found 1 missing",
    ),
    "groups null (polars)": (
        lambda: iso.auc(y, s, groups=pl.Series([1, None, 1, 2])),
        ValueError,
        "`groups` should name a group for every item. Found 1 missing",
    ),
    "groups mixed": (
        lambda: iso.auc(y, s, groups=np.array([1, "a", 1, "b"], object)),
        TypeError,
        r"`groups` should hold ids of one type.*`groups.astype\(str\)`",
    ),
    "groups mixed in a list": (
        lambda: iso.auc(y, s, groups=[1, "1", 1, "1"]),
        TypeError,
        r"`groups` should hold ids of one type",
    ),
    "groups as sizes": (
        lambda: iso.auc(y, s, groups=[2, 2]),
        ValueError,
        r"`groups` should hold one group for each of the 4 items. Found shape \(2,\).*np.repeat",
    ),
    "groups 2-D": (
        lambda: iso.auc(y, s, groups=np.ones((4, 1))),
        ValueError,
        r"`groups` .*Found shape \(4, 1\)",
    ),
    "group_weight unknown": (
        lambda: iso.auc(y, s, groups=[1, 1, 2, 2], group_weight="pair"),
        ValueError,
        "`group_weight` should be one of 'pairs', 'equal'. Found 'pair'. Did you mean 'pairs'?",
    ),
    "group_weight unknown without groups": (
        lambda: iso.label_aucs(Y, s, group_weight=None),
        ValueError,
        "`group_weight` should be one of 'pairs', 'equal'. Found None",
    ),
    # Objectives.
    "objective a class": (
        lambda: iso.objective_auc(Y, s, iso.LabelAggregation),
        TypeError,
        r"`objective` should be an objective such as `LabelAggregation\(\)`",
    ),
    "objective text": (
        lambda: iso.objective_auc(Y, s, "mean"),
        TypeError,
        r"`objective` should be an objective such as `LabelAggregation\(\)`. Found 'mean'",
    ),
    "objective None": (
        lambda: iso.objective_auc(Y, s, None),
        TypeError,
        "`objective` .*Found None",
    ),
    "objective text in intervals": (
        lambda: iso.auc_intervals(Y, s, objective="worst"),
        TypeError,
        "`objective` .*Found 'worst'",
    ),
    "objective a class in compare_scores": (
        lambda: iso.compare_scores(Y, s, s, objective=iso.WorstLabel),
        TypeError,
        "`objective` should be an objective such as",
    ),
    "label out of range": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel(2)),
        ValueError,
        "`label` should lie in 0..1. Found 2",
    ),
    "label below 0": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel(-1)),
        ValueError,
        "`label` should lie in 0..1. Found -1",
    ),
    "label a bool": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel(True)),
        TypeError,
        "`label` should be a number or a name. Found True",
    ),
    "label a float": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel(1.0)),
        TypeError,
        "`label` should be a number or a name. Found 1.0",
    ),
    "label unknown": (
        lambda: iso.objective_auc(NAMED, s, iso.OneLabel("clicks")),
        ValueError,
        "`label` names no label: found 'clicks'. The labels are 'click', 'buy'. Did.*'click'",
    ),
    "label named without names": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel("click")),
        ValueError,
        "`label` names no label: found 'click'. Pass the labels as a data frame, or give",
    ),
    "label '0' without names": (
        lambda: iso.objective_auc(Y, s, iso.OneLabel("0")),
        ValueError,
        "`label` names no label: found '0'. Pass the labels as a data frame",
    ),
    "label weights too few": (
        lambda: iso.objective_auc(Y, s, iso.LossAggregation([1, 2, 3])),
        ValueError,
        "`weights` should hold one number for each of the 2 labels. Found 3",
    ),
    "label weights too few for levels": (
        lambda: iso.objective_auc(Y, s, iso.LabelAggregation(weights=[1])),
        ValueError,
        "`weights` should hold one number for each of the 2 labels. Found 1",
    ),
    "label weights negative": (
        lambda: iso.LossAggregation([1, -1]),
        ValueError,
        r"`weights` should hold finite numbers >= 0. Found \[1.0, -1.0\]",
    ),
    "label weights NaN": (
        lambda: iso.LabelAggregation(weights=[1, np.nan]),
        ValueError,
        "`weights` should hold finite numbers >= 0",
    ),
    "label weights all 0": (
        lambda: iso.LossAggregation([0, 0]),
        ValueError,
        "`weights` should hold a positive number. All are 0",
    ),
    "label weights empty": (
        lambda: iso.LossAggregation([]),
        ValueError,
        "`weights` should hold one number per label",
    ),
    "label weights a scalar": (
        lambda: iso.LossAggregation(2),
        ValueError,
        r"`weights` should hold one number per label. Found shape \(\)",
    ),
    "label weights text": (
        lambda: iso.LossAggregation("balance"),
        ValueError,
        "`weights` should be one of 'balanced'. Found 'balance'. Did you mean 'balanced'?",
    ),
    "label weights by an odd key": (
        lambda: iso.LossAggregation({1.5: 1}),
        TypeError,
        "`weights` should have labels' names, or the numbers.*Found 1.5",
    ),
    "label weights by name below 0": (
        lambda: iso.LossAggregation({"click": -1, "buy": 1}),
        ValueError,
        r"`weights` should hold finite numbers >= 0. Found \[-1.0, 1.0\]",
    ),
    "weights in an empty dict": (
        lambda: iso.LossAggregation({}),
        ValueError,
        "`weights` should hold one number per label",
    ),
    "a weight for no label": (
        lambda: iso.objective_auc(NAMED, s, iso.LossAggregation({"clicks": 1, "buy": 2})),
        ValueError,
        "`weights` names no label: found 'clicks'. The labels are 'click', 'buy'. Did you mean 'cl",
    ),
    "a weight for a column that is not there": (
        lambda: iso.objective_auc(Y, s, iso.LossAggregation({0: 1, 2: 2})),
        ValueError,
        r"`weights` should lie in 0..1. Found 2",
    ),
    "a label without weight": (
        lambda: iso.objective_auc(NAMED, s, iso.LabelAggregation(weights={"buy": 2})),
        ValueError,
        "`weights` should hold a weight for every label. Found none for 'click'. Give 0",
    ),
    "a label weighed twice": (
        lambda: iso.objective_auc(NAMED, s, iso.LossAggregation({"buy": 2, "click": 1, 1: 3})),
        ValueError,
        "`weights` should name each label once. Found 'buy' by its name and by its number",
    ),
    "weights by name for labels without": (
        lambda: iso.objective_auc(Y, s, iso.LossAggregation({"click": 1, "buy": 2})),
        ValueError,
        "`weights` names no label: found 'click'. Pass the labels as a data frame, or give",
    ),
    "weights by name for packed labels": (
        lambda: iso.boosting.lightgbm_objective(iso.LossAggregation({"click": 1, "buy": 2})),
        ValueError,
        "weights by the labels' column numbers.*packed labels have no names. Found 'click'",
    ),
    # Rows of pandas.
    "rows in another order": (
        lambda: iso.label_aucs(NAMED, pd.Series(s)[::-1]),
        ValueError,
        r"the same pandas index.*another order, first in row 0: 0 and 3. Pass `y_score.loc\[Y.i",
    ),
    "weights of other rows": (
        lambda: iso.label_aucs(NAMED, s, sample_weight=pd.Series(s, index=[1, 2, 3, 4])),
        ValueError,
        "`Y` and `sample_weight` should have the same pandas index.*other labels.*0 and 1",
    ),
    "groups of other rows": (
        lambda: iso.auc(NAMED["buy"], s, groups=pd.Series([1, 1, 1, 1], index=list("abcd"))),
        ValueError,
        "`y_true` and `groups` should have the same pandas index.*0 and 'a'",
    ),
    "features of other rows": (
        lambda: iso.LinearRanker().fit(pd.DataFrame({"x": s}, index=[3, 2, 1, 0]), NAMED),
        ValueError,
        "`X` and `y` should have the same pandas index.*another order",
    ),
    "features of other rows for trees": (
        lambda: iso.BoostedRanker().fit(pd.DataFrame({"x": s}, index=[3, 2, 1, 0]), NAMED),
        ValueError,
        "`X` and `y` should have the same pandas index.*another order",
    ),
    "a second score of other rows": (
        lambda: iso.compare_scores(NAMED, pd.Series(s), pd.Series(s, index=[0, 1, 2, 4])),
        ValueError,
        "`Y` and `score_b` should have the same pandas index.*in row 3: 3 and 4",
    ),
    "groups of other rows than the features": (
        lambda: iso.LinearRanker().fit(
            pd.DataFrame({"x": s}), Y, groups=pd.Series([1, 1, 1, 1], index=[3, 2, 1, 0])
        ),
        ValueError,
        "`X` and `groups` should have the same pandas index.*another order",
    ),
    "segments of other rows": (
        lambda: iso.audit(NAMED, s, by=pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])),
        ValueError,
        "`Y` and `by` should have the same pandas index.*another order",
    ),
    "scores of other rows": (
        lambda: iso.blend(pd.DataFrame({"x": s}, index=[3, 2, 1, 0]), NAMED),
        ValueError,
        "`scores` and `Y` should have the same pandas index.*another order",
    ),
    "a loss of other rows": (
        lambda: iso.pair_loss(NAMED, pd.Series(s, index=[0, 1, 2, 4])),
        ValueError,
        "`Y` and `y_score` should have the same pandas index",
    ),
    "weights with product": (
        lambda: iso.LabelAggregation("product", weights=[1, 2]),
        ValueError,
        "`weights` serves `how` = 'mean' and 'sum' only. Found how='product'",
    ),
    "weights with a callable": (
        lambda: iso.LabelAggregation(np.max, weights=[1, 2]),
        ValueError,
        "`weights` serves `how` = 'mean' and 'sum' only",
    ),
    "how unknown": (
        lambda: iso.LabelAggregation("means"),
        ValueError,
        "`how` should be one of 'mean', 'sum', 'product', 'any'. Found 'means'. Did.*'mean'",
    ),
    "how a number": (lambda: iso.LabelAggregation(3), ValueError, "`how` should be one of"),
    "sum with missing labels": (
        lambda: iso.objective_auc(
            pd.DataFrame({"a": [1, 0], "b": [None, 1.0]}), [1, 2], iso.LabelAggregation("sum")
        ),
        ValueError,
        "`how` = 'sum' needs every label.* Found missing values in label 'b'. Use how='mean'",
    ),
    "how returns too few": (
        lambda: iso.objective_auc(Y, s, iso.LabelAggregation(lambda Y: Y[0])),
        ValueError,
        "`how` should return one number for each of the 4 rows",
    ),
    "how returns text": (
        lambda: iso.objective_auc(Y, s, iso.LabelAggregation(lambda Y: ["a"] * len(Y))),
        ValueError,
        "`how` should return one number for each of the 4 rows.*dtype <U1",
    ),
    "how returns nothing": (
        lambda: iso.objective_auc(Y, s, iso.LabelAggregation(lambda _: None)),
        ValueError,
        "`how` should return one number for each of the 4 rows",
    ),
    "how returns infinity": (
        lambda: iso.objective_auc(
            Y, s, iso.LabelAggregation(lambda Y: np.where(Y[:, 0], np.inf, 0))
        ),
        ValueError,
        "`how` should return finite levels, or NaN. Found infinity",
    ),
    # Costs.
    "costs unknown": (
        lambda: iso.multipartite_auc(y, s, costs="lineal"),
        ValueError,
        "`costs` should be one of 'linear', 'uniform'. Found 'lineal'. Did you mean 'linear'?",
    ),
    "costs too small": (
        lambda: iso.multipartite_auc([0, 1, 2, 3], s, costs=np.ones((2, 2))),
        ValueError,
        r"`costs` should be at least 4 x 4, because levels reach 3. Found shape \(2, 2\)",
    ),
    "costs not square": (
        lambda: iso.multipartite_auc(y, s, costs=np.ones((2, 3))),
        ValueError,
        r"`costs` should be 'linear', 'uniform', a callable or a square array.*\(2, 3\)",
    ),
    "costs 1-D": (
        lambda: iso.LabelAggregation(costs=[1, 2]),
        ValueError,
        r"`costs` should be .*a square array of numbers. Found shape \(2,\)",
    ),
    "costs ragged": (
        lambda: iso.LabelAggregation(costs=[[0], [1, 0]]),
        ValueError,
        "`costs` .*square.*unequal length",
    ),
    "costs negative": (
        lambda: iso.LabelAggregation(costs=[[0, 0], [-1, 0]]),
        ValueError,
        "`costs` should give finite costs >= 0. Found -1",
    ),
    "costs NaN": (
        lambda: iso.LabelAggregation(costs=[[0, 0], [np.nan, 0]]),
        ValueError,
        "`costs` should give finite costs >= 0. Found nan",
    ),
    "costs transposed": (
        lambda: iso.LabelAggregation(costs=[[0, 1], [0, 0]]),
        ValueError,
        r"`costs` should give some pair .*a positive cost.*\[high, low\].*below the diagonal",
    ),
    "costs text": (
        lambda: iso.LabelAggregation(costs=[["a", "b"], ["c", "d"]]),
        ValueError,
        "`costs` should be .*square array of numbers.*<U1",
    ),
    "costs None": (lambda: iso.LabelAggregation(costs=None), ValueError, "`costs` should be"),
    "costs callable negative": (
        lambda: iso.multipartite_auc([0, 1, 2, 3], s, costs=lambda high, low: low - high),
        ValueError,
        "`costs` should give finite costs >= 0. Found -1",
    ),
    "costs callable text": (
        lambda: iso.multipartite_auc(y, s, costs=lambda *_: "dear"),
        ValueError,
        "`costs` should return a number. Found 'dear'",
    ),
    "costs callable nothing": (
        lambda: iso.multipartite_auc(y, s, costs=lambda *_: None),
        ValueError,
        "`costs` should (return a number. Found None|give finite costs)",
    ),
    "costs callable all 0": (
        lambda: iso.multipartite_auc(y, s, costs=lambda *_: 0),
        ValueError,
        "`costs` should give some pair of levels a positive cost. All are 0",
    ),
    "costs array for fractions": (
        lambda: iso.multipartite_auc([0, 0.5, 1, 1], s, costs=np.ones((2, 2))),
        ValueError,
        "`costs` as an array is indexed by integer levels.*Found the level 0.5. Pass a callable",
    ),
    "costs array for negative levels": (
        lambda: iso.multipartite_auc([-1, 0, 1, 1], s, costs=np.ones((2, 2))),
        ValueError,
        "`costs` as an array is indexed by integer levels.*Found the level -1",
    ),
    "costs callable for many levels": (
        lambda: iso.multipartite_auc(np.arange(1025), np.arange(1025), costs=lambda *_: 1.0),
        ValueError,
        "`costs` as an array or callable serves up to 1024 levels. Found 1025. Round the levels",
    ),
    # Intervals.
    "level 0": (lambda: iso.auc_intervals(y, s, level=0), ValueError, "`level` .*such as 0.95"),
    "level 1": (lambda: iso.conflict_intervals(Y, s, level=1), ValueError, "`level` .*Found 1"),
    "level 95": (lambda: iso.compare_scores(y, s, s, level=95), ValueError, "`level` .*Found 95"),
    "level NaN": (lambda: iso.auc_intervals(y, s, level=np.nan), ValueError, "`level` .*nan"),
    "level text": (lambda: iso.auc_intervals(y, s, level="95%"), ValueError, "`level` .*'95%'"),
    "method unknown": (
        lambda: iso.auc_intervals(y, s, method="boostrap"),
        ValueError,
        "`method` should be one of 'auto', 'delong', 'delong-logit', 'boot.* Did.*'bootstrap'",
    ),
    "n_resamples 0": (
        lambda: iso.auc_intervals(y, s, method="bootstrap", n_resamples=0),
        ValueError,
        "`n_resamples` should be a whole number >= 2. Found 0",
    ),
    "n_resamples a float": (
        lambda: iso.auc_intervals(y, s, method="bootstrap", n_resamples=1e3),
        ValueError,
        "`n_resamples` should be a whole number >= 2. Found 1000.0",
    ),
    "n_resamples True": (
        lambda: iso.auc_intervals(y, s, method="bootstrap", n_resamples=True),
        ValueError,
        "`n_resamples` should be a whole number >= 2. Found True",
    ),
    # Preferences of one's own.
    "tables of two shapes": (
        lambda: iso.Preferences([0, 1], above=[1, 0], below=[0, 1, 1], mix=iso.Pooled()),
        ValueError,
        r"`above` and `below` should have one shape.*\(2, 1\) and \(3, 1\)",
    ),
    "table negative": (
        lambda: iso.Preferences([0, 1], above=[1, -1], below=[0, 1], mix=iso.Pooled()),
        ValueError,
        "`above` should be a table of finite numbers >= 0",
    ),
    "sparse table negative": (
        lambda: iso.Preferences(
            [0, 1], above=[1, 0], below=sparse.csr_array([[0.0], [-1.0]]), mix=iso.Pooled()
        ),
        ValueError,
        "`below` should be a table of finite numbers >= 0",
    ),
    "table NaN": (
        lambda: iso.Preferences([0, 1], above=[1, 0], below=[0, np.nan], mix=iso.Pooled()),
        ValueError,
        "`below` should be a table of finite numbers >= 0",
    ),
    "table 3-D": (
        lambda: iso.Preferences([0], np.ones((1, 1, 1)), np.ones((1, 1, 1)), iso.Pooled()),
        ValueError,
        "`above` should be a table.*one row per pattern and one column per term",
    ),
    "rows without a count": (
        lambda: iso.Preferences([0, 1], [1, 0], [1, 1], iso.Pooled(), count=np.ones(3, int)),
        ValueError,
        r"`count` should hold one number for each of the 2 items. Found shape \(3,\)",
    ),
    "soft label weights of another name": (
        lambda: iso.SoftLabel("balanced"),
        ValueError,
        "`weights` should be one of 'rarity'.*Found 'balanced'",
    ),
    "soft label weights that are all 0": (
        lambda: iso.SoftLabel([0, 0]),
        ValueError,
        "`weights` should hold a positive number",
    ),
    "soft label weights of fewer labels": (
        lambda: iso.objective_auc([[1, 0], [0, 1]], [1, 2], iso.SoftLabel([1, 1, 1])),
        ValueError,
        "`weights` should hold one number for each of the 2 labels. Found 3",
    ),
    "a soft label of ordinal labels": (
        lambda: iso.objective_auc([[2, 0], [0, 1]], [1, 2], iso.SoftLabel()),
        ValueError,
        "should hold binary labels",
    ),
    "codes out of range": (
        lambda: iso.Preferences([0, 2], above=[1, 0], below=[0, 1], mix=iso.Pooled()),
        ValueError,
        r"`codes` should lie in 0..1, the rows of `above`. Found 0..2",
    ),
    "codes negative": (
        lambda: iso.Preferences([-1, 1], above=[1, 0], below=[0, 1], mix=iso.Pooled()),
        ValueError,
        r"`codes` should lie in 0..1, the rows of `above`. Found -1..1",
    ),
    "codes of floats": (
        lambda: iso.Preferences([0.0, 1.0], above=[1, 0], below=[0, 1], mix=iso.Pooled()),
        ValueError,
        "`codes` should be a 1-D array of pattern numbers.*float64",
    ),
    "codes 2-D": (
        lambda: iso.Preferences([[0], [1]], above=[1, 0], below=[0, 1], mix=iso.Pooled()),
        ValueError,
        r"`codes` should be a 1-D array of pattern numbers. Found shape \(2, 1\)",
    ),
    # The package.
    "unknown name": (
        lambda: iso.label_auc,
        AttributeError,
        "module 'isonomy' has no attribute 'label_auc'",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str) -> None:
    call, error, message = ERRORS[name]
    with pytest.raises(error, match=message) as caught:
        call()
    assert caught.type is error


ONE_CLASS = np.array([[1, 1], [1, 0], [1, 1]])

# What has no value: the call, and what its warning must say.
WARNINGS: dict[str, tuple[Callable[[], Any], str]] = {
    "one class": (lambda: iso.auc([1, 1], [1, 2]), "for '0': one class is not there"),
    "one class of several": (lambda: iso.label_aucs(ONE_CLASS, [1, 2, 3])[0], "for '0': one class"),
    "one class of an objective": (
        lambda: iso.objective_auc(ONE_CLASS, [1, 2, 3], iso.LossAggregation()),
        "for '0': one class",
    ),
    "one class of the worst": (
        lambda: iso.objective_auc(ONE_CLASS, [1, 2, 3], iso.WorstLabel()),
        "for '0': one class",
    ),
    "all missing": (lambda: iso.auc([np.nan] * 3, [1, 2, 3]), "for '0': one class is not there"),
    "all missing, aggregated": (
        lambda: iso.objective_auc(np.full((3, 2), np.nan), [1, 2, 3], MEAN),
        "no pair of items to compare: all are on one level",
    ),
    "one level": (lambda: iso.multipartite_auc([2, 2, 2], [1, 2, 3]), "all are on one level"),
    "one item": (lambda: iso.auc([1], [1.0]), "for '0': one class is not there"),
    "groups of one item": (
        lambda: iso.auc([0, 1, 0], [1, 2, 3], groups=[0, 1, 2]),
        "inside a group for '0'",
    ),
    "groups of one level": (
        lambda: iso.multipartite_auc([0, 1, 0], [1, 2, 3], groups=[0, 1, 0]),
        "no pair of items to compare inside a group",
    ),
    "groups of equal weight without pairs": (
        lambda: iso.auc([0, 1, 0], [1, 2, 3], groups=[0, 1, 2], group_weight="equal"),
        "inside a group for '0'",
    ),
    "a class of weight 0": (
        lambda: iso.auc([0, 1, 0], [1, 2, 3], sample_weight=[1, 0, 1]),
        "for '0': one class is not there",
    ),
    "no conflict": (
        lambda: iso.conflict_aucs([[1, 1], [0, 0], [1, 0]], [1, 2, 3])[0, 1],
        "for '0 against 1'",
    ),
    "interval of one class": (lambda: iso.auc_intervals([1, 1], [1, 2]).low[0], "for '0'"),
}


@pytest.mark.parametrize("name", WARNINGS)
def test_undefined(name: str) -> None:
    call, message = WARNINGS[name]
    with pytest.warns(UndefinedMetricWarning, match=message):
        value = call()
    assert np.isnan(value)


def test_the_table_is_long_enough() -> None:
    assert len(ERRORS) >= 40
