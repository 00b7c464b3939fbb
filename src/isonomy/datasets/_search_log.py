"""The embedded demonstration: documents of a search engine."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from isonomy._core import FloatArray, as_generator, check_count
from isonomy.datasets._tables import Generated


def make_search_log(
    n_samples: int = 20_000,
    *,
    priors: tuple[float, float] = (0.4, 0.01),
    random_state: int | np.random.Generator | None = 0,
) -> Generated:
    """A search log: documents that are relevant to a query, recent, both or neither.

    The paper's example from information retrieval: two labels with very different
    priors, and features that predict both. The match of the text and the authority of
    the site speak for `relevant`; the age of the document, and a little that of its last
    crawl, for `recent`, which is nearly certain given its features.

    Parameters
    ----------
    n_samples : int
        Number of documents.
    priors : pair of float
        Share of documents that are `relevant` and `recent`.
    random_state : int, numpy Generator or None
        Seed.

    Returns
    -------
    Generated

    Examples
    --------
    >>> from isonomy import datasets
    >>> log = datasets.make_search_log(1000)
    >>> log.X.shape, log.label_names
    ((1000, 4), ('relevant', 'recent'))
    >>> log.eta.mean(axis=0).round(3)
    array([0.4 , 0.01])
    """
    check_count("n_samples", n_samples)
    if np.shape(priors) != (2,):
        raise ValueError(
            f"Parameter `priors` should hold two numbers, for the two labels. Found {priors!r}."
        )
    rng = as_generator(random_state)
    match, authority, age, crawl = rng.normal(size=(4, n_samples))
    pulls = np.column_stack([2.7 * match + 1.3 * authority, -7.6 * age - 2.4 * crawl])
    eta = np.column_stack(
        [_with_prior(pull, prior) for pull, prior in zip(pulls.T, priors, strict=True)]
    )
    return Generated(
        X=np.column_stack([match, authority, age, crawl]),
        Y=(rng.random(eta.shape) < eta).astype(np.uint8),
        eta=eta,
        feature_names=("match", "authority", "age", "crawl_age"),
        label_names=("relevant", "recent"),
    )


def _with_prior(pull: FloatArray, prior: float) -> FloatArray:
    """Probabilities sigmoid(pull + b), with b such that their mean is the prior."""
    if not 0 < prior < 1:
        raise ValueError(f"Parameter `priors` should lie between 0 and 1. Found {prior}.")
    reach = np.abs(pull).max() + 50.0
    shift = optimize.brentq(lambda b: special.expit(pull + b).mean() - prior, -reach, reach)
    return np.asarray(special.expit(pull + shift))
