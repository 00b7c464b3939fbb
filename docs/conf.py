"""The site: `make docs`. Its source is the whole repository, so that links work here and there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "agg")

import isonomy  # noqa: E402

project = "Isonomy"
author = "The Isonomy developers"
copyright = author  # noqa: A001 (its name is Sphinx's)
version = release = isonomy.__version__
root_doc = "docs/index"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "front_door",
    "mathml",
]
include_patterns = ["docs/**", "paper/README.md", "paper/results/*.md", "*.md"]
exclude_patterns = [
    *("**/.*", "README.md", "AGENTS.md", "docs/gallery/*.ipynb", "docs/gallery/*.zip"),
    *("docs/_build", "docs/_templates", "docs/gallery/**/*.py", "docs/gallery/**/*.codeobj.json"),
]
templates_path = ["_templates"]
# Docstrings have code between single backticks.
default_role = "code"

myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
# Some systems take both for one file.
autosummary_filename_map = {"isonomy.Audit": "isonomy.Audit-class"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "docs/gallery",
    "filename_pattern": r"/\w+\.py$",
    "ignore_pattern": r"__init__\.py|/_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 5,
    "remove_config_comments": True,
    "reference_url": {"isonomy": None},
    "show_signature": False,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "run_stale_examples": False,
    "write_computation_times": False,
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "Isonomy"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "Isonomy"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "back_to_top_button": True,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"docs/index": []}
