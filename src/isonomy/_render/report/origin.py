"""Where a report comes from: enough to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from isonomy._core import FloatArray


@dataclass(frozen=True)
class Origin:
    """What the footer says, and how a model is fitted from the command line.

    Attributes
    ----------
    version : str
        Of Isonomy.
    command : str
        The exact command that made the report.
    file : str
        The table.
    sha256 : str or None
        Of the table's bytes; None where they were not read at once, or are many files.
    fit : sequence of str or None
        Arguments of `isonomy fit` up to the method; None where the data is in no file.
    """

    version: str
    command: str
    file: str
    sha256: str | None
    fit: Sequence[str] | None = None

    def facts(self) -> dict[str, str]:
        """For the footer."""
        hashed = {} if self.sha256 is None else {"SHA-256": self.sha256}
        return {
            "Isonomy": self.version,
            "Table": self.file,
            **hashed,
            "Command": self.command,
        }

    def fit_command(self, method: Sequence[str]) -> str:
        """The command that fits a method, such as ["--method", "mean"], on all rows."""
        if self.fit is None:
            return ""
        return shlex.join(["isonomy", "fit", *self.fit, *method, "--out", "model.isonomy"])

    def mix_command(self, weights: FloatArray) -> str:
        """The command that fits loss aggregation with these weights."""
        mix = ",".join(f"{weight:.4g}" for weight in weights)
        return self.fit_command(["--method", "loss", "--mix", mix])
