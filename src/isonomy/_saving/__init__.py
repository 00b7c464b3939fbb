"""Model files: `_files` saves and loads; the other modules decide what a file may hold."""
