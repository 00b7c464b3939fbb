"""Answers of language models, rated by people."""

from __future__ import annotations

import gzip
import json
import os
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isonomy._core import check_choice
from isonomy._infra import require
from isonomy.datasets._files import File, find
from isonomy.datasets._tables import Loaded

ATTRIBUTES = ("coherence", "helpfulness", "correctness", "complexity", "verbosity")
# The rating that counts as positive, and the largest.
BEST = 4
OWNER = "https://huggingface.co/datasets/nvidia/HelpSteer"
TEXTS = {
    part: File(
        path=f"helpsteer/{part}.jsonl.gz",
        owner=OWNER,
        address=f"{OWNER}/resolve/main/{part}.jsonl.gz",
    )
    for part in ("train", "validation")
}
ROWS = {"train": 35_331, "validation": 1_789}
STATISTICS = File(
    path="helpsteer2/helpsteer2_features.csv",
    sha256="1c5894b4beba91421d3aa70ebbcc41432620c47c58e5a568d52376558d999829",
    owner="https://huggingface.co/datasets/nvidia/HelpSteer2 (derived from it)",
)


def load_helpsteer(
    part: Literal["train", "validation", "statistics"] = "train",
    *,
    data_dir: str | os.PathLike[str] | None = None,
    download: bool = True,
) -> Loaded:
    """HelpSteer: five ratings of each answer, each positive where it is the best, 4.

    Coherence, the most balanced, is the first label.

    Parameters
    ----------
    part : {"train", "validation", "statistics"}
        HelpSteer's prompts and answers as text (35,331 and 1,789), or statistics of the
        texts of 3,005 answers of HelpSteer2 with people's ratings, which is not the data of
        the paper and cannot be downloaded.
    data_dir : path, optional
        Folder with `helpsteer/train.jsonl.gz` and `helpsteer/validation.jsonl.gz`, or
        `helpsteer2/helpsteer2_features.csv`. None: the one that `ISONOMY_DATA` names.
    download : bool
        Whether to download the file where it is not found.

    Returns
    -------
    Loaded
        X holds prompt and answer as one text, or the statistics (of length, syntax and
        words; none of the scores that models gave). The checksums of HelpSteer's files are
        not known here: columns, ratings and the number of rows are checked instead.

    Notes
    -----
    NVIDIA, CC BY 4.0.

    Examples
    --------
    >>> from isonomy import datasets
    >>> answers = datasets.load_helpsteer()  # doctest: +SKIP
    >>> len(answers), answers.label_names[0]  # doctest: +SKIP
    (35331, 'coherence')
    """
    check_choice("part", part, (*TEXTS, "statistics"))
    if part == "statistics":
        return _statistics(data_dir, download=download)
    path = find(TEXTS[part], data_dir, download=download)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            answers = [json.loads(line) for line in lines]
        texts = tuple(f"{answer['prompt']}\n{answer['response']}" for answer in answers)
        ratings = np.array([[answer[name] for name in ATTRIBUTES] for answer in answers])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"File {str(path)!r} should hold one JSON object a line, with `prompt`, `response` and "
            f"the ratings {', '.join(ATTRIBUTES)}. Found something else ({error!r})."
        ) from error
    if len(texts) != ROWS[part]:
        raise ValueError(
            f"File {str(path)!r} should hold {ROWS[part]} answers. Found {len(texts)}: it is "
            f"another version, or damaged. Get it again from {OWNER}."
        )
    return Loaded(
        X=texts,
        Y=_best(ratings, str(path)),
        feature_names=(),
        label_names=ATTRIBUTES,
        groups=None,
        origin=f"HelpSteer, {part}, {len(texts)} answers as text",
        path=path,
    )


def _statistics(data_dir: str | os.PathLike[str] | None, *, download: bool) -> Loaded:
    pl = require("polars", "cli", "`load_helpsteer`")
    path = find(STATISTICS, data_dir, download=download)
    table = pl.read_csv(path).filter(pl.col("label") == "Human")
    names = tuple(
        name
        for name in table.columns
        if name not in (*ATTRIBUTES, "label") and not name.endswith("_score")
    )
    return Loaded(
        X=table.select(names).to_numpy().astype(np.float64),
        Y=_best(table.select(ATTRIBUTES).to_numpy(), str(path)),
        feature_names=names,
        label_names=ATTRIBUTES,
        groups=None,
        origin=f"HelpSteer2, {len(table)} answers with people's ratings, statistics of the text",
        path=path,
    )


def _best(ratings: NDArray[np.int64], path: str) -> NDArray[np.uint8]:
    if not np.isin(ratings, range(BEST + 1)).all():
        raise ValueError(f"File {path!r} should hold ratings 0 to {BEST}. Found others.")
    return np.asarray(ratings == BEST, dtype=np.uint8)
