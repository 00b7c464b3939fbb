"""Spreads of influences against every pair of items, and known values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import isonomy as iso
from isonomy._core import Items
from isonomy._counting import influence as module
from isonomy._counting.influence import Influence
from isonomy._counting.ranking import Ranking
from isonomy._counting.spread import Spread, effective_size, known_variance, roles_of
from tests.counting.spread_oracle import Slow, spread_of

N = 40
FIELDS = ("size", "variance", "scale", "smallest", "covariance")
KINDS = (
    "mean",
    "pooled",
    "one",
    "one pooled",
    "sparse",
    "sparse pooled",
    "two-sided",
    "two-sided pooled",
)
UNITS = ("items", "clusters", "groups", "clusters of groups")
TIMES = ("plain", "weighted", "counted")


def wish_of(kind: str, units: str, times: str, rng: np.random.Generator) -> iso.Preferences:
    """Five patterns and three terms, or one; with one pattern on both sides of the second."""
    above = rng.choice([0.0, 0.5, 1.0, 2.0], (5, 3))
    above[:, 2] = 1.0
    below = np.where(above == 0, rng.choice([0.5, 1.0, 3.0], (5, 3)), 0.0)
    above[:2], below[:2] = 0.0, [[1.0, 2.0, 0.5], [0.0, 1.0, 1.0]]
    above[4], below[4] = [1.0, 0.5, 0.0], 0.0
    if kind.startswith("two-sided"):
        below[3, 1], above[3, 1] = 1.5, 1.0
    if kind.startswith("one"):
        above, below = above[:, 1:2], below[:, 1:2]
    tables: list[Any] = [above, below]
    if kind.startswith("sparse"):
        tables = [sparse.csr_array(table) for table in tables]
    mix = iso.Pooled() if "pooled" in kind else iso.Mean((1.0,) * above.shape[1])
    weight = count = group = None
    if times == "weighted":
        weight = rng.choice([0.0, 0.5, 1.0, 4.0], N)
    elif times == "counted":
        count = rng.choice([0, 1, 1, 2, 3], N)
        weight = count * rng.choice([0.5, 1.0], N)
    if "groups" in units:
        # The last two have no pairs.
        group = np.arange(N)
        group[10:] = rng.integers(0, 8, N - 10)
    codes = rng.permutation(np.arange(N) % 5)
    equal = "equal" if times == "weighted" else "pairs"
    return iso.Preferences(
        codes, *tables, mix, weight=weight, group=group, group_weight=equal, count=count
    )


def problem_of(
    kind: str, units: str, times: str
) -> tuple[iso.Preferences, list[np.ndarray], np.ndarray | None]:
    """Preferences, two scores with ties, and clusters of rows."""
    rng = np.random.default_rng(len(kind) + 10 * len(units) + 100 * len(times))
    wish = wish_of(kind, units, times, rng)
    scores = [rng.integers(0, 9, N).astype(float) for _ in range(2)]
    cluster = None
    if units == "clusters":
        cluster = rng.integers(0, 9, N)
        cluster[:9] = np.arange(9)
    elif units == "clusters of groups":
        assert wish.group is not None
        cluster = wish.group // 2
    return wish, scores, cluster


def influence_of(
    wish: iso.Preferences, scores: np.ndarray, cluster: np.ndarray | None = None
) -> Influence:
    return Influence(Ranking(wish, scores, indexed=True), count=wish.count, cluster=cluster)


def assert_spread(found: Spread, expected: dict[str, np.ndarray]) -> None:
    for name in FIELDS:
        value = getattr(found, name)
        assert value == pytest.approx(expected[name], rel=1e-9, abs=1e-15), name


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kind", KINDS)
def test_spread_is_its_definition(kind: str, units: str, times: str) -> None:
    wish, scores, cluster = problem_of(kind, units, times)
    fast = [influence_of(wish, each, cluster) for each in scores]
    slow = [Slow(wish, each, cluster) for each in scores]
    parts = [each.units() for each in slow]
    assert_spread(fast[0].spread(), spread_of(parts[0], slow[0].clusters(parts[0])))
    assert fast[0].independent_pairs == pytest.approx(slow[0].independent_pairs())
    # The difference of two scores: the parts are those of the labels, one for both.
    psi = parts[0].psi - parts[1].psi
    apart = replace(parts[0], psi=psi, single=psi**2)
    assert_spread(fast[0].difference(fast[1]), spread_of(apart, slow[0].clusters(apart)))
    if wish.mix.pooled:
        return
    n = wish.n_terms
    slopes = np.array([0.5, 0.0, -0.25])[:n], np.array([0.25, 0.0, 0.25])[:n]
    mixed = slow[0].mixed(parts[0], slopes[0])
    assert_spread(fast[0].spread(slopes[0]), spread_of(mixed, slow[0].clusters(mixed)))
    both = slow[0].mixed(parts[0], (abs(slopes[0]) + abs(slopes[1])) / 2)
    psi = mixed.psi - slow[1].mixed(parts[1], slopes[1]).psi
    apart = replace(both, psi=psi, single=psi**2)
    found = fast[0].difference(fast[1], *slopes)
    assert_spread(found, spread_of(apart, slow[0].clusters(apart)))


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunk", [1, 3])
def test_blocks_and_chunks_change_nothing(
    kind: str, times: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish, scores, _ = problem_of(kind, "items", times)
    n_joint = 2 if wish.mix == iso.Mean((1.0,) * 3) else 1
    influence = influence_of(wish, scores[0])
    whole = influence.spread()
    monkeypatch.setattr(module, "CHUNK", chunk)
    monkeypatch.setattr(module, "BLOCK", 7)
    monkeypatch.setattr(module, "WORTH_BLOCKS", 0)
    expected = {name: getattr(whole, name) for name in FIELDS}
    expected["covariance"] = whole.covariance[:n_joint, :n_joint]
    assert_spread(influence.spread(jointly=n_joint), expected)
    if kind in ("mean", "two-sided"):
        blocks = influence._blocks()
        assert len(blocks) > 3
        assert [block.start for block in blocks[1:]] == [block.stop for block in blocks[:-1]]
        ordered = np.sort(scores[0])
        for block in blocks[1:]:
            # Nothing is tied across blocks, of which each is 7 long or ends with a run.
            assert ordered[block.start - 1] < ordered[block.start]


def test_a_label_without_pairs_is_unknown_and_leaves_the_others_alone() -> None:
    wish = iso.Preferences([0, 1, 0, 1], [[1, 0], [0, 1]], [[0, 0], [1, 0]], iso.Mean((1.0, 1.0)))
    found = influence_of(wish, np.array([3.0, 0.0, 1.0, 2.0])).spread()
    alone = iso.Preferences([0, 1, 0, 1], [1, 0], [0, 1], iso.Mean((1.0,)))
    expected = influence_of(alone, np.array([3.0, 0.0, 1.0, 2.0])).spread()
    assert found.variance[:, 0] == pytest.approx(expected.variance[:, 0])
    assert np.isnan(found.covariance).tolist() == [[False, True], [True, True]]
    assert found.smallest.tolist() == [2.0, 0.0]
    group = np.array([0, 0, 1, 1])
    grouped = [
        influence_of(replace(each, group=group), np.array([3.0, 0.0, 1.0, 2.0])).spread()
        for each in (wish, alone)
    ]
    assert grouped[0].variance[:, 0] == pytest.approx(grouped[1].variance[:, 0])
    assert np.isnan(grouped[0].covariance).tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize("times", TIMES)
def test_one_item_makes_a_class_without_a_spread(times: str) -> None:
    """That of the other class is known, their sum is not."""
    above, below = [[1, 1], [0, 1], [0, 0]], [[0, 0], [1, 0], [1, 1]]
    count = np.array([1, 2, 2, 1, 2]) if times == "counted" else None
    weight = np.array([1.0, 2, 2, 1, 2]) if times != "plain" else None
    codes, mix = [0, 1, 1, 2, 2], iso.Mean((1.0, 1.0))
    wish = iso.Preferences(codes, above, below, mix, weight=weight, count=count)
    found = influence_of(wish, np.array([2.0, 3.0, 0.0, 4.0, 1.0])).spread()
    assert found.size[0, 0] == 1
    assert np.isnan(found.variance[:, 0]).tolist() == [True, False, False]
    assert found.variance[1, 0] > 0
    assert np.isnan(found.covariance).tolist() == [[True, True], [True, False]]
    assert np.isfinite(found.variance[:, 1]).all()
    assert found.take(np.array([1])).covariance.tolist() == [[found.covariance[1, 1]]]


def test_equal_scores_have_exactly_no_spread() -> None:
    wish, _, cluster = problem_of("mean", "clusters", "weighted")
    for units in (None, cluster):
        influence = influence_of(wish, np.full(N, 0.1), units)
        for found in (influence.spread(), influence.difference(influence)):
            assert (found.variance == 0).all()
            assert (found.covariance == 0).all()
            assert (found.error == 0).all()


@pytest.mark.parametrize("units", ["items", "clusters"])
def test_a_class_that_is_one_unit_leaves_the_other_its_spread(units: str) -> None:
    """Two items that are always ranked alike, or one: their side has no spread to correct."""
    n_above = 2 if units == "clusters" else 1
    codes = np.repeat([0, 1], [n_above, 12])
    cluster = np.concatenate([np.zeros(n_above, int), 1 + np.arange(12) // 4])
    above = np.array([3.5, 9.5])[:n_above]
    scores = np.concatenate([above, np.repeat([1.0, 5.0, 8.0], 4) + np.tile([0, 0, 1, 2], 3)])
    wish = iso.Preferences(codes, [1, 0], [0, 1], iso.Mean((1.0,)))
    given = cluster if units == "clusters" else None
    fast, slow = influence_of(wish, scores, given), Slow(wish, scores, given)
    parts = slow.units()
    expected = spread_of(parts, slow.clusters(parts))
    assert fast.spread().scale == pytest.approx(expected["scale"], rel=1e-12)
    assert fast.spread().size == pytest.approx(expected["size"], rel=1e-12)
    assert fast.spread().variance[1] == pytest.approx(expected["variance"][1], rel=1e-12)
    rows = parts.psi if given is None else parts.summed(cluster).psi
    assert fast.rows() == pytest.approx(rows, rel=1e-12, abs=1e-15)


def test_a_class_of_two() -> None:
    """Placements 1 and 1/3 beside 1, 1/2 and 1/2: variances 2/9 and 1/12 of 2 and 3 items."""
    wish = iso.Preferences([0, 0, 1, 1, 1], [1, 0], [0, 1], iso.Mean((1.0,)))
    found = influence_of(wish, np.array([4.0, 1.0, 0.0, 2.0, 3.0])).spread()
    assert found.variance[0] == pytest.approx([1 / 9], rel=1e-12)
    assert found.variance[1] == pytest.approx([1 / 36], rel=1e-12)


def test_pooled_pairs_are_as_many_as_the_scarcest_term_has() -> None:
    """One that has none does not count; one with a single item does."""
    above = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    below = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0]])
    wish = iso.Preferences([0, 1, 1, 2, 2], above, below, iso.Pooled())
    assert influence_of(wish, np.arange(5.0)).independent_pairs.tolist() == [1.0]
    wish = iso.Preferences([0, 0, 1, 1, 1], above, below, iso.Pooled())
    assert influence_of(wish, np.arange(5.0)).independent_pairs.tolist() == [2.0]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize(("kind", "slope"), [("mean", (1, 0, 0)), ("one", (2,)), ("one", (1,))])
def test_a_mix_of_one_term(kind: str, slope: tuple[float, ...], units: str) -> None:
    wish, scores, cluster = problem_of(kind, units, "weighted")
    slow = Slow(wish, scores[0], cluster)
    mixed = slow.mixed(slow.units(), np.array(slope, float))
    found = influence_of(wish, scores[0], cluster).spread(np.array(slope, float))
    assert_spread(found, spread_of(mixed, slow.clusters(mixed)))


def test_a_term_without_pairs_beside_one_with_items_on_both_sides() -> None:
    above, below = [[1.0, 0], [1.0, 0], [0, 0]], [[0, 0], [0.5, 1], [1.0, 0]]
    wish = iso.Preferences([0, 1, 1, 2], above, below, iso.Mean((1.0, 0.0)))
    alone = replace(wish, above=wish.above[:, :1], below=wish.below[:, :1], mix=iso.Mean((1.0,)))
    for cluster in (None, np.array([0, 1, 2, 2])):
        found, expected = (
            influence_of(each, np.array([3.0, 0.0, 1.0, 2.0]), cluster).spread(np.array(slope))
            for each, slope in ((wish, [1.0, 0.0]), (alone, [1.0]))
        )
        assert_spread(found, {name: getattr(expected, name) for name in FIELDS})


def test_a_small_spread_is_one() -> None:
    """Of two rows that vary together, weigh little, and are all that is out of order."""
    codes, cluster = np.repeat([0, 1], [7, 3]), np.array([0, 1, 2, 3, 3, 4, 4, 5, 6, 7])
    scores = np.repeat([9.0, -1.0, 9.0, 0.0], [3, 2, 2, 3])
    weight = np.repeat([1.0, 1e-6, 1.0], [3, 4, 3])
    wish = iso.Preferences(codes, [1, 0], [0, 1], iso.Pooled(), weight=weight)
    slow = Slow(wish, scores, cluster)
    parts = slow.units()
    clusters = slow.clusters(parts)
    assert clusters is not None
    assert (clusters.psi**2).sum() > 1.5 * (parts.psi**2).sum()
    found = influence_of(wish, scores, cluster).spread()
    assert found.scale == pytest.approx(spread_of(parts, clusters)["scale"], rel=1e-9)


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_size_of_weights_changes_nothing(kind: str, units: str) -> None:
    wish, scores, cluster = problem_of(kind, units, "weighted")
    assert wish.weight is not None
    wish = replace(wish, group_weight="pairs")
    small = replace(wish, weight=wish.weight / 1024)
    found, expected = (influence_of(each, scores[0], cluster).spread() for each in (small, wish))
    assert_spread(found, {name: getattr(expected, name) for name in FIELDS})


@pytest.mark.parametrize("clustered", [False, True])
def test_rows_bring_their_scores_counts_and_clusters(clustered: bool) -> None:
    rng = np.random.default_rng(0)
    y, scores, counts = rng.integers(0, 2, N), rng.random((2, N)), rng.integers(1, 4, N)
    cluster = rng.integers(0, 12, N) if clustered else None
    items = Items.checked(y, y_score=scores[0], counts=counts, clusters=cluster)
    wish = items.preferences(iso.OneLabel(0))
    assert items.cluster is None or clustered
    for own, found in (
        (scores[0], Influence.of(items, wish)),
        (scores[1], Influence.of(items, wish, scores[1])),
        (scores[0], Influence.of(items, wish, indexed=True)),
    ):
        expected = influence_of(wish, own, items.cluster).spread()
        assert_spread(found.spread(), {name: getattr(expected, name) for name in FIELDS})
    indexed = Influence.of(items, wish, scores[0], indexed=True)
    assert indexed.rows() == pytest.approx(influence_of(wish, scores[0], items.cluster).rows())


def spread_like(**fields: Any) -> Spread:
    """Two estimates: 4 items above 6, and 9 groups."""
    plain: dict[str, Any] = {
        "size": np.array([[4.0, 0.0], [6.0, 0.0], [0.0, 9.0]]),
        "variance": np.array([[0.02, 0.0], [0.04, 0.0], [0.0, 0.09]]),
        "scale": np.array([[0.25, 0.0], [0.125, 0.0], [0.0, 0.5]]),
        "smallest": np.array([4.0, 9.0]),
        "covariance": np.array([[0.06, 0.01], [0.01, 0.09]]),
    }
    return Spread(**{**plain, **fields})


def test_errors_and_degrees_of_freedom() -> None:
    found = spread_like()
    assert found.error == pytest.approx([0.06**0.5, 0.3])
    # Satterthwaite (1946); of one variance they are its own, n - 1.
    assert found.freedom == pytest.approx([0.06**2 / (0.02**2 / 3 + 0.04**2 / 5), 8.0])
    # What counts as no spread is below 1e-18 of the scale.
    still = spread_like(variance=found.variance * 1e-18)
    assert still.freedom == pytest.approx([8.0, 8.0])
    tiny = spread_like(variance=found.variance * 1e-16)
    assert tiny.freedom == pytest.approx(found.freedom)
    narrow = spread_like(variance=found.variance * 1e-17, scale=found.scale * 1e-3)
    assert narrow.freedom == pytest.approx(found.freedom)
    nothing = spread_like(**{name: np.zeros((3, 2)) for name in ("size", "variance", "scale")})
    assert nothing.freedom.tolist() == [1.0, 1.0]


def test_there_is_one_degree_of_freedom_at_least() -> None:
    size = np.array([[1.5, 0.0], [1.25, 0.0], [0.0, 1.0]])
    assert spread_like(size=size).freedom == pytest.approx([0.06**2 / (0.02**2 + 0.04**2), 1.0])
    none = spread_like(size=size, variance=np.zeros((3, 2)))
    assert none.freedom.tolist() == [1.0, 1.0]
    half = spread_like(size=size, variance=np.array([[0.01, 0.0], [0.01, 0.0], [0.0, 0.5]]))
    assert half.freedom == pytest.approx([2.0, 1.0])


def test_sizes_near_whole_numbers_are_whole() -> None:
    parts = np.array([0.1] * 10)
    assert effective_size(parts.sum(keepdims=True), (parts**2).sum(keepdims=True)) == [10.0]
    total, near, far = np.array([3.0]), 9 / (3 * (1 + 5e-10)), 9 / (3 * (1 + 5e-9))
    assert effective_size(total, np.array([near])) == [3.0]
    assert effective_size(total, np.array([far])) == pytest.approx([3 + 1.5e-8], abs=1e-12)
    assert effective_size(total, np.array([far])) != [3.0]
    assert effective_size(np.zeros(1), np.zeros(1)) == [0.0]
    assert effective_size(np.array([2.0]), np.array([8.0])) == [0.5]


def test_roles() -> None:
    up, low = np.array([[1.0], [0.0], [2.0], [0.0]]), np.array([[0.0], [0.5], [1.0], [0.0]])
    roles = [[True, False, False, False], [False, True, False, False], [False, False, True, False]]
    assert roles_of(up, low)[..., 0].tolist() == roles


def test_what_one_unit_cannot_tell() -> None:
    found = known_variance(spread_like(size=np.array([[4.0, 0], [1.0, 0], [0, 9.0]])))
    assert np.isfinite(found.variance).all(), "the smaller side has four"
    lone = spread_like(size=np.array([[4.0, 0], [1.0, 0], [0, 9.0]]), smallest=np.array([1.0, 9.0]))
    found = known_variance(lone)
    assert np.isnan(found.variance).tolist() == [[False, False], [True, False], [False, False]]
    assert np.isnan(found.covariance).tolist() == [[True, True], [True, False]]
    assert found.variance[0].tolist() == lone.variance[0].tolist()
    assert np.isfinite(lone.covariance).all(), "the given one is left alone"
    absent = known_variance(spread_like(smallest=np.array([0.0, 2.0])))
    assert np.isfinite(absent.variance).all()
    assert np.isfinite(absent.covariance).all()


def test_what_comes_from_rounding_is_no_spread() -> None:
    variance = np.array([[1e-25, 0.0], [1e-25, 0.0], [0.0, 1e-23]])
    found = known_variance(spread_like(variance=variance))
    assert found.variance.tolist() == [[0.0, 0.0], [0.0, 0.0], [0.0, 1e-23]]
    assert found.covariance.tolist() == [[0.0, 0.0], [0.0, 0.09]]
    narrow = known_variance(spread_like(variance=variance, scale=spread_like().scale * 1e-3))
    assert narrow.variance.tolist() == variance.tolist()
    # The first covariance is of the first estimate alone.
    one = known_variance(spread_like(variance=variance, covariance=np.array([[0.06]])))
    assert one.covariance.tolist() == [[0.0]]
