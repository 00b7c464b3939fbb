"""Small files in the formats of MSLR and HelpSteer, with something to learn in them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

WORDS = ("clear", "vague", "long", "short", "kind", "rude", "true", "false", "deep", "plain")
ATTRIBUTES = ("helpfulness", "correctness", "coherence", "complexity", "verbosity")


def put_mslr(folder: Path, *, queries: int = 24, documents: int = 14) -> None:
    """`MSLR-WEB30K/Fold1/train.txt` and `test.txt`: a judgement, a query, 136 columns a line."""
    target = folder / "MSLR-WEB30K/Fold1"
    target.mkdir(parents=True)
    for seed, part in enumerate(("train", "test")):
        rng = np.random.default_rng(seed)
        lines = []
        for query in range(1, queries + 1):
            for _ in range(documents):
                values = rng.normal(size=136)
                judgement = int(np.clip(round(values[0] + rng.normal(0, 0.7)), 0, 4))
                clicks = int(max(0, round(values[1] - 0.8 + rng.normal(0, 0.7))))
                columns = [f"{k}:{value:.4g}" for k, value in enumerate(values[:133], 1)]
                columns += [f"134:{clicks}", f"135:{clicks + 1}", "136:0"]
                lines.append(f"{judgement} qid:{query} {' '.join(columns)}")
        (target / f"{part}.txt").write_text("\n".join(lines) + "\n")


def put_helpsteer(folder: Path, rows: dict[str, int]) -> None:
    """`helpsteer/train.jsonl.gz` and `validation.jsonl.gz`: one JSON object a line."""
    (folder / "helpsteer").mkdir()
    for seed, (part, n) in enumerate(rows.items()):
        rng = np.random.default_rng(seed)
        lines = []
        for number in range(n):
            said = rng.choice(WORDS, 12)
            counts = [np.sum(said == word) for word in WORDS[::2]]
            ratings = np.clip(2 + np.array(counts) + rng.integers(-1, 2, 5), 0, 4)
            answer = {"prompt": f"Question {number}?", "response": " ".join(said)}
            answer |= dict(zip(ATTRIBUTES, map(int, ratings), strict=True))
            lines.append(json.dumps(answer))
        content = "\n".join(lines).encode()
        (folder / f"helpsteer/{part}.jsonl.gz").write_bytes(gzip.compress(content))
