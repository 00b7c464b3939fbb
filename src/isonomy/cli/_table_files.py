"""Tables in: what a file holds is told by its content, not by its name."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from isonomy._core import EXACT, suggestion
from isonomy._infra import check_writable, listed, memory_limit, printable, real_path
from isonomy._rankers import text_to_numbers
from isonomy.cli._errors import UserError
from isonomy.cli._panics import panics_unheard
from isonomy.cli._parquet_pages import Claims, claims_of

Format = Literal["parquet", "csv", "jsonl"]

_HEAD = 1 << 16
# What a field and a byte of a table may come to take, from its text to the features of a model.
BYTES_OF_FIELD, COPIES = 48, 4
# Values within values within values: beyond so many levels readers take minutes, or all the stack.
MOST_LEVELS = 32
# How data begin that polars would unpack: those of zlib, gzip and zstd. So may a name, such as x^2.
_PACKED = (b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
# Unpacked at a time.
_UNPACKED = 1 << 24
# Beyond its own limit the module refuses fields of texts.
csv.field_size_limit(2**31 - 1)
_NO_UTF_8 = "it is not UTF-8 text; convert it, such as `iconv -f latin1 -t utf-8`"
_DAMAGED = "it is damaged. Make it again, or convert it to CSV"
_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_SEPARATOR_BYTES = [separator.encode() for separator in _SEPARATORS]


@dataclass(frozen=True)
class Source:
    """A table to read.

    Attributes
    ----------
    name : str
        As the user gave it; '-' for standard input.
    data : Path or bytes
        The file, or what came by standard input or out of gzip.
    format : str
        What its content says it is.
    separator : str
        Between the fields of a CSV file.
    given : Path or bytes
        The same before gzip was undone.
    claims : Claims
        What the pages of a Parquet file say that they hold.
    """

    name: str
    data: Path | bytes
    format: Format
    separator: str
    given: Path | bytes
    claims: Claims = field(default_factory=Claims)

    @cached_property
    def sha256(self) -> str:
        """Of the bytes as given, so that a report can say what it was made of."""
        if isinstance(self.given, bytes):
            return hashlib.sha256(self.given).hexdigest()
        with self.given.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def scan(self) -> pl.LazyFrame:
        """The table, to be read piece by piece; the fields of CSV as text."""
        if self.format == "parquet":
            return pl.scan_parquet(self._readable(), glob=False)
        if self.format == "jsonl":
            lazy = pl.scan_ndjson(self._unglobbed(), infer_schema_length=None)
            _check_levels(lazy.collect_schema(), self.name)
            return lazy
        return pl.scan_csv(
            self._readable(),
            separator=self.separator,
            infer_schema=False,
            glob=False,
            # polars leaves a quote in a name as the file writes it.
            with_column_names=lambda names: [name.replace('""', '"') for name in names],
        )

    def read(self) -> pl.DataFrame:
        """The whole table, its columns numbers where all their values are."""
        with polars_errors_explained(self.name), panics_unheard():
            lazy = self.scan()
            if self.format == "parquet":
                # A few bytes may stand for billions of equal values.
                n_rows = int(lazy.select(pl.len()).collect().item())
                n_fields = max(n_rows * len(lazy.collect_schema()), self.claims.n_values)
                _check_room(n_fields, self.claims.n_bytes, self.name)
            table = lazy.collect()
        if self.format == "parquet":
            # In memory, equal texts are one, until something is made of them.
            lengths = table.select(pl.col(pl.String).str.len_bytes().sum().cast(pl.Float64))
            _check_room(n_fields, int(sum(lengths.row(0))) if lengths.width else 0, self.name)
        if self.format == "csv":
            self._check_short_rows(table)
            table = table.with_columns(typed(column) for column in table)
        if table.height == 0:
            raise UserError(f"{self.name} has column names but no rows. Bring some.")
        return table

    def _readable(self) -> Path | io.BytesIO:
        return io.BytesIO(self.data) if isinstance(self.data, bytes) else self.data

    def _unglobbed(self) -> Path | io.BytesIO:
        """For a reader that takes every name with * ? [ for a pattern."""
        data = self._readable()
        if isinstance(data, Path) and any(letter in str(data) for letter in "*?["):
            return io.BytesIO(data.read_bytes())
        return data

    def _check_short_rows(self, table: pl.DataFrame) -> None:
        """Short rows arrive as missing values; where there are some, count the fields."""
        if table.width < 2 or not table[:, -1].null_count():
            return
        data = self._readable()
        raw = data if isinstance(data, io.BytesIO) else data.open("rb")
        # Here only fields count; whoever reads their letters says which are no UTF-8.
        with io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="") as lines:
            for fields in (reader := csv.reader(lines, delimiter=self.separator)):
                if fields and len(fields) != table.width:
                    raise UserError(
                        f"{self.name}: line {reader.line_num} has {len(fields)} fields where the "
                        f"header has {table.width}. Correct that line, or quote its separators."
                    )


@contextmanager
def polars_errors_explained(name: str) -> Iterator[None]:
    """Turn what polars says of a broken file into a line for its owner."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        text = str(error)
        if "more fields" in text:
            why = "a row has more fields than the header; correct it, or quote its separators"
        elif "utf-8" in text.lower():
            why = _NO_UTF_8
        elif "could not parse" in text and '"' in text:
            why = "a field opens a quote that nothing closes; close it, or write it twice"
        elif "DepthLimitExceeded" in text:
            why = "values are nested too deep; take them out of their lists and objects"
        elif "supertype" in text:
            why = "a column has values of different kinds in different lines; make them alike"
        elif "TapeError" in text or " at character " in text:
            why = "a line is no JSON object; of numbers that are not there JSON knows only null"
        elif "duplicate" in text.lower():
            why = "two columns have the same name; rename one"
        else:
            why = text.strip().splitlines()[0].rstrip(".")
        raise UserError(f"{name} cannot be read: {why}.") from error
    except pl.exceptions.PanicException as error:
        # polars' own way to stumble over numbers in a file that do not fit each other.
        raise UserError(f"{name} cannot be read: {_DAMAGED}.") from error


def open_table(name: str, separator: str | None = None) -> Source:
    """Find out what a file, or standard input ('-'), holds; refuse what is no table."""
    if separator is not None and separator not in _SEPARATORS:
        separator = {"tab": "\t", "\\t": "\t"}.get(separator, separator)
        if len(separator) != 1 or not separator.isascii() or separator in '\r\n"':
            raise UserError(
                "--separator should be one character of ASCII, such as ';' or tab. "
                f"Found {separator!r}."
            )
    shown = "Standard input" if name == "-" else printable(name)
    given = data = sys.stdin.buffer.read() if name == "-" else _existing_file(name)
    head = _head(data)
    if head[:2] == b"\x1f\x8b":
        data = _unzipped(data, shown)
        head = _head(data)
    found = _format(head, shown)
    claims = Claims()
    if found == "parquet":
        claims = _checked_claims(data, shown)
    if found == "csv":
        separator = separator or _guess_separator(head)
        _check_header(head, separator, shown)
        data = _as_text(data, head)
    return Source(shown, data, found, separator or ",", given, claims)


def check_outputs(files: Sequence[str], outputs: dict[str, str | None]) -> None:
    """Before any work: each can be written, is no table that is read, no two are the same."""
    what = "the table itself" if len(files) == 1 else "one of the tables"
    taken = {real_path(file): what for file in files if file != "-"}
    for option, path in outputs.items():
        if path is None or (path == "-" and option == "--json"):
            continue
        if path == "-":
            raise UserError(f"{option} should name a file. Only --json takes - .")
        check_writable(path, option)
        where = real_path(path)
        if where in taken:
            raise UserError(f"{option}: {path} is {taken[where]}. Name another file.")
        taken[where] = f"where {option} goes already"


def _existing_file(name: str) -> Path | bytes:
    path = Path(name)
    if path.is_dir():
        raise UserError(f"{name} is a folder. Name a table inside it.")
    if not path.exists():
        near = (
            [other.name for other in path.parent.iterdir() if other.exists()]
            if path.parent.is_dir()
            else []
        )
        raise UserError(f"There is no file {name}.{suggestion(path.name, near)}")
    # A pipe, such as the shell's <(...), can be read only once; polars takes only UTF-8 names.
    return path if path.is_file() and printable(name) == name else path.read_bytes()


def _head(data: Path | bytes) -> bytes:
    if isinstance(data, bytes):
        return data[:_HEAD]
    with data.open("rb") as file:
        return file.read(_HEAD)


def _unzipped(data: Path | bytes, shown: str) -> bytes:
    """What gzip holds, as far as there is room for the table that it may be."""
    raw = io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")
    found, n_fields = io.BytesIO(), 0
    try:
        with raw, gzip.open(raw) as file:
            while piece := file.read(_UNPACKED):
                found.write(piece)
                n_fields += piece.count(b"\n") + max(map(piece.count, _SEPARATOR_BYTES))
                _check_room(n_fields, found.tell(), shown)
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{shown} cannot be read: its gzip data is broken ({error}).") from error
    return found.getvalue()


def _as_text(data: Path | bytes, head: bytes) -> Path | bytes:
    """With a mark that it is text, where polars would take it for something to unpack."""
    if not head.startswith(_PACKED):
        return data
    return codecs.BOM_UTF8 + (data if isinstance(data, bytes) else data.read_bytes())


def _check_levels(schema: pl.Schema, shown: str) -> None:
    """Refuse lists and records that are nested deep."""
    level: list[Any] = list(schema.dtypes())
    for _ in range(MOST_LEVELS):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise _nested(shown)


def _checked_claims(data: Path | bytes, shown: str) -> Claims:
    """What a Parquet file claims to hold, if that can be."""
    claims = claims_of(data)
    if claims is None:
        raise UserError(f"{shown} cannot be read: {_DAMAGED}.")
    # A list takes two levels of Parquet's.
    if claims.levels > 2 * MOST_LEVELS:
        raise _nested(shown)
    return claims


def _nested(shown: str) -> UserError:
    return UserError(
        f"{shown} has values nested more than {MOST_LEVELS} levels deep. Take them out of their "
        "lists and objects."
    )


def _inside(dtype: Any) -> list[Any]:
    """The types of what a list or record holds."""
    if isinstance(dtype, pl.Struct):
        return [each.dtype for each in dtype.fields]
    return [dtype.inner] if isinstance(dtype, pl.List | pl.Array) else []


def _check_room(n_fields: int, n_bytes: int, shown: str) -> None:
    """Refuse what may unpack to more than half of the memory."""
    memory = memory_limit() or sys.maxsize
    needed = n_fields * BYTES_OF_FIELD + n_bytes * COPIES
    if needed > memory // 2:
        raise UserError(
            f"{shown} unpacks to {n_fields / 1e6:,.0f} million fields or more, which may take "
            f"{needed / 1e9:,.1f} GB: more than half of the {memory / 1e9:,.1f} GB of memory. "
            "Take a part of its rows or columns, or bring more memory."
        )


def _format(head: bytes, shown: str) -> Format:
    if not head.strip():
        raise UserError(f"{shown} is empty. Bring a table with a header and rows.")
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UserError(f"{shown} is UTF-16 text. Convert it to UTF-8.")
    if b"\0" in head:
        raise UserError(
            f"{shown} is no table that Isonomy reads. Bring CSV, TSV, Parquet or JSON lines, "
            "each also with gzip."
        )
    first = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
    if first == b"[":
        raise UserError(
            f"{shown} is a JSON array. Bring JSON lines, one object a line: `jq -c '.[]'` makes it."
        )
    return "jsonl" if first == b"{" else "csv"


def _guess_separator(head: bytes) -> str:
    """The one that the header has most often, outside quotes."""
    outside_quotes = "".join(_header_line(head).split('"')[::2])
    counts = {separator: outside_quotes.count(separator) for separator in _SEPARATORS}
    return max(counts, key=lambda separator: counts[separator])


def _header_line(head: bytes) -> str:
    text = head.decode("utf-8-sig", errors="replace").lstrip("\r\n")
    return text.splitlines()[0] if text else ""


def _check_header(head: bytes, separator: str, shown: str) -> None:
    line = _header_line(head)
    try:
        # The end of a long one may be cut within a letter.
        codecs.getincrementaldecoder("utf-8")().decode(head.lstrip(b"\r\n").split(b"\n")[0])
    except UnicodeDecodeError:
        raise UserError(f"{shown} cannot be read: {_NO_UTF_8}.") from None
    mark = re.escape(separator)
    whole = rf'(?:^|(?<={mark}))"(?:[^"]|"")*"(?={mark}|$)'
    if re.search(rf'[^"{mark}]"', re.sub(whole, "", line)):
        raise UserError(
            f'{shown} has a column name with a quote (") inside. Leave the quote out, or write it '
            "twice and put quotes around the name."
        )
    names = next(csv.reader([line], delimiter=separator))
    if len(head) == _HEAD and b"\n" not in head.lstrip(b"\r\n"):
        # The last may be cut, and look like another.
        names.pop()
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise UserError(
            f"{shown} has two columns named {repeated[0]!r}. Rename one, so that names are clear."
        )


def typed(column: pl.Series) -> pl.Series:
    """A column of text as numbers, where every value that is there is one.

    >>> typed(pl.Series(["1", "2.5"])).to_list(), typed(pl.Series(["1", "two"])).to_list()
    ([1.0, 2.5], ['1', 'two'])
    >>> typed(pl.Series(["1152921504606846977"])).to_list()
    [1152921504606846977]
    """
    if column.null_count() == len(column):
        return column
    numbers, rest = text_to_numbers(column)
    if len(rest):
        return column
    numbers = numbers.alias(column.name)
    if not (numbers.abs() > EXACT).any():
        return numbers
    # Ids, say, which floats would take for one another.
    for kind in (pl.Int64, pl.UInt64):
        whole = column.str.strip_chars().cast(kind, strict=False)
        if whole.null_count() == numbers.null_count():
            return whole
    return numbers


def need_columns(table_columns: list[str], names: list[str], source: Source, option: str) -> None:
    """The named columns should be there."""
    for name in names:
        if name not in table_columns:
            hint = suggestion(name, table_columns)
            if len(table_columns) == 1 and source.format == "csv":
                hint += " Only one column was found: is it --separator that should be given?"
            raise UserError(
                f"{option}: {source.name} has no column {name!r}.{hint}\n"
                f"Its columns: {listed(table_columns, 12)}."
            )
