"""`isonomy export`: a model for other programs, as ONNX or SQL."""

from __future__ import annotations

from pathlib import Path

from isonomy._export import to_onnx, to_sql
from isonomy._infra import check_writable, write_whole
from isonomy._models import load
from isonomy.cli._console import Messages, write_text
from isonomy.cli._errors import UserError


def export(talk: Messages, model: str, *, out: str | None, sql: bool, trusted: list[str]) -> None:
    """Write the model as ONNX, or its score as a SQL expression."""
    if out is None and not sql:
        raise UserError(
            "Say where to write the ONNX model, --out model.onnx, or ask for a SQL expression, "
            "--sql."
        )
    if out is not None and out != "-":
        check_writable(out, "--out")
        if Path(out).resolve() == Path(model).resolve():
            raise UserError(f"--out: {out} is the model itself. Name another file.")
    if out == "-" and not sql:
        raise UserError("--out should name a file: an ONNX model is no text to print.")
    with talk.while_working():
        ranker = load(model, trusted=trusted)
        if sql:
            text = to_sql(ranker) + "\n"
        else:
            data = to_onnx(ranker)
    if sql:
        write_text(text, out or "-")
    else:
        assert out is not None
        write_whole(out, data)
    if out not in (None, "-"):
        talk.say(f"Wrote {out}.")
