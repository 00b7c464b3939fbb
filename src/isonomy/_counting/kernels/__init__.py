"""Compiled functions of plain arrays: sorting and counting pairs."""
