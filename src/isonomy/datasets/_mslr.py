"""Documents of a search engine: clicks and relevance."""

from __future__ import annotations

import os
from typing import Literal

import numpy as np
from sklearn.datasets import load_svmlight_file

from isonomy._core import check_choice
from isonomy.datasets._files import File, find
from isonomy.datasets._tables import Loaded

OWNER = "https://www.microsoft.com/en-us/research/project/mslr/"
SHARES = "https://api.onedrive.com/v1.0/shares"
# Which share of the owner holds the archive, and the archive's checksum.
ARCHIVES = {
    "WEB30K": (
        f"{SHARES}/s!AtsMfWUz5l8nbXGPBlwD1rnFdBY/root/content",
        "08cb7977e1d5cbdeb57a9a2537a0923dbca6d46a76db9a6afc69e043c85341ae",
    ),
    "WEB10K": (
        f"{SHARES}/s!AtsMfWUz5l8nbOIoJ6Ks0bEMp78/root/content",
        "2902142ea33f18c59414f654212de5063033b707d5c3939556124b1120d3a0ba",
    ),
}
SAMPLES = {
    "train": "6d1721de961a35fbaef7085dc5b41e2940f0ddb04bab5f7a8566cf7db4158fa6",
    "test": "13d3c638edd23e482c38f4316c2680c938c2eaedbe096970ab30a48e364463d3",
}
FEATURES = 136
# Counted from 1: clicks of the query on the document, clicks on the document, time spent.
CLICKS, LAST_INPUT = 134, 133


def load_mslr(
    part: Literal["train", "vali", "test"] = "train",
    *,
    which: Literal["WEB30K", "WEB10K", "sample"] = "WEB30K",
    fold: int = 1,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> Loaded:
    """Microsoft's learning-to-rank data: is a document clicked, is it relevant?

    Label `click` is whether column 134 (clicks on the document for the query) is above 0,
    label `relevance` whether the judgement is at least 1. Columns 134 to 136, which count
    clicks and time, are no features.

    Parameters
    ----------
    part : {"train", "vali", "test"}
        Part of the fold.
    which : {"WEB30K", "WEB10K", "sample"}
        The full sets (3.8 and 1.2 GB to download), or two files of 5,000 rows of WEB10K
        (train and test), which cannot be downloaded.
    fold : {1, 2, 3, 4, 5}
        Fold of the full sets.
    data_dir : path, optional
        Folder with `mslr/MSLR-WEB30K/Fold1/train.txt` and so on (also
        `MSLR-WEB30K/Fold1/train.txt`, or `Fold1/train.txt` where `data_dir` is the set
        itself), or `mslr/msn1.fold1.train.5k.txt`. None: the one that `ISONOMY_DATA` names.
    download : bool
        Whether to download the archive where the file is not found.

    Returns
    -------
    Loaded
        Features in float32; `groups` are query ids. The archives are checked by their
        checksum; a folder of yours by the number of columns.

    Examples
    --------
    >>> from isonomy import datasets
    >>> sample = datasets.load_mslr("train", which="sample")  # doctest: +SKIP
    >>> sample.X.shape, sample.label_names  # doctest: +SKIP
    ((5000, 133), ('click', 'relevance'))
    """
    check_choice("which", which, (*ARCHIVES, "sample"))
    check_choice("part", part, tuple(SAMPLES) if which == "sample" else ("train", "vali", "test"))
    if isinstance(fold, bool) or fold not in (1, 2, 3, 4, 5):
        raise ValueError(f"Parameter `fold` should be one of 1, 2, 3, 4, 5. Found {fold!r}.")
    path = find(_file(part, which, fold), data_dir, download=download)
    try:
        found, judged, queries = load_svmlight_file(
            str(path), n_features=FEATURES, dtype=np.float32, zero_based=False, query_id=True
        )
    except ValueError as error:
        raise ValueError(
            f"File {str(path)!r} should hold lines of a judgement, a query and {FEATURES} "
            f"features, such as '2 qid:1 1:3 2:3'. Found something else ({error})."
        ) from error
    clicked = found[:, CLICKS - 1].toarray().ravel() > 0
    return Loaded(
        X=found[:, :LAST_INPUT].toarray(),
        Y=np.column_stack([clicked, judged >= 1]).astype(np.uint8),
        feature_names=tuple(f"feature_{number}" for number in range(1, LAST_INPUT + 1)),
        label_names=("click", "relevance"),
        groups=queries.astype(np.int64),
        origin=_origin(part, which, fold, len(judged)),
        path=path,
    )


def _file(part: str, which: str, fold: int) -> File:
    if which == "sample":
        return File(f"mslr/msn1.fold1.{part}.5k.txt", owner=OWNER, sha256=SAMPLES[part])
    address, checksum = ARCHIVES[which]
    inside = f"Fold{fold}/{part}.txt"
    return File(
        path=f"mslr/MSLR-{which}/{inside}",
        owner=OWNER,
        address=address,
        address_sha256=checksum,
        inside=(inside,),
        also=(f"MSLR-{which}/{inside}", inside),
    )


def _origin(part: str, which: str, fold: int, rows: int) -> str:
    if which == "sample":
        return f"{rows} rows of MSLR-WEB10K fold 1, {part}"
    return f"MSLR-{which} fold {fold}, {part}, {rows} rows"
