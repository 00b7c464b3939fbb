"""Tests of `isonomy._judge`."""
