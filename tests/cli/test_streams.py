"""Standard streams that are closed, or lack letters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import make_table


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "2>&-"])
def test_closed_streams(file: Path, closed: str) -> None:
    code = "from isonomy.cli import main; main()"
    command = f'"{sys.executable}" -c "{code}" audit "$1" --labels click,buy --score score'
    done = subprocess.run(
        ["sh", "-c", f"{command} {closed}", "sh", str(file)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_streams_that_lack_letters(tmp_path: Path, encoding: str) -> None:
    """They are spelt out; JSON is UTF-8 everywhere."""
    path, names = tmp_path / "t.csv", ["click\xe9", "\u8cfc\u5165"]
    make_table().rename(dict(zip(("click", "buy"), names, strict=True))).write_csv(path)

    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        code = "from isonomy.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
        )

    audit = ("audit", str(path), "--score", "score", *(f"--labels={each}" for each in names))
    done = run(*audit)
    assert done.returncode == 0, done.stderr
    assert rb"\u8cfc\u5165" in done.stdout
    document = json.loads(run(*audit, "--json", "-").stdout)
    assert [each["name"] for each in document["labels"]] == names
    done = run(*audit, "--by", "caf\xe9")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has no column" in done.stderr
    assert run("--help").returncode == 0
