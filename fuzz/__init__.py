"""Hostile inputs, faults and wrong lines: what Isonomy's reliability is measured with."""
