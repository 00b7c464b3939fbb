"""PairLoss against `iso.pair_loss`, and against explicit sums over pairs in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import isonomy as iso
from isonomy._pairsums import PreferenceLoss
from isonomy.surrogates import SURROGATES, Surrogate
from isonomy.torch import PairLoss
from tests.oracles import OBJECTIVES, Case
from tests.pairsums.cases import BAD_SCORES, each_surrogate
from tests.strategies import problems
from tests.without_extras import run_without_extras

each_objective = pytest.mark.parametrize("case", OBJECTIVES, ids=lambda case: case.name)

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-6}


@pytest.fixture(autouse=True)
def _one_thread() -> Any:
    """Small arrays are faster so."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def evaluate(loss: PairLoss, scores: Any, *args: Any, dtype: torch.dtype = torch.float64,
             **options: Any) -> tuple[Any, np.ndarray]:  # fmt: skip
    """The value and the gradient of its sum."""
    scores = torch.tensor(scores, dtype=dtype, requires_grad=True)
    found = loss(scores, *args, **options)
    found.sum().backward()
    assert found.dtype == dtype
    return found.detach().double().numpy(), scores.grad.double().numpy()


def close(found: Any, expected: Any, relative: float) -> None:
    """Within `relative` of the largest entry."""
    assert np.abs(found - expected).max() <= relative * np.abs(expected).max() + 1e-300


