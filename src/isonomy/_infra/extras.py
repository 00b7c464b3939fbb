"""Packages that come with an extra: imported at use, and missed with the line that brings them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any


def require(module: str, extra: str, what: str) -> Any:
    """Import a module of an extra, or say what needs it and how to get it.

    >>> require("json", "cli", "This line").dumps([1])
    '[1]'
    >>> require("no_such_module", "cli", "This line")
    Traceback (most recent call last):
    ...
    ImportError: This line needs no_such_module, which is not installed:
    pip install 'isonomy[cli]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != package:
            # It is there; something that it needs itself is not.
            raise
        raise ImportError(missing_text(package, extra, what)) from error


class LazyModule:
    """A module of an extra, imported when something of it is first used.

    >>> json = LazyModule("json", "cli", "This line")
    >>> json.dumps([1])
    '[1]'
    """

    def __init__(self, module: str, extra: str, what: str) -> None:
        self._wanted = (module, extra, what)

    def __getattr__(self, name: str) -> Any:
        return getattr(require(*self._wanted), name)


def first_missing(modules: Iterable[str]) -> str | None:
    """The first of these modules that is not installed; none of them is imported."""
    return next((module for module in modules if find_spec(module) is None), None)


def missing_text(module: str, extra: str, what: str) -> str:
    """What an error says of a module that is not there."""
    return f"{what} needs {module}, which is not installed: pip install 'isonomy[{extra}]'"
