"""The page: one file that needs nothing else and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from isonomy._compare import Comparison, MethodResult
from isonomy._core import AnyArray, FloatArray
from isonomy._infra import replacing
from isonomy._render.report.charts import TOP, charts, squares
from isonomy._render.report.origin import Origin
from isonomy._render.report.records import Material, audits, label_records, tradeoff_lines

MEANINGS = {
    "mean": "ranks by the average of an item's labels",
    "product": "ranks items that have all labels above the rest",
    "loss": "adds up one loss per label, with equal weights",
    "balanced": "adds up the labels' losses, each weighed by the pairs that it has",
    "worst": "serves the label that is served worst as well as it can",
    "plug-in": "one classifier per label; their probabilities become the best single score",
    "one-label": "learns one label and leaves the others out",
    "own": "a ranker of yours",
}


def write_report(
    path: str | Path,
    comparison: Comparison,
    labels: FloatArray,
    origin: Origin,
    *,
    groups: AnyArray | None = None,
    weight: FloatArray | None = None,
) -> None:
    """Write the page of a comparison.

    Parameters
    ----------
    path : str or Path
        The HTML file; an old one is replaced in one step.
    comparison : Comparison
        What `compare` found.
    labels : ndarray of shape (n, K)
        The labels that it was given.
    origin : Origin
        For the footer and the commands.
    groups, weight : ndarray of shape (n,), optional
        As given to `compare`.
    """
    html = page(Material(comparison, labels, groups, weight, origin))
    with replacing(path) as new:
        new.write_text(html, encoding="utf-8")


def write_pictures(
    folder: str | Path,
    comparison: Comparison,
    labels: FloatArray,
    origin: Origin,
    *,
    groups: AnyArray | None = None,
    weight: FloatArray | None = None,
) -> list[Path]:
    """Write every picture as PNG and SVG into a folder, which is made if need be."""
    import vl_convert

    material = Material(comparison, labels, groups, weight, origin)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, chart in charts(material, audits(material)).items():
        spec = chart.to_dict()
        if spec.get("width") == "container":
            spec["width"] = 640
        for suffix, data in (
            ("svg", vl_convert.vegalite_to_svg(spec).encode()),
            ("png", vl_convert.vegalite_to_png(spec, scale=2)),
        ):
            target = folder / f"{name}.{suffix}"
            with replacing(target) as new:
                new.write_bytes(data)
            written.append(target)
    return written


def page(material: Material) -> str:
    """The page as text."""
    drawn = charts(material, audits(material))
    data = {
        "names": list(material.names),
        "charts": {name: chart.to_dict() for name, chart in drawn.items()},
        "tradeoffs": tradeoff_lines(material),
    }
    libraries, own = _libraries(), _own("page.js")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src 'unsafe-inline'; script-src {_hash(libraries)} {_hash(own)}"
    )
    sections = [
        _labels_section(material),
        _methods_section(material),
        _tradeoff_section(material) if "tradeoff" in drawn else "",
        _conflicts_section(material) if "conflicts" in drawn else "",
        _top_section() if "top" in drawn else "",
        _roc_section(material) if "roc" in drawn else "",
        _use_section(material),
    ]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(_title(material))}</title>
<style>{_own("page.css")}</style>
</head>
<body>
{_head(material)}
<main>
{"".join(sections)}
</main>
{_footer(material)}
<script type="application/json" id="data">{_json(data)}</script>
<script>{libraries}</script>
<script>{own}</script>
</body>
</html>
"""


def _head(material: Material) -> str:
    found = material.comparison
    method = found[found.recommended]
    return f"""<header>
<h1>{escape(_title(material))}</h1>
<p class="soft">{found.n_rows:,} rows, {found.n_features:,} features, {found.family} models,
{found.n_splits} splits; intervals at {found.level:.0%}.</p>
<div class="verdict"><strong>Take {escape(found.recommended)}</strong>
<span class="soft">({escape(MEANINGS[method.kind])})</span>
<p>{escape(found.reason)}</p></div>
{"".join(f'<p class="soft">{escape(note)}</p>' for note in found.notes)}
</header>
"""


def _title(material: Material) -> str:
    names = [material.short(name) for name in material.names]
    if len(names) == 1:
        return f"A ranking for {names[0]}"
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more labels"]
    return f"One ranking for {', '.join(shown[:-1])} and {shown[-1]}"