def explicit(surrogate: str, scores: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The mean of phi over all pairs of a positive and a negative, by autograd."""
    z = scores[y == 1][:, None] - scores[y == 0]
    return {
        "logistic": lambda: torch.nn.functional.softplus(-z, threshold=50),
        "sigmoid": lambda: torch.sigmoid(-z),
        "exponential": lambda: torch.exp(-z),
        "square": lambda: (1 - z) ** 2,
        "hinge": lambda: torch.relu(1 - z),
        "squared_hinge": lambda: torch.relu(1 - z) ** 2,
    }[surrogate]().mean()  # fmt: skip


@each_surrogate
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("spread", [0.01, 1.0, 12.0])
def test_equals_the_explicit_sum_at_4096(
    surrogate: Surrogate, dtype: torch.dtype, spread: float
) -> None:
    rng = np.random.default_rng(0)
    y = torch.from_numpy((rng.random(4096) < 0.3).astype(int))
    f = torch.tensor(rng.normal(size=4096) * spread, dtype=dtype)
    wide = f.clone().double().requires_grad_()
    truth = explicit(surrogate.name, wide, y)
    truth.backward()
    value, gradient = evaluate(
        PairLoss(surrogate=surrogate.name), f.detach().numpy(), y, dtype=dtype
    )
    close(value, truth.item(), TOLERANCE[dtype])
    close(gradient, wide.grad.numpy(), TOLERANCE[dtype])


def check_equal(
    Y: Any, f: Any, objective: Any = None, dtype: Any = torch.float64, *,
    surrogate: str = "logistic", group_weight: Any = "pairs", **options: Any,
) -> None:  # fmt: skip
    """Value and gradient are those of `pair_loss` at the same scores, rounded to the dtype."""
    scores = torch.tensor(f, dtype=dtype, requires_grad=True)
    expected = iso.pair_loss(
        Y, scores.detach().double().numpy(), objective, surrogate=surrogate,
        group_weight=group_weight, **options,
    )  # fmt: skip
    found = PairLoss(objective, surrogate=surrogate, group_weight=group_weight)(
        scores, Y, **options
    )
    found.backward()
    assert found.detach() == torch.tensor(expected.value, dtype=dtype)
    np.testing.assert_array_equal(scores.grad, torch.tensor(expected.gradient).to(dtype))


@each_surrogate
@each_objective
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 10)
def test_equals_pair_loss(
    case: Case, surrogate: Surrogate, dtype: torch.dtype, data: st.DataObject
) -> None:
    """Weights, groups, missing labels, and sizes on both sides of the direct sums."""
    n = data.draw(st.sampled_from([5, 60, 300, 700]), label="n")
    rng = np.random.default_rng(data.draw(st.integers(0, 99), label="seed"))
    Y = (rng.random((n, 3)) < [0.5, 0.2, 0.7]).astype(float)
    Y[:2] = [[0, 0, 0], [1, 1, 1]]
    if not case.complete and data.draw(st.booleans(), label="missing"):
        Y[2:][rng.random((n - 2, 3)) < 0.2] = np.nan
    f = rng.normal(size=n) * data.draw(st.sampled_from([0.01, 1.0, 8.0]), label="spread")
    options: dict[str, Any] = {"surrogate": surrogate.name}
    if data.draw(st.booleans(), label="weighted"):
        options["sample_weight"] = np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
        options["sample_weight"][:2] = 1.0
    if data.draw(st.booleans(), label="grouped"):
        options["groups"] = np.r_[0, 0, rng.integers(0, 3, n - 2)]
        options["group_weight"] = data.draw(st.sampled_from(["pairs", "equal"]))
    check_equal(Y, f, case.objective(3), dtype, **options)


@each_surrogate
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_items_outside_all_pairs_may_lie_anywhere(surrogate: Surrogate, dtype: torch.dtype) -> None:
    y, f = [1, 0, 1, 0, np.nan], [1, 0, 0.5, 0.2, 1e4]
    check_equal(y, f, dtype=dtype, surrogate=surrogate.name)
    check_equal(
        [1, 0, 1, 0, 1], f, dtype=dtype, surrogate=surrogate.name, sample_weight=[1, 1, 1, 1, 0]
    )


@each_surrogate
@pytest.mark.parametrize("name", BAD_SCORES)
def test_bad_scores(surrogate: Surrogate, name: str) -> None:
    n = 600
    scores = BAD_SCORES[name](n)
    Y = np.random.default_rng(0).integers(0, 2, (n, 2))
    if np.ptp(scores) > surrogate.max_range:
        with pytest.raises(ValueError, match="overflows"):
            evaluate(PairLoss(surrogate=surrogate.name), scores, Y)
        return
    check_equal(Y, scores, surrogate=surrogate.name)


@pytest.mark.parametrize("surrogate", ["logistic", "sigmoid", "hinge", "square"])
def test_single_precision_takes_outliers(surrogate: str) -> None:
    rng = np.random.default_rng(0)
    f = rng.normal(size=2000).astype(np.float32)
    f[5], f[6], f[7] = 1e6, 1e12, -1e6
    y = rng.integers(0, 2, 2000)
    check_equal(y, f, dtype=torch.float32, surrogate=surrogate)


@pytest.mark.parametrize("costs", ["linear", "uniform"])
def test_real_valued_levels(costs: str) -> None:
    rng = np.random.default_rng(2)
    y, f = rng.random(700), rng.normal(size=700)
    objective = iso.LabelAggregation(costs=costs)
    for surrogate in ("logistic", "squared_hinge"):
        check_equal(y, f, objective, surrogate=surrogate)


# Reductions.


@each_surrogate
def test_none_gives_one_loss_per_label(surrogate: Surrogate) -> None:
    rng = np.random.default_rng(4)
    Y, f = rng.integers(0, 2, (500, 3)), rng.normal(size=500)
    each = [iso.pair_loss(Y, f, iso.OneLabel(k), surrogate=surrogate.name) for k in range(3)]
    scores = torch.tensor(f, requires_grad=True)
    for objective in (iso.LossAggregation(), iso.LossAggregation("balanced"), iso.WorstLabel()):
        losses = PairLoss(objective, surrogate=surrogate.name, reduction="none")(scores, Y)
        assert losses.shape == (3,)
        np.testing.assert_allclose(losses.detach(), [part.value for part in each], rtol=1e-12)
        for loss, part in zip(losses, each, strict=True):
            (gradient,) = torch.autograd.grad(loss, scores, retain_graph=True)
            close(gradient.numpy(), part.gradient, 1e-12)


@each_surrogate
@pytest.mark.parametrize(("n", "grouped"), [(50, False), (500, False), (500, True)])
def test_all_gradients_at_once(surrogate: Surrogate, n: int, grouped: bool) -> None:
    """What combiners of gradients do: one batched backward pass for the rows of the Jacobian."""
    rng = np.random.default_rng(5)
    Y, groups = rng.integers(0, 2, (n, 3)), np.arange(n) % 9 if grouped else None
    scores = torch.tensor(rng.normal(size=n), requires_grad=True)
    loss = PairLoss(iso.LossAggregation(), surrogate=surrogate.name, reduction="none")
    losses = loss(scores, Y, groups=groups)

    def mixed(weights: torch.Tensor) -> torch.Tensor:
        return torch.autograd.grad(losses, scores, weights, retain_graph=True)[0]

    rows = torch.stack([torch.autograd.grad(x, scores, retain_graph=True)[0] for x in losses])
    eye = torch.eye(3, dtype=torch.float64)
    assert torch.equal(torch.vmap(mixed)(eye), rows)
    assert torch.equal(torch.vmap(mixed, in_dims=1, chunk_size=2)(2 * eye.T), 2 * rows)


def test_a_backward_per_term_sums_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores are sorted or binned in the forward pass, whatever is differentiated after it."""
    calls = []
    at = PreferenceLoss.at
    monkeypatch.setattr(PreferenceLoss, "at", lambda *args: calls.append(args) or at(*args))
    scores = torch.randn(300, requires_grad=True)
    Y = np.random.default_rng(0).integers(0, 2, (300, 3))
    for loss in (losses := PairLoss(iso.LossAggregation(), reduction="none")(scores, Y)):
        loss.backward(retain_graph=True)
    assert losses.shape == (3,)
    assert len(calls) == 1


def test_mean_is_the_mix_of_none() -> None:
    rng = np.random.default_rng(6)
    Y, f = rng.integers(0, 2, (300, 3)), torch.tensor(rng.normal(size=300))
    losses = PairLoss(iso.LossAggregation([3, 1, 0]), reduction="none")(f, Y)
    mean = PairLoss(iso.LossAggregation([3, 1, 0]))(f, Y)
    torch.testing.assert_close(mean, (3 * losses[0] + losses[1]) / 4)
    torch.testing.assert_close(PairLoss(iso.WorstLabel())(f, Y), losses.max())


class SoftWorst:
    """A mix that is no weighted sum: -log mean exp(-x)."""

    pooled = False

    def value(self, ratios: np.ndarray) -> float:
        return float(-np.log(np.mean(np.exp(-ratios))))

    def slope(self, ratios: np.ndarray) -> np.ndarray:
        return np.exp(-ratios) / np.exp(-ratios).sum()


class Soft:
    def preferences(self, labels: iso.Labels) -> iso.Preferences:
        yes = labels.patterns == 1
        return iso.Preferences(labels.codes, above=yes, below=~yes, mix=SoftWorst())


def test_an_objective_and_a_mix_of_ones_own() -> None:
    rng = np.random.default_rng(7)
    Y, f = rng.integers(0, 2, (300, 3)), rng.normal(size=300)
    check_equal(Y, f, Soft())


def test_a_surrogate_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = SURROGATES["logistic"]
    own = Surrogate("own", twice.value, twice.slope, twice.curvature, twice.shape)
    monkeypatch.setitem(SURROGATES, "own", own)
    rng = np.random.default_rng(8)
    y, f = rng.integers(0, 2, 40), rng.normal(size=40)
    close(evaluate(PairLoss(surrogate="own"), f, y)[1], iso.pair_loss(y, f).gradient, 1e-11)


# Batches without pairs.


@each_surrogate
@pytest.mark.parametrize("n", [20, 600])
def test_a_label_of_one_class_contributes_zero(surrogate: Surrogate, n: int) -> None:
    rng = np.random.default_rng(9)
    Y = np.c_[rng.integers(0, 2, n), np.zeros(n, int), np.full(n, np.nan)]
    f = rng.normal(size=n)
    one = iso.pair_loss(Y, f, iso.OneLabel(0), surrogate=surrogate.name)
    for objective, share in ((iso.LossAggregation(), 1 / 3), (iso.WorstLabel(), 1.0)):
        value, gradient = evaluate(PairLoss(objective, surrogate=surrogate.name), f, Y)
        close(value, one.value * share, 1e-12)
        close(gradient, one.gradient * share, 1e-12)
    each, _ = evaluate(
        PairLoss(iso.LossAggregation(), surrogate=surrogate.name, reduction="none"), f, Y
    )
    np.testing.assert_allclose(each, [one.value, 0.0, 0.0], rtol=1e-12)


@each_objective
@pytest.mark.parametrize("n", [1, 20, 600])
def test_a_batch_without_pairs_is_zero(case: Case, n: int) -> None:
    f = np.random.default_rng(10).normal(size=n)
    loss = PairLoss(case.objective(2))
    pairs = np.random.default_rng(0).integers(0, 2, (n, 2))
    for args in (
        (np.ones((n, 2)),),
        (pairs, np.zeros(n)),
        (pairs, None, np.arange(n)),
    ):
        value, gradient = evaluate(loss, f, *args)
        assert value == 0.0
        assert (gradient == 0.0).all()


# Forms, types, devices.


@given(problem=problems())
@settings(max_examples=settings.default.max_examples // 2)
def test_small_problems(problem: Any) -> None:
    f = np.nan_to_num(problem.scores, posinf=3.0, neginf=-3.0).clip(-1e9, 1e9)
    found, gradient = evaluate(
        PairLoss(iso.LossAggregation(), reduction="none"), f, problem.Y, problem.sample_weight,
        problem.groups,
    )  # fmt: skip
    assert np.isfinite(gradient).all()
    for k, value in enumerate(found):
        one = problem.Y[:, [k]]
        if np.isfinite(one).any() and value > 0:
            expected = iso.pair_loss(
                one, f, sample_weight=problem.sample_weight, groups=problem.groups
            )
            assert value == pytest.approx(expected.value, rel=1e-9)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [50, 3000])
def test_half_precision_is_computed_in_double(dtype: torch.dtype, n: int) -> None:
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, n)
    scores = torch.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
    value = PairLoss()(scores, y)
    value.backward()
    assert value.dtype == scores.grad.dtype == dtype
    expected = iso.pair_loss(y, scores.detach().double().numpy())
    assert value == torch.tensor(expected.value).to(dtype)
    assert torch.equal(scores.grad, torch.from_numpy(expected.gradient).to(dtype))


