"""Compiled functions of plain arrays: no objects, no validation, no defaults."""