def _labels_section(material: Material) -> str:
    several = len(material.names) > 1
    pull = "<th>share of the pull</th>" if several else ""
    rows = "".join(
        f"<tr><td>{escape(each['name'])}</td><td>{_share(each['prior'])}</td>"
        f"<td>{_share(each['missing'])}</td>"
        f"{'<td>' + _share(each['share']) + '</td>' if several else ''}</tr>"
        for each in label_records(material)
    )
    table = f"""<div class="scroll"><table>
<thead><tr><th>label</th><th>positive</th><th>missing</th>{pull}</tr></thead>
<tbody>{rows}</tbody></table></div>"""
    if not several:
        return f"<section><h2>Your label</h2>{table}</section>"
    where = " of one group" if material.groups is not None else ""
    return f"""<section>
<h2>Your labels and their secret weights</h2>
<p>Adding up one loss per label looks fair. But a label's pull on the ranking is one over its
pairs of a positive and a negative row{where}, about 1 / (&pi; (1 - &pi;)) with &pi; its share of
positives: the rarer, the stronger.</p>
{table}
{_chart("weights", "Share of the pull that each label has under equal loss weights")}
</section>
"""


def _methods_section(material: Material) -> str:
    found = material.comparison
    head = "".join(f"<th>AUC {_named(material, name)}</th>" for name in material.names)
    rows = "".join(_method_row(material, method) for method in found.methods)
    kinds = {
        method.kind: "one label alone" if method.kind == "one-label" else method.name
        for method in found.methods
        if method.kind != "own"
    }
    meanings = "".join(
        f"<li>{escape(name)}: {escape(MEANINGS[kind])}</li>" for kind, name in kinds.items()
    )
    several = len(material.names) > 1
    extremes = "<th>Diff</th><th>Min</th>" if several else ""
    explained = (
        "Diff is the gap between the largest and the smallest AUC, Min the smallest. "
        if several
        else ""
    )
    return f"""<section>
<h2>What each method gives</h2>
<p>How often a positive row stands above a negative one, on rows that the method had not
seen. {explained}Dots are means over the splits, bars their intervals.</p>
{_chart("aucs", "AUC of each label under each method, with intervals")}
<div class="scroll"><table>
<thead><tr><th>method</th>{head}{extremes}</tr></thead>
<tbody>{rows}</tbody></table></div>
<ul class="soft">{meanings}</ul>
</section>
"""


def _method_row(material: Material, method: MethodResult) -> str:
    recommended = method.name == material.comparison.recommended
    tag = ""
    if recommended:
        tag = " <span class='tag'>recommended</span>"
    elif method.name in material.comparison.tied_with:
        tag = " <span class='tag'>as good, as far as these rows tell</span>"
    name = f"<td>{_named(material, method.name)}{tag}</td>"
    width = len(material.names) + (2 if len(material.names) > 1 else 0)
    if method.failed is not None:
        return f"<tr>{name}<td colspan='{width}'>{escape(method.failed)}</td></tr>"
    numbers = list(zip(method.aucs.mean, method.aucs.low, method.aucs.high, strict=True))
    if len(material.names) > 1:
        extremes = (method.diff, method.min)
        numbers += [(float(each.mean), float(each.low), float(each.high)) for each in extremes]
    cells = "".join(f"<td>{_interval(*each)}</td>" for each in numbers)
    return f"<tr{' class=recommended' if recommended else ''}>{name}{cells}</tr>"


def _tradeoff_section(material: Material) -> str:
    lines = tradeoff_lines(material)
    pick = ""
    if len(lines) > 1:
        options = "".join(
            f"<option value='{i}'>{escape(material.short(line['first']))} and "
            f"{escape(material.short(line['second']))}</option>"
            for i, line in enumerate(lines)
        )
        pick = (
            "<label for='pair'>Two labels; the others stay equal</label>"
            f"<select id='pair'>{options}</select>"
        )
    command = ""
    if material.origin.fit is not None:
        command = """<p class="soft">The command that fits this point on all rows:</p>
<div class="command"><pre><code id="mix-command"></code></pre>
<button type="button" data-copy="mix-command">Copy</button></div>"""
    else:
        command = '<code id="mix-command" hidden></code>'
    return f"""<section>
<h2>Choose the balance yourself</h2>
<p>The grey line is what loss aggregation reaches as weight moves from one label to the other,
and the dots are the methods (the diamond is the recommended one). All are measured on the rows of
one held-out split; up and to the right is better for both. Where dots stand close together one
name stands for its neighbours, and the table above has all.</p>
<div class="controls">{pick}
<label for="mix">Weight</label>
<input type="range" id="mix" min="0" max="1" step="1" value="0">
<div class="ends"><span id="end-first"></span><span id="end-second"></span></div>
<div class="scroll"><table><thead><tr><th>label</th><th>pull</th><th>AUC</th></tr></thead>
<tbody id="chosen-aucs"></tbody></table></div>
<p id="chosen-conflict" aria-live="polite"></p>
{command}
</div>
{_chart("tradeoff", "AUC of one label against AUC of the other, as weight moves between them")}
</section>
"""


