"""What is committed is what comes out: a part of every table and figure, computed afresh."""

from __future__ import annotations

import pytest
from paper.__main__ import NAMES, check

from tests.data_folder import data_folder

NEED_DATA = {"table_bank", "figure_bank_sweep", "figure_helpsteer", "table_mslr"}


@pytest.mark.parametrize("name", NAMES)
def test_committed_results_come_out_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data_folder()
    if name in NEED_DATA and folder is None:
        pytest.skip("the data are not here: paper/README.md says which file to put where")
    if folder is not None:
        monkeypatch.setenv("ISONOMY_DATA", str(folder))
    if name in ("table_mslr", "table_synthetic_training"):
        pytest.importorskip("torch", reason="perceptrons need isonomy[torch]")
    assert check(name) == []
