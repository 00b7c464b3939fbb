"""Compiled functions of plain arrays: packing labels."""
