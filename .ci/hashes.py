"""`make hashes`: the digests of what constraints.txt pins, as the package index tells them.

Written to hashes.txt, for `pip install --require-hashes --no-deps -r hashes.txt` (`make locked`).
The index is the one that pip asks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# It has builds of its own for each kind of processor, from other places, with other digests.
EXCEPTIONS = {"torch"}
_LINK = re.compile(r'href="(?:[^"]*/)?([^/"#]+)#sha256=([0-9a-f]{64})"')
# Pythons and machines that nobody runs this on.
_LEFT_OUT = re.compile(
    r"-(pp|cp2|cp3[0-9]-(?!abi3)|cp310-(?!abi3))|-cp3\d+t-|win32|i686|armv|ppc64|s390x|riscv|"
    r"loongarch|pyodide|emscripten|wasm|android|ios_|graalpy|\.exe$|\.egg$"
)
_HEAD = """\
# Digests of what constraints.txt pins, for `make locked`. `make hashes` writes this file.
# Not here: torch, which has a build, and a digest, for each kind of processor.
"""


def normal(name: str) -> str:
    """A package's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path: Path) -> dict[str, str]:
    """Names and versions of a file with constraints."""
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    return {normal(name): version for name, _, version in (x.partition("==") for x in lines if x)}


def digests(page: str, name: str, version: str) -> list[str]:
    """Of this version's files, as a page of the index lists them."""
    start = re.compile(rf"([^-]+(?:-[^-]+)*?)-{re.escape(version)}(-.*\.whl|\.tar\.gz|\.zip)$")
    found = set()
    for file, digest in _LINK.findall(page):
        match = start.match(file.replace("%2B", "+"))
        if match and normal(match[1]) == name and not _LEFT_OUT.search(file):
            found.add(digest)
    return sorted(found)


def index() -> str:
    """The address of the index, from pip's own settings."""
    named = os.environ.get("PIP_INDEX_URL")
    if not named:
        asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        named = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not named:
        from pip._internal.models.index import PyPI

        named = PyPI.simple_url
    return named.rstrip("/")


def entry(address: str, name: str, version: str) -> str:
    """A package's lines in hashes.txt."""
    request = urllib.request.Request(f"{address}/{name}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found = digests(answer.read().decode(), name, version)
    if not found:
        raise SystemExit(f"The index has no digests of {name}=={version}. Pin a version it has.")
    return " \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{each}" for each in found)])


def main() -> None:
    """Write hashes.txt."""
    pinned, address = pins(Path("constraints.txt")), index()
    wanted = [(name, pinned[name]) for name in sorted(pinned) if name not in EXCEPTIONS]
    with ThreadPoolExecutor(8) as pool:
        entries = list(pool.map(lambda pin: entry(address, *pin), wanted))
    Path("hashes.txt").write_text(_HEAD + "\n".join(entries) + "\n")
    print(f"hashes.txt: {len(entries)} packages, {sum(e.count('sha256') for e in entries)} digests")


if __name__ == "__main__":
    main()
