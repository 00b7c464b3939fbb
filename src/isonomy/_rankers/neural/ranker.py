"""A neural ranker: a multilayer perceptron, or a module of one's own, on the pair loss."""

from __future__ import annotations

import os
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from isonomy._core import (
    FloatArray,
    GroupWeight,
    Items,
    Objective,
    SoftLabel,
    as_generator,
    check_count,
    check_same_index,
)
from isonomy._infra import require
from isonomy._pairsums import find_surrogate
from isonomy._rankers.base import trainable_loss
from isonomy._rankers.iterative import IterativeRanker
from isonomy._rankers.neural.batching import Scaling, blocks
from isonomy._rankers.neural.checkpoint import Checkpoint, check_folder, digest
from isonomy._rankers.splitting import Split, held_out
from isonomy.boosting import WatchedAUC

# What may differ between an interrupted fit and its continuation.
_NOT_IDENTITY = ("checkpoints", "max_epochs", "random_state")


class NeuralRanker(IterativeRanker):
    """Scores from a neural network, trained on all pairs of each batch.

    The network of the paper by default: fully connected layers with rectifiers. It is trained by
    Adam on the `pair_loss` of batches and keeps the weights of the epoch with the best AUC of the
    objective on held-out rows. It needs torch to fit; the default network predicts without.

    Parameters
    ----------
    objective : objective, optional
        `LabelAggregation()` by default.
    hidden : tuple of int
        Width of each hidden layer; () for a linear score.
    surrogate : {"logistic", "sigmoid", "exponential", "square", "hinge", "squared_hinge"}
        What a pair costs by its margin.
    module : torch.nn.Module, optional
        In place of the default network: a class (called with `n_features`, if it takes it, and
        with the `module__...` entries of `params`) or an instance, of which a copy is trained. It
        takes a float32 tensor (rows, features) and returns one score per row.
    learning_rate : float
        Step size of the optimiser.
    batch_size : int or None
        Rows of a batch, among which pairs are formed; None: all. Groups are kept whole, so that
        a batch of groups may be larger. The loss is linear in the batch: large ones are cheap.
    max_epochs : int
        Most passes over the rows.
    patience : int or None
        Stop when so many epochs have brought no better AUC on the validation rows. None: train
        on all rows for `max_epochs` and keep the last weights.
    validation_fraction : float
        Share of the rows, or of the groups, held out for that.
    standardize : bool
        Whether features are shifted and scaled to mean 0 and standard deviation 1.
    group_weight : {"pairs", "equal"}
        With groups: whether they weigh by their pairs, or each the same.
    checkpoints : path, optional
        Folder for a checkpoint after each epoch. A fit with the same parameters and data resumes
        from it, and ends with exactly the model of a fit that was not interrupted.
    params : dict, optional
        Further options of `skorch.NeuralNet`, such as `{"device": "cuda"}`, `{"optimizer":
        torch.optim.SGD, "optimizer__momentum": 0.9}` or `{"module__depth": 3}`.
    random_state : int, numpy Generator or None
        Seed of the first weights, the split and the batches. torch's own generator is left alone.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
        Of the default network: weights (inputs, outputs) and intercepts of each layer.
    module_ : torch.nn.Module
        The trained module, where `module` was given.
    mean_, scale_ : ndarray of shape (d,)
        What is subtracted from the features, and what they are divided by.
    history_ : dict of lists of float
        "loss": the training loss in each epoch, the mean over its batches. With patience also
        "validation_auc_min" or the like: the objective's AUC on the validation rows after it.
    n_iter_ : int
        Epochs trained.
    best_epoch_ : int
        The epoch whose weights were kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With `WorstLabel` every batch pulls at the label that has the largest loss in it. A label that
    has one class in a batch does not count there, so choose batches large enough for rare labels.

    CSR features are made dense batch by batch.

    Examples
    --------
    >>> import numpy as np
    >>> import isonomy as iso
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> Y = np.c_[X[:, 0] > 0, X[:, 1] > 1]
    >>> ranker = iso.NeuralRanker(hidden=(8,), batch_size=64, learning_rate=0.03, random_state=0)
    >>> ranker.set_params(max_epochs=10).fit(X, Y).score(X, Y) > 0.95
    True
    """

    def __init__(
        self,
        objective: Objective | None = None,
        *,
        hidden: tuple[int, ...] = (256, 256),
        surrogate: str = "logistic",
        module: Any = None,
        learning_rate: float = 1e-3,
        batch_size: int | None = 1024,
        max_epochs: int = 50,
        patience: int | None = 10,
        validation_fraction: float = 0.1,
        standardize: bool = True,
        group_weight: GroupWeight = "pairs",
        checkpoints: str | os.PathLike[str] | None = None,
        params: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.objective = objective
        self.hidden = hidden
        self.surrogate = surrogate
        self.module = module
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.standardize = standardize
        self.group_weight = group_weight
        self.checkpoints = checkpoints
        self.params = params
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike | Items,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> NeuralRanker:
        """Train the network.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, d)
            Features.
        y : array-like or data frame of shape (n, K)
            Labels, NaN for 'not observed'.
        sample_weight : array-like of shape (n,), optional
            Weight of each item; a pair weighs the product of its items' weights.
        groups : array-like of shape (n,), optional
            Only pairs inside a group count.

        Returns
        -------
        NeuralRanker
            Itself.
        """
        for name in ("torch", "skorch"):
            require(name, "torch", "`NeuralRanker.fit`")
        self._check_parameters()
        check_same_index(X=X, y=y, sample_weight=sample_weight, groups=groups)
        items = self._items(self._features(X, reset=True), y, sample_weight, groups)
        trainable_loss(items.preferences(self._objective()), find_surrogate(self.surrogate))
        generator = as_generator(self.random_state)
        checkpoint = self._checkpoint(items, generator)
        self._train(items, self._seed(generator, checkpoint), checkpoint)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Scores of the rows of X; higher ranks first."""
        check_is_fitted(self)
        X = self._features(X, reset=False)
        scaling = Scaling(self.mean_, self.scale_)
        if hasattr(self, "module_"):
            from isonomy._rankers.neural.training import scores

            return scores(self.module_, X, scaling)
        return np.concatenate([self._perceptron(scaling.apply(block)) for block in blocks(X)])

    def _perceptron(self, h: FloatArray) -> FloatArray:
        """The default network, in numpy."""
        *hidden, (last, shift) = zip(self.coefs_, self.intercepts_, strict=True)
        for weights, intercept in hidden:
            h = np.maximum(h @ weights.astype(np.float64) + intercept, 0.0)
        return np.asarray(h @ last[:, 0].astype(np.float64) + float(shift[0]))

    def _checkpoint(self, items: Items, generator: np.random.Generator) -> Checkpoint | None:
        if self.checkpoints is None:
            return None
        given = self.get_params(deep=False)
        identity = {
            f"parameter `{name}`": digest(value)
            for name, value in given.items()
            if name not in _NOT_IDENTITY
        }
        identity |= {
            "X": digest(items.X),
            "y": digest([items.labels.patterns, items.labels.codes]),
            "`sample_weight`": digest(items.sample_weight),
            "`groups`": digest(items.group),
        }
        if self.random_state is not None:
            identity["parameter `random_state`"] = digest(generator.bit_generator.state)
        return Checkpoint(self.checkpoints, identity)

    def _seed(self, generator: np.random.Generator, checkpoint: Checkpoint | None) -> int:
        if checkpoint is not None and self.random_state is None:
            state = checkpoint.read()
            if state is not None:
                return int(state["seed"])
        return int(generator.integers(2**62))

    def _split(self, items: Items, seed: int) -> tuple[Split, WatchedAUC | None]:
        """Rows to train on and to validate on, and what is watched on the latter."""
        n = len(items)
        if self.patience is None:
            return Split(np.arange(n), np.arange(0)), None
        cure = "Pass patience=None to train without validation."
        rng = np.random.default_rng(seed)
        split = held_out(items, float(self.validation_fraction), rng, cure=cure)
        bare = replace(items, X=None)
        rows, part = split.train, "training"
        try:
            train = bare.take(rows).preferences(self._objective())
            trainable_loss(train, find_surrogate(self.surrogate))
            rows, part = split.test, "validation"
            return split, WatchedAUC(bare.take(rows), self._objective())
        except ValueError as error:
            raise ValueError(
                f"Parameter `validation_fraction` leaves {rows.size} of {n} rows for {part}, which "
                "are too few to judge every label by. Change it, bring more rows, or pass "
                f"patience=None to train without validation. {error}"
            ) from error

    def _objective_of_batches(self, items: Items, split: Split) -> Objective:
        """The objective with what it asks of all training rows, so that no batch changes it."""
        objective = self._objective()
        if isinstance(objective, SoftLabel):
            train = replace(items, X=None).take(split.train)
            return objective.fixed(train.counted_labels)
        return objective

    def _train(self, items: Items, seed: int, checkpoint: Checkpoint | None) -> None:
        from isonomy._rankers.neural.training import NetworkTraining, Perceptron

        split, watched = self._split(items, seed)
        scaling = Scaling.none(items.X.shape[1])
        if self.standardize:
            scaling = Scaling.of(items.X, split.train)
        training = NetworkTraining(
            items,
            split.train,
            split.test,
            watched,
            scaling,
            objective=self._objective_of_batches(items, split),
            surrogate=self.surrogate,
            batch_size=self.batch_size,
            max_epochs=int(self.max_epochs),
            patience=int(self.patience or 0),
            learning_rate=float(self.learning_rate),
            seed=seed,
        )
        params = dict(self.params or {})
        module = self.module
        if module is None:
            module = Perceptron
            params["module__hidden"] = tuple(int(width) for width in self.hidden)
        network, state = training.run(module, params, checkpoint)
        for name in ("coefs_", "intercepts_", "module_"):
            self.__dict__.pop(name, None)
        if isinstance(network, Perceptron):
            self.coefs_, self.intercepts_ = network.arrays()
        else:
            self.module_ = network
        self.mean_, self.scale_ = scaling.mean, scaling.scale
        self.history_ = state.history
        self.n_iter_ = state.epoch
        self.best_epoch_ = state.best_epoch or state.epoch

    def _check_parameters(self) -> None:
        """Refuse what cannot be trained, before any work."""
        from isonomy._rankers.neural.training import Module, check_options

        self._check_shared_parameters("skorch")
        if not isinstance(self.hidden, tuple | list):
            raise ValueError(
                "Parameter `hidden` should hold the width of each hidden layer, such as "
                f"(256, 256). Found {self.hidden!r}."
            )
        for width in self.hidden:
            check_count("hidden", width)
        check_count("max_epochs", self.max_epochs)
        if self.batch_size is not None:
            check_count("batch_size", self.batch_size, least=2)
        rate = self.learning_rate
        if isinstance(rate, bool) or not isinstance(rate, Real) or not 0.0 < float(rate) < np.inf:
            raise ValueError(
                f"Parameter `learning_rate` should be a number above 0. Found {rate!r}."
            )
        module = self.module
        is_class = isinstance(module, type) and issubclass(module, Module)
        if module is not None and not is_class and not isinstance(module, Module):
            raise TypeError(
                f"Parameter `module` should be a torch.nn.Module, or a class of them. "
                f"Found {module!r}."
            )
        check_options(self.params or {}, module)
        if self.checkpoints is not None:
            check_folder(self.checkpoints)
        if self.checkpoints is not None and "callbacks" in (self.params or {}):
            raise ValueError(
                "Parameter `params` should hold no callbacks beside `checkpoints`: their state is "
                "in no checkpoint, so that a resumed fit would differ."
            )

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        # As text, which every system and a model file can hold.
        if isinstance(state.get("checkpoints"), os.PathLike):
            state["checkpoints"] = os.fspath(state["checkpoints"])
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags
