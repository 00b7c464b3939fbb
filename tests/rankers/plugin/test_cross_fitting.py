"""Which rows classifiers are fitted to and judged on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import isonomy as iso
from isonomy._core.items import Items
from isonomy._rankers.plugin.cross_fitting import LabelUnit, observed_rows, splits_of
from isonomy._rankers.plugin.ranker import PlugInRanker
from tests.rankers.plugin.made_data import made


def test_one_classifier_per_label_on_the_rows_where_it_is_observed():
    X, Y, _ = made()
    Y[::3, 0] = np.nan
    ranker = PlugInRanker(LogisticRegression(), cv=None).fit(X, Y)
    for k in range(2):
        seen = ~np.isnan(Y[:, k])
        alone = LogisticRegression().fit(X[seen], Y[seen, k])
        np.testing.assert_allclose(ranker.estimators_[k].coef_, alone.coef_, rtol=1e-6)
        assert ranker.priors_[k] == Y[seen, k].mean()
    np.testing.assert_array_equal(ranker.effective_weights_, [0.5, 0.5])


def test_labels_that_do_not_count_are_not_fitted():
    X, Y, _ = made(K=3)
    Y[:, 2] = 1.0
    ranker = PlugInRanker(LogisticRegression(), iso.LossAggregation([1, 2, 0])).fit(X, Y)
    assert ranker.estimators_[2] is None
    assert np.isnan(ranker.expected_labels(X)[:, 2]).all()
    assert np.isfinite(ranker.predict(X)).all()


def alarms(make, *, n=1000, shift=0.0, copies=1, seeds=range(20), **options):
    """In how many of the draws a warning comes, and the last one's text."""
    count, text = 0, ""
    for seed in seeds:
        X, Y, _ = made(n=n, seed=seed, shift=shift)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            PlugInRanker(make(), **options).fit(np.tile(X, copies), Y)
        texts = [str(w.message) for w in caught if "miscalibrated" in str(w.message)]
        count += bool(texts)
        text = texts[0] if texts else text
    return count, text


@pytest.mark.parametrize(("n", "shift"), [(100, 0.0), (400, 0.0), (400, -3.0), (2000, -1.0)])
def test_right_models_raise_no_alarm(n, shift):
    assert alarms(LogisticRegression, n=n, shift=shift, seeds=range(25))[0] == 0


def balanced():
    return LogisticRegression(class_weight="balanced")


@pytest.mark.parametrize(
    ("make", "copies", "shift"), [(GaussianNB, 4, 0.0), (GaussianNB, 20, 0.0), (balanced, 1, -2.5)]
)
def test_wrong_models_raise_an_alarm_and_calibration_cures_them(make, copies, shift):
    count, text = alarms(make, copies=copies, shift=shift, seeds=range(5))
    assert count == 5
    assert "expected calibration error 0." in text
    assert "calibrate=True" in text
    assert alarms(make, copies=copies, shift=shift, seeds=range(5), calibrate=True)[0] == 0


def test_calibration_restores_the_balance_of_the_labels():
    """One label's classifier is given odds ten times too high; the ranking suffers."""
    X, Y, P = made(n=4000, shift=[0.0, -2.0], seed=3)
    fit = {"sample_weight": None}
    with pytest.warns(UserWarning, match="label '1'"):
        skewed = PlugInRanker(balanced()).fit(X, Y, **fit)
    mended = PlugInRanker(balanced(), calibrate=True).fit(X, Y)
    truth = P.sum(axis=1)
    assert np.corrcoef(mended.predict(X), truth)[0, 1] > np.corrcoef(skewed.predict(X), truth)[0, 1]
    assert np.abs(mended.expected_labels(X) - P).mean() < 0.02
    isotonic = PlugInRanker(balanced(), calibrate="isotonic").fit(X, Y)
    assert np.abs(isotonic.expected_labels(X) - P).mean() < 0.03


def test_a_fitted_classifier_is_judged_and_calibrated_on_the_rows_given():
    X, Y, P = made(n=4000, shift=[0.0, -2.0])
    each = [balanced().fit(X[:2000], Y[:2000, k]) for k in range(2)]
    with pytest.warns(UserWarning, match="on the rows given"):
        PlugInRanker(each, prefit=True).fit(X[2000:], Y[2000:])
    mended = PlugInRanker(each, prefit=True, calibrate=True).fit(X[2000:], Y[2000:])
    assert np.abs(mended.expected_labels(X) - P).mean() < 0.03
    groups = np.arange(2000) // 10
    mended.fit(X[2000:], Y[2000:], groups=groups)
    assert mended.calibration_[1].error < 0.05


