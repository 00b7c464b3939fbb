"""A restored model is followed as prediction would follow it: what loads predicts."""

from __future__ import annotations

from typing import Any

from isonomy._models.composed_parts import COMPOSED_CHECKS
from isonomy._models.fitted_parts import flow_of
from isonomy._models.model_file_error import ModelFileError
from isonomy._models.own_parts import OWN_CHECKS
from isonomy._models.sklearn_parts import CLASSIFIER_CHECKS
from isonomy._models.transformer_parts import TRANSFORMER_CHECKS

CHECKS = {**OWN_CHECKS, **COMPOSED_CHECKS, **CLASSIFIER_CHECKS, **TRANSFORMER_CHECKS}


def check_predicts(ranker: Any) -> None:
    """Refuse a model of which something that prediction reads does not fit the rest."""
    path = type(ranker).__name__
    try:
        flow = flow_of(ranker, path, CHECKS)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(
            f"{path} holds what it cannot hold ({type(error).__name__}: {str(error)[:300]})."
        ) from error
    if flow.role not in ("ranker", "unknown"):
        raise ModelFileError(f"{path} ends in something that is no ranker.")