def test_autocast_costs_no_precision() -> None:
    rng = np.random.default_rng(12)
    y, f = rng.integers(0, 2, 3000), rng.normal(size=3000)
    plain = evaluate(PairLoss(), f, y, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = evaluate(PairLoss(), f, y, dtype=torch.float32)
    np.testing.assert_array_equal(plain[0], cast[0])
    np.testing.assert_array_equal(plain[1], cast[1])


Y4 = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
F4 = torch.tensor([0.3, -0.1, 2.0, 0.0])
EXPONENTIAL, SQUARE = PairLoss(surrogate="exponential"), PairLoss(surrogate="square")


@pytest.mark.parametrize(
    "form",
    [
        torch.tensor(Y4),
        torch.tensor(Y4, dtype=torch.bool),
        torch.tensor(Y4, dtype=torch.bfloat16),
        torch.tensor(Y4, dtype=torch.float16),
        torch.tensor(Y4, dtype=torch.float32, requires_grad=True),
        Y4.tolist(),
        pd.DataFrame(Y4, columns=["a", "b"]),
        pl.DataFrame(Y4, schema=["a", "b"]),
    ],
    ids=lambda form: str(getattr(form, "dtype", type(form))),
)
def test_forms_of_labels(form: Any) -> None:
    weight, groups = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]
    expected = PairLoss()(F4, Y4, weight, groups)
    assert PairLoss()(F4, form, torch.tensor(weight), torch.tensor(groups)) == expected


