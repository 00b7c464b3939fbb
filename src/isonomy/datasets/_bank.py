"""Customers of a bank: mortgage and loan."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np

from isonomy._core import check_choice
from isonomy._infra import require
from isonomy.datasets._files import File, find
from isonomy.datasets._tables import Loaded

FILE = File(
    path="bank/bank-full.csv",
    sha256="d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
    owner="https://archive.ics.uci.edu/dataset/222/bank+marketing",
    address="https://archive.ics.uci.edu/static/public/222/bank+marketing.zip",
    inside=("bank.zip", "bank-full.csv"),
)
NUMBERS = ("age", "balance", "day", "duration", "campaign", "pdays", "previous")


def load_bank(
    *,
    recipe: Literal["literal", "closest"] = "literal",
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> Loaded:
    """UCI bank marketing (45,211 customers): who has a mortgage, who has a loan.

    The paper ranks by two columns of these data, `housing` (mortgage) and `loan`, from its
    'numerical features', and does not say which. The literal recipe takes the seven columns
    of numbers. The closest one was found by search, as the one that comes closest to the
    printed results: those seven and `y` (whether the campaign succeeded), each as
    `sign(x) log(1 + |x|)`.

    Parameters
    ----------
    recipe : {"literal", "closest"}
        Which features.
    data_dir : path, optional
        Folder with `bank/bank-full.csv`. None: the one that `ISONOMY_DATA` names.
    download : bool
        Whether to download the file where it is not found.

    Returns
    -------
    Loaded
        Features are not standardised: do that with the training rows' statistics.

    Notes
    -----
    S. Moro, P. Rita, P. Cortez, CC BY 4.0, doi 10.24432/C5K306.

    Examples
    --------
    >>> from isonomy import datasets
    >>> bank = datasets.load_bank()  # doctest: +SKIP
    >>> bank.X.shape, bank.label_names  # doctest: +SKIP
    ((45211, 7), ('mortgage', 'loan'))
    """
    check_choice("recipe", recipe, ("literal", "closest"))
    pl = require("polars", "cli", "`load_bank`")
    path = find(FILE, data_dir, download=download)
    table = pl.read_csv(path, separator=";")
    names = NUMBERS if recipe == "literal" else (*NUMBERS, "y")
    yes = table.with_columns((pl.col("housing", "loan", "y") == "yes").cast(pl.UInt8))
    X = yes.select(names).to_numpy().astype(np.float64)
    if recipe == "closest":
        X = np.sign(X) * np.log1p(np.abs(X))
    return Loaded(
        X=X,
        Y=np.ascontiguousarray(yes.select("housing", "loan").to_numpy()),
        feature_names=names,
        label_names=("mortgage", "loan"),
        groups=None,
        origin=f"UCI bank marketing, bank-full.csv, {len(X)} rows",
        path=path,
    )
