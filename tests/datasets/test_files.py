"""Files are found, checked, and downloaded from a server that runs here."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from isonomy.datasets._files import File, _Bar, find

CONTENT = b"a;b\n1;2\n"
SUM = hashlib.sha256(CONTENT).hexdigest()
OWNER = "https://owner.example"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing to print in a test."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("isonomy.datasets._files._cache", lambda: tmp_path / "cache")
    monkeypatch.delenv("ISONOMY_DATA", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def server(tmp_path: Path):
    """Serves tmp_path/www; yields its address and folder."""
    folder = tmp_path / "www"
    folder.mkdir()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}", folder
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
        archive.writestr("other.txt", "not this")
    return stream.getvalue()


def place(folder: Path, path: str, content: bytes = CONTENT) -> Path:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


@pytest.mark.parametrize("path", ["set/table.csv", "elsewhere.csv"])
def test_a_file_of_the_user_is_taken(tmp_path: Path, path: str) -> None:
    file = File("set/table.csv", OWNER, sha256=SUM, also=("elsewhere.csv",))
    here = place(tmp_path / "mine", path)
    assert find(file, tmp_path / "mine", download=False) == here


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = place(tmp_path / "mine", "t.csv")
    monkeypatch.setenv("ISONOMY_DATA", str(tmp_path / "mine"))
    assert find(File("t.csv", OWNER, sha256=SUM), None, download=False) == here
    monkeypatch.setenv("ISONOMY_DATA", "")
    with pytest.raises(FileNotFoundError, match=r"Set `data_dir` or ISONOMY_DATA"):
        find(File("t.csv", OWNER), None, download=False)


def test_another_version_is_refused(tmp_path: Path) -> None:
    place(tmp_path, "t.csv", b"damaged")
    with pytest.raises(ValueError, match=f"should have the SHA-256 {SUM}. Found .*{OWNER}"):
        find(File("t.csv", OWNER, sha256=SUM), tmp_path, download=False)


def test_a_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="`data_dir` should be a folder that exists"):
        find(File("t.csv", OWNER), tmp_path / "no", download=True)
    monkeypatch.setenv("ISONOMY_DATA", str(tmp_path / "no"))
    with pytest.raises(FileNotFoundError, match="`ISONOMY_DATA` should be a folder that exists"):
        find(File("t.csv", OWNER), None, download=True)


def test_download_through_nested_archives_once(server, cache: Path) -> None:
    address, folder = server
    inner = zipped("deep/table.csv", CONTENT)
    (folder / "set.zip").write_bytes(zipped("inner.zip", inner))
    file = File(
        "set/table.csv",
        OWNER,
        sha256=SUM,
        address=f"{address}/set.zip",
        inside=("inner.zip", "table.csv"),
    )
    found = find(file, None, download=True)
    assert found == cache / "set/table.csv"
    assert found.read_bytes() == CONTENT
    assert [path.name for path in found.parent.iterdir()] == ["table.csv"]
    (folder / "set.zip").unlink()
    assert find(file, None, download=True) == found


def test_download_of_a_plain_file(server) -> None:
    address, folder = server
    (folder / "t.csv").write_bytes(CONTENT)
    file = File("t.csv", OWNER, address=f"{address}/t.csv", address_sha256=SUM)
    assert find(file, None, download=True).read_bytes() == CONTENT


def test_what_is_downloaded_is_checked(server) -> None:
    address, folder = server
    (folder / "t.csv").write_bytes(b"changed")
    with pytest.raises(ValueError, match="SHA-256"):
        find(File("t.csv", OWNER, sha256=SUM, address=f"{address}/t.csv"), None, download=True)


@pytest.mark.parametrize("archive", [b"no archive", zipped("unexpected.csv", CONTENT)])
def test_an_archive_that_has_changed(server, archive: bytes) -> None:
    address, folder = server
    (folder / "set.zip").write_bytes(archive)
    file = File("t.csv", OWNER, address=f"{address}/set.zip", inside=("t.csv",))
    with pytest.raises(ValueError, match=r"should hold one 't.csv'.*Get 't.csv' from .* by hand"):
        find(file, None, download=True)


def test_without_a_connection_the_message_says_what_to_do(tmp_path: Path, server) -> None:
    address, _ = server
    file = File("set/t.csv", OWNER, address=f"{address}/absent.zip")
    with pytest.raises(FileNotFoundError) as caught:
        find(file, tmp_path, download=True)
    for part in ("'set/t.csv' is not here", str(tmp_path), "download failed", OWNER, "put it at"):
        assert part in str(caught.value)


def test_the_bar_counts_and_goes_away() -> None:
    with _Bar("t.csv") as bar:
        bar.total = 100
        bar.update(30)
        assert bar._bar is not None
        assert bar._bar.tasks[0].completed == 30
        bar.reset()
        assert bar._bar.tasks[0].completed == 0
    assert bar._bar is None
    bar.reset()
