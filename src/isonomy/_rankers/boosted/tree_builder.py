"""Trees put together one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isonomy._core import AnyArray, FloatArray
from isonomy._rankers.boosted.trees import Trees


class TreeBuilder:
    """Collects the arrays of single trees, numbered from 0, and makes `Trees` of them."""

    def __init__(self, n_features: int, dtype: Any) -> None:
        self._n_features, self._dtype = n_features, dtype
        self._n_nodes = self._n_leaves = 0
        self._parts: dict[str, list[AnyArray]] = {
            name: []
            for name in ("roots", "feature", "threshold", "children", "gap_side", "kind",
                         "sizes", "words", "leaf_value", "gain")
        }  # fmt: skip

    def add_leaf(self, value: float) -> None:
        """A tree that is one leaf."""
        self._append(roots=[-1 - self._n_leaves], leaf_value=[value])
        self._n_leaves += 1

    def add(
        self,
        *,
        feature: AnyArray,
        threshold: AnyArray,
        children: AnyArray,
        gap_side: AnyArray,
        kind: AnyArray,
        sets: dict[int, NDArray[np.uint32]],
        leaf_value: AnyArray,
        gain: AnyArray,
    ) -> None:
        """A tree with nodes, by the meaning of `Trees`; its first node is the root."""
        sizes = np.zeros(len(feature), np.int64)
        for node, words in sets.items():
            sizes[node] = words.size
        self._append(
            roots=[self._n_nodes],
            feature=feature,
            threshold=threshold,
            children=np.where(children >= 0, children + self._n_nodes, children - self._n_leaves),
            gap_side=gap_side,
            kind=kind,
            sizes=sizes,
            words=[word for node in sorted(sets) for word in sets[node]],
            leaf_value=leaf_value,
            gain=gain,
        )
        self._n_nodes += len(feature)
        self._n_leaves += len(leaf_value)

    def trees(self, *, base: float, gap_in_sparse: bool) -> Trees:
        """All trees so far."""
        sizes = self._joined("sizes", np.int64)
        found = Trees(
            n_features=self._n_features,
            base=float(base),
            gap_in_sparse=gap_in_sparse,
            roots=self._joined("roots", np.int32),
            feature=self._joined("feature", np.int32),
            threshold=self._joined("threshold", self._dtype),
            children=self._joined("children", np.int32).reshape(-1, 2),
            gap_side=self._joined("gap_side", np.uint8),
            kind=self._joined("kind", np.uint8),
            word_ends=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            words=self._joined("words", np.uint32),
            leaf_value=self._joined("leaf_value", self._dtype),
        )
        found.check()
        return found

    def gains(self) -> FloatArray:
        """What each feature's splits have gained."""
        feature = self._joined("feature", np.int64)
        gain = self._joined("gain", np.float64)
        return np.bincount(feature, gain, self._n_features).astype(np.float64)

    def _append(self, **parts: Any) -> None:
        for name, part in parts.items():
            self._parts[name].append(np.asarray(part))

    def _joined(self, name: str, dtype: Any) -> AnyArray:
        return np.concatenate([np.empty(0), *map(np.ravel, self._parts[name])]).astype(dtype)
