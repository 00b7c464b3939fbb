"""The one reason to stop reading."""

from __future__ import annotations


class RefusedError(ValueError):
    """A file, or an object to be saved, holds what a model file may not hold."""
