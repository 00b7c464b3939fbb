"""Tests of what is written about Isonomy."""
