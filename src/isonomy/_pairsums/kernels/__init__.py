"""Compiled functions of plain arrays: sums of a surrogate over pairs."""