@pytest.mark.parametrize(
    "form",
    [pl.Series, pd.Series, lambda w: pd.Series(w, dtype="Float64"), np.array, tuple, torch.tensor],
)
def test_forms_of_weights(form: Any) -> None:
    weight = [1.0, 2.0, 3.0, 0.0]
    assert PairLoss()(F4, Y4, form(weight)) == PairLoss()(F4, Y4, weight)
    assert PairLoss()(F4, Y4, form([0.0] * 4)) == 0


def test_label_names() -> None:
    frame = pd.DataFrame(Y4, columns=["click", "buy"])
    expected = PairLoss(iso.OneLabel(1))(F4, Y4)
    assert PairLoss(iso.OneLabel("buy"))(F4, frame) == expected


def test_scores_may_be_a_view_of_a_network() -> None:
    rng = np.random.default_rng(13)
    layer = torch.nn.Linear(3, 2)
    X, y = torch.randn(600, 3), rng.integers(0, 2, 600)
    loss = PairLoss()(layer(X)[:, 1], y)
    loss.backward()
    assert layer.weight.grad[0].eq(0).all()
    assert layer.weight.grad[1].ne(0).all()


def test_gradients_by_differences() -> None:
    y = torch.arange(300) % 2
    torch.manual_seed(0)
    f = torch.randn(300, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: PairLoss()(x, y), f, fast_mode=True)


def test_no_gradient_is_computed_without_need() -> None:
    assert not PairLoss()(F4, Y4).requires_grad
    with torch.no_grad():
        assert not PairLoss()(F4.clone().requires_grad_(), Y4).requires_grad


def test_scores_need_not_lie_side_by_side() -> None:
    rng = np.random.default_rng(14)
    f, y = torch.tensor(rng.normal(size=(300, 2)), requires_grad=True), rng.integers(0, 2, 300)
    PairLoss()(f[:, 0].flip(0), y[::-1]).backward()
    expected = iso.pair_loss(y, f.detach().numpy()[:, 0])
    np.testing.assert_allclose(f.grad[:, 0], expected.gradient, rtol=0, atol=1e-16)
    assert f.grad[:, 1].eq(0).all()