def _conflicts_section(material: Material) -> str:
    shown = " A square per method, in percent: the row's label over the column's."
    return f"""<section>
<h2>Who wins where labels disagree</h2>
<p>Of the pairs in which one row has the first label only and the other the second only: the
share that the ranking decides for the first. 50% is equal standing; near 0% or 100% one label
dictates, or the other cannot be predicted.{shown if squares(len(material.pairs)) else ""}</p>
{_chart("conflicts", "Share of conflicts that the first label wins, per method and pair of labels")}
</section>
"""


def _top_section() -> str:
    return f"""<section>
<h2>What the top of the list holds</h2>
<p>Share of positives among the top {TOP}, with intervals; the grey tick is the share in the
whole list.</p>
{_chart("top", f"Share of positives in the top {TOP}, per method and label")}
</section>
"""


def _roc_section(material: Material) -> str:
    grouped = " Rows of all groups are pooled here." if material.groups is not None else ""
    return f"""<section>
<h2>ROC curves</h2>
<p>The recommended method in colour, the others grey.{grouped}</p>
{_chart("roc", "ROC curves per label")}
</section>
"""


def _use_section(material: Material) -> str:
    found, origin = material.comparison, material.origin
    blocks = ""
    if origin.fit is not None:
        method = next(each for each in found.methods if each.name == found.recommended)
        arguments = ["--method", method.kind]
        if method.kind == "one-label":
            only = next(name for name in material.names if found.recommended == f"{name} alone")
            arguments += ["--only", only]
        fit = origin.fit_command(arguments) if method.kind != "own" else ""
        rank = "isonomy rank new-rows.csv --model model.isonomy --out ranked.csv"
        blocks = f"""<p>On the command line: fit the recommended method, then score new rows.</p>
<div class="command"><pre><code id="use-command">{escape(fit)}
{escape(rank)}</code></pre>
<button type="button" data-copy="use-command">Copy</button></div>
"""
    code = """import isonomy as iso
import polars as pl

model = iso.load("model.isonomy")  # loading runs no code from the file
table = pl.read_csv("new-rows.csv")
ranked = table.with_columns(score=model.predict(table)).sort("score", descending=True)"""
    return f"""<section>
<h2>Use it</h2>
{blocks}<p>In Python:</p>
<pre><code>{escape(code)}</code></pre>
</section>
"""


def _footer(material: Material) -> str:
    origin, found = material.origin, material.comparison
    seed = "none" if found.seed is None else str(found.seed)
    facts = {
        "Isonomy": origin.version,
        "Table": origin.file,
        "SHA-256": origin.sha256,
        "Seed": seed,
        "Command": origin.command,
    }
    items = "".join(f"<dt>{name}</dt><dd>{escape(fact)}</dd>" for name, fact in facts.items())
    return f'<footer class="soft"><dl>{items}</dl></footer>'


def _named(material: Material, name: str) -> str:
    """A name cut to fit; the whole one shows where the pointer rests."""
    return f'<span title="{escape(name)}">{escape(material.short(name))}</span>'


def _chart(name: str, description: str) -> str:
    return f'<div class="chart" id="{name}" role="img" aria-label="{escape(description)}"></div>'


def _share(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2%}" if 0 < value < 0.1 else f"{value:.0%}"


def _interval(mean: float, low: float, high: float) -> str:
    if np.isnan(mean):
        return "-"
    bounds = "" if np.isnan(low) else f"<small>{low:.3f} to {high:.3f}</small>"
    return f"{mean:.3f}{bounds}"


def _json(data: Any) -> str:
    """Strict JSON that cannot end the script element it stands in."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _libraries() -> str:
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script")


@cache
def _own(name: str) -> str:
    return files("isonomy._render.report").joinpath(name).read_text(encoding="utf-8")
