"""Hypothesis profiles and shared fixtures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.cli.command import Shell
from tests.data_folder import data_folder as find_data_folder

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"

# The same examples in every run, so that `make test` has one answer; "long" looks for new ones.
settings.register_profile("default", max_examples=100, deadline=None, derandomize=True)
settings.register_profile(
    "uncompiled",
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# For `make mutation`, which asks whether a test fails and not by which smallest example.
settings.register_profile(
    "mutation",
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """Kernels wrap around on purpose; numpy warns of it where they are not compiled.

    The filter is for other threads, which `np.seterr` does not reach; `np.seterr` is for tests
    that make errors of all warnings themselves.
    """
    if UNCOMPILED:
        np.seterr(over="ignore")
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data, or skip."""
    folder = find_data_folder()
    if folder is None:
        pytest.skip("the real data are not here; set ISONOMY_DATA to the folder that holds bank/")
    return folder


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The `isonomy` command, with captured output."""
    return Shell(monkeypatch, capsys)