def test_scores_changed_after_the_loss_do_not_change_its_gradient() -> None:
    f = torch.tensor([0.3, -0.1, 2.0, 0.0], dtype=torch.float64, requires_grad=True)
    expected = iso.pair_loss(Y4, f.detach().numpy())
    loss = PairLoss()(f, Y4)
    with torch.no_grad():
        f += 7.0
    loss.backward()
    np.testing.assert_array_equal(f.grad, expected.gradient)


def test_differentiating_twice_is_refused() -> None:
    f = F4.clone().requires_grad_()
    with pytest.raises(RuntimeError, match=r"once.*create_graph"):
        torch.autograd.grad(PairLoss()(f, Y4), f, create_graph=True)


def test_a_module_like_any_other() -> None:
    loss = PairLoss(iso.WorstLabel(), surrogate="hinge", reduction="none")
    assert repr(loss) == "PairLoss(WorstLabel(), surrogate='hinge', reduction='none')"
    assert not list(loss.parameters())
    torch.nn.Sequential(loss).to(torch.float64).state_dict()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: PairLoss()(F4[:, None].repeat(1, 2), Y4), ValueError, r"`scores`.*\(4, 2\)"),
        (lambda: PairLoss()(F4[None], Y4), ValueError, r"`scores`.*\(1, 4\)"),
        (lambda: PairLoss()(F4[:3], Y4), ValueError, "`Y` and `scores`.*4 and 3"),
        (lambda: PairLoss()(F4[:0], Y4[:0]), ValueError, "`scores`.*at least one"),
        (lambda: PairLoss()(F4.long(), Y4), TypeError, "`scores`.*int64"),
        (lambda: PairLoss()(F4.numpy(), Y4), TypeError, "`scores`.*ndarray.*first"),
        (lambda: PairLoss()(F4 * torch.nan, Y4), ValueError, "`scores`.*nan.*diverged"),
        (lambda: PairLoss()(F4 / 0.0, Y4), ValueError, "`scores`.*diverged"),
        (lambda: PairLoss()(F4.double() * 1e301, Y4), ValueError, r"1e\+300"),
        (
            lambda: PairLoss(surrogate="exponential")(F4 * 99, ~Y4 + 2),
            ValueError,
            "overflows.*float32",
        ),
        (lambda: SQUARE(F4 * 1e20, Y4), ValueError, "overflows.*float32"),
        (
            lambda: PairLoss(surrogate="square")(F4.half() * 999, Y4),
            ValueError,
            "overflows.*float16",
        ),
        (lambda: PairLoss(iso.LossAggregation())(F4, Y4 + 1), ValueError, "`Y`.*binary"),
        (lambda: PairLoss()(F4, Y4, [1.0, 1.0]), ValueError, "`sample_weight`.*4 items"),
        (lambda: PairLoss()(F4, Y4, [1.0, -1.0, 1, 1]), ValueError, "`sample_weight`.*>= 0"),
        (lambda: PairLoss()(F4, Y4, None, [1]), ValueError, "`groups`.*4 items"),
        (lambda: PairLoss(iso.LossAggregation), TypeError, "`objective`"),
        (lambda: PairLoss(surrogate="logit"), ValueError, "`surrogate`.*'logit'"),
        (lambda: PairLoss(reduction="sum"), ValueError, "`reduction`.*reduction='none'"),
        (lambda: PairLoss(reduction="max"), ValueError, "`reduction`.*'max'"),
        (lambda: PairLoss(group_weight="same"), ValueError, "`group_weight`.*'same'"),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_namespace_without_torch() -> None:
    """The name is there; using it says what to install."""
    script = (
        "import isonomy as iso\n"
        "assert iso.torch.__name__ == 'isonomy.torch' and dir(iso.torch) == ['PairLoss']\n"
        "iso.NeuralRanker()\n"
        "try: iso.torch.PairLoss()\n"
        "except ImportError as error: print(error)\n"
        "try: iso.NeuralRanker().fit([[1.0], [2.0]], [0, 1])\n"
        "except ImportError as error: print(error)\n"
        "try: iso.torch.nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    done = run_without_extras(script)
    assert done.stdout.count("pip install 'isonomy[torch]'") == 2
    assert "no attribute 'nothing'" in done.stdout


def test_a_column_of_scores_is_as_good_as_a_row() -> None:
    flat = F4.clone().requires_grad_()
    column = F4[:, None].clone().requires_grad_()
    loss = PairLoss(iso.LossAggregation())
    values = [loss(flat, Y4), loss(column, Y4)]
    for value in values:
        value.backward()
    assert values[0] == values[1]
    assert column.grad is not None
    torch.testing.assert_close(column.grad[:, 0], flat.grad)
