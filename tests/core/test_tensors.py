"""Tensors of torch, wherever arrays are taken: their numbers count, not their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isonomy as iso

torch = pytest.importorskip("torch")

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]])
# A few bits each, so that every type holds them.
SCORES = np.array([0.5, 0.25, 1.0, 0.75, 0.0])
WEIGHT = np.array([1.0, 2.0, 0.5, 1.0, 4.0])
GROUPS = np.array([0, 0, 1, 1, 0])
FORMS = {
    "gradient": lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True),
    "parameter": lambda x: torch.nn.Parameter(torch.tensor(x, dtype=torch.float32)),
    "bfloat16": lambda x: torch.tensor(x, dtype=torch.bfloat16),
    "bfloat16 with a gradient": lambda x: torch.tensor(x, dtype=torch.bfloat16, requires_grad=True),
    "float8": lambda x: torch.tensor(x).to(torch.float8_e5m2),
    "float16": lambda x: torch.tensor(x, dtype=torch.float16),
}


@pytest.mark.parametrize("form", FORMS)
def test_metrics_take_their_numbers(form: str) -> None:
    made = FORMS[form]
    expected = iso.label_aucs(Y, SCORES, sample_weight=WEIGHT, groups=GROUPS)
    found = iso.label_aucs(made(Y), made(SCORES), sample_weight=made(WEIGHT), groups=made(GROUPS))
    assert np.array_equal(found, expected)
    assert str(iso.audit(made(Y), made(SCORES))) == str(iso.audit(Y, SCORES))


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("gradient", "torch.float64 on cpu with a gradient; pass `X.detach().cpu().numpy()`"),
        ("bfloat16", "torch.bfloat16 on cpu; pass `X.detach().cpu().float().numpy()`"),
    ],
)
@pytest.mark.parametrize("ranker", [iso.LinearRanker(), iso.BoostedRanker(n_rounds=1)], ids=str)
def test_features_are_refused_with_the_cure(ranker: Any, form: str, said: str) -> None:
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(TypeError) as caught:
        ranker.fit(FORMS[form](X), Y)
    assert said in str(caught.value)
    fitted = ranker.fit(torch.tensor(X), Y)
    with pytest.raises(TypeError) as caught:
        fitted.predict(FORMS[form](X))
    assert said in str(caught.value)
