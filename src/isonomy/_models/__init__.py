"""Model files: `files` saves and loads; the other modules decide what a file may hold."""

from __future__ import annotations

from isonomy._models.files import load, read_facts, save
