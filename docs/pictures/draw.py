"""Draw the README's pictures: `make pictures`."""

import io
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from rich.console import Console

from isonomy import __version__
from isonomy._compare import Comparison, comparison_blocks
from isonomy._render import Shown
from isonomy._render.report import Origin, write_report
from isonomy.cli._demo import run_demo

HERE = Path(__file__).parent
GALLERY = HERE.parents[1] / "examples"
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--virtual-time-budget=8000"),
)


def terminal(found: Comparison) -> None:
    """What `isonomy demo` prints, as a picture of a terminal."""
    console = Console(record=True, width=92, file=io.StringIO())
    console.print(Shown(*comparison_blocks(found)))
    console.save_svg(str(HERE / "demo.svg"), title="isonomy demo")


def screenshot(page: Path, target: Path, width: int, height: int) -> None:
    """What a browser shows of a page."""
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("The report's picture needs chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *(browser, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"),
                *(f"--screenshot={target}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )


def page_of_gallery(name: str, target: Path) -> None:
    """The picture of a page of the gallery; the same bytes whenever it is drawn."""
    mpl.use("agg")
    with mpl.rc_context({"svg.hashsalt": "isonomy", "svg.fonttype": "path"}):
        figure = runpy.run_path(str(GALLERY / name))["figure"]
        figure.savefig(target, metadata={"Date": None})


def main() -> None:
    """Write the pictures beside this file."""
    page_of_gallery("plot_1_search.py", HERE / "dictator.svg")
    found, items = run_demo()
    terminal(found)
    origin = Origin(__version__, "isonomy compare log.parquet", "log.parquet", "-", ["log.parquet"])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        write_report(page, found, items, origin)
        screenshot(page, HERE / "report.png", 900, 1460)


if __name__ == "__main__":
    main()
