"""Compiled loops over trees."""
