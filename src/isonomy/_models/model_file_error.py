"""Why a model file is not read or written."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file, or an object to be saved, holds what a model file may not hold."""
