"""Nothing goes out but by `fetch`, `judge` and `datasets.load_*`: all else needs no network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# An interpreter in which whatever would reach another machine raises, and is remembered.
BLOCKED = """
import socket, sys

asked = []

def watch(event, arguments):
    local = event == "socket.connect" and isinstance(arguments[1], (str, bytes))
    names = ("connect", "getaddrinfo", "gethostbyname", "gethostbyaddr", "sendto", "sendmsg")
    if event in [f"socket.{name}" for name in names] and not local:
        asked.append(f"{event} {arguments[1:]}")
        raise OSError("the network is blocked")

sys.addaudithook(watch)
"""
USED = """
import importlib, pkgutil
import isonomy
from fuzz.faults.calls import public_calls, slow_calls

for module in pkgutil.walk_packages(isonomy.__path__, "isonomy."):
    importlib.import_module(module.name)
for call in (*public_calls().values(), *slow_calls().values()):
    call()
"""
COMMANDS = """
from isonomy.cli import main
from tests.cli.conftest import make_table

make_table().write_csv("t.csv")
labels = ["t.csv", "--labels", "click,buy"]
written = ["--report", "r.html", "--json", "r.json", "--out", "m"]
quick = ["--no-tune", "--family", "linear", "--folds", "2", "--repeats", "1", "--methods", "mean"]
for words in (
    ["compare", *labels, *quick, "--features", "x,z", *written],
    ["audit", *labels, "--score", "score", "--report", "a.html", "--json", "a.json"],
    ["rank", "t.csv", "--model", "m", "--score-name", "s", "--out", "o.csv"],
    ["sketch", *labels, "--score", "score", "--out", "s"],
    ["blend", *labels, "--scores", "x,score"],
    ["export", "m", "--out", "m.onnx"],
    ["judge", "t.csv", "--text", "id", "--model", "m", "--out", "j.csv", "--dry-run"],
    ["show", "m"],
    ["version"],
):
    sys.argv = ["isonomy", *words, *(["--quiet"] if words[0] in ("compare", "rank") else [])]
    try:
        main()
    except SystemExit as stop:
        assert not stop.code, (words, stop.code)
"""
# What may go out does ask, so that the watch is known to see it.
FETCHED = """
sys.argv = ["isonomy", "fetch", "bank"]
try:
    from isonomy.cli import main
    main()
except SystemExit as stop:
    assert stop.code == 2
"""


@pytest.mark.parametrize(
    ("code", "asks"),
    [(USED + COMMANDS, False), (FETCHED, True)],
    ids=["all else", "fetch"],
)
def test_who_asks_for_the_network(tmp_path: Path, code: str, asks: bool) -> None:
    tell = "assert bool(asked) == bool(int(sys.argv[-1])), asked"
    watched = f"{BLOCKED}given = sys.argv[1]\n{code}\nsys.argv.append(given)\n{tell}"
    path = os.pathsep.join([str(Path.cwd()), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", watched, str(int(asks))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "HOME": str(tmp_path), "ISONOMY_DATA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
