"""The table on terminals of many widths."""

from __future__ import annotations

import io

import polars as pl
import pytest
from isonomy.cli._tables import comparison_shown
from rich.console import Console

import isonomy as iso
from tests.compare.made_data import made


@pytest.fixture(scope="module", params=[1, 2, 4])
def found(request: pytest.FixtureRequest) -> iso.Comparison:
    names = ["click", "buy", "like", "stay"][: request.param]
    X, Y = made(0, K=request.param)
    Y = pl.DataFrame(Y, schema=names)
    return iso.compare(X, Y, repeats=1, tradeoffs=False, random_state=0)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_name_and_no_number_is_lost(found: iso.Comparison, width: int) -> None:
    out = io.StringIO()
    Console(file=out, width=width).print(comparison_shown(found))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in out.getvalue()
    for method in found.methods:
        assert any(line.strip(" *=").startswith(method.name.split()[0]) for line in lines)
        for auc in method.aucs.mean:
            assert f"{auc:.3f}" in out.getvalue()
    bounds = f"{found.methods[0].aucs.low[0]:.3f}-".replace("0.", ".")
    needed = {1: 60, 2: 80, 4: 120}[len(found.names)]
    assert (bounds in out.getvalue()) == (width >= needed)
    told = "Intervals need a wider terminal" in " ".join(out.getvalue().split())
    assert told == (width < needed)