def test_one_label_s_own_ranking_needs_no_calibration():
    X, Y, _ = made()
    ranker = PlugInRanker(GaussianNB(), iso.OneLabel(0)).fit(np.tile(X, 10), Y)
    assert ranker.calibration_ == [None, None]


class Counted(LogisticRegression):
    """Counts how often it is fitted, and on how many rows."""

    fits: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.fits.append((len(X), X))
        return super().fit(X, y, sample_weight)


def test_no_more_folds_than_needed():
    X, Y, _ = made(n=60_000)
    Counted.fits.clear()
    PlugInRanker(Counted()).fit(X, Y)
    assert [n for n, _ in Counted.fits] == [60_000, 60_000, 48_000, 48_000]
    Counted.fits.clear()
    PlugInRanker(Counted(), calibrate=True, cv=2).fit(X, Y)
    assert len(Counted.fits) == 2 + 4


@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_folds_keep_groups_whole(cv):
    X, Y, _ = made(n=300)
    groups = np.random.default_rng(0).integers(0, 20, 300)
    X[:, 0] = groups
    Counted.fits.clear()
    PlugInRanker(Counted(), calibrate=True, cv=cv).fit(X, Y, groups=groups)
    for n, seen in Counted.fits[2:]:
        left_out = ~np.isin(groups, seen[:, 0])
        assert left_out.sum() == 300 - n
    assert len(Counted.fits) == 2 + 6


def test_folds_as_a_list():
    X, Y, _ = made(n=300)
    Y[:50, 0] = np.nan
    splits = [(np.arange(100, 300), np.arange(100)), (np.arange(100), np.arange(100, 300))]
    Counted.fits.clear()
    ranker = PlugInRanker(Counted(), cv=splits).fit(X, Y)
    assert [n for n, _ in Counted.fits] == [250, 300, 200, 50, 200, 100]
    assert [one.n_rows for one in ranker.calibration_] == [250, 300]


def test_random_state_shuffles_the_folds():
    X, Y, _ = made()
    first, second, third = (
        PlugInRanker(LogisticRegression(), calibrate=True, random_state=seed).fit(X, Y).predict(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, second)
    assert (first != third).any()


def test_each_label_is_stratified_on_the_rows_where_it_is_observed():
    _, Y, _ = made(n=300, shift=[0.0, -3.0])
    Y[:150, 0] = np.nan
    items = Items.checked(Y)
    for k in range(2):
        unit = LabelUnit((k,), observed_rows(items, k), False)
        splits = splits_of(items, unit, 5, None)
        held = [Y[split.test, k].sum() for split in splits]
        assert max(held) - min(held) <= 1
        tested = np.sort(np.concatenate([split.test for split in splits]))
        np.testing.assert_array_equal(tested, unit.rows)


def test_splitters_see_the_label():
    X, Y, _ = made(n=300, shift=[0.0, -3.0])
    Y[:50, 0] = np.nan
    ranker = PlugInRanker(LogisticRegression(), cv=StratifiedKFold(3)).fit(X, Y)
    assert [one.n_rows for one in ranker.calibration_] == [250, 300]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([(np.arange(20), [20, 20, 21])], "`cv` should hold each row once.*test part of split 0"),
        ([(np.arange(21), np.arange(20, 40))], "`cv` should not put a row into two parts"),
        ([(np.arange(20), [40])], "`cv` should hold row numbers in 0..39"),
        ([(np.arange(20),)], "`cv` should hold pairs"),
    ],
)
def test_own_splits_are_checked(splits, message):
    X, Y, _ = made(n=40)
    with pytest.raises(ValueError, match=message):
        PlugInRanker(LogisticRegression(), cv=splits).fit(X, Y)


def test_own_splits_may_cut_groups():
    """Probabilities are judged by rows that were not fitted, whichever group they belong to."""
    X, Y, _ = made(n=40)
    halves = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    found = PlugInRanker(LogisticRegression(), cv=halves).fit(X, Y, groups=np.arange(40) % 8)
    assert found.calibration_[0].n_rows == 40
