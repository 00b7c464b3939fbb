"""Draw the README's pictures: `make pictures`."""

import io
from pathlib import Path

import altair as alt
import numpy as np
from rich.console import Console

from isonomy.cli.demo import Demo, render_demo, run_demo

HERE = Path(__file__).parent
INK, GREY = "#24292f", "#8c959f"
COLOURS = ["#0a6ebd", "#d1570c"]


def terminal(demo: Demo) -> None:
    """What `make demo` prints, as a picture of a terminal."""
    console = Console(record=True, width=84, file=io.StringIO())
    console.print(render_demo(demo))
    console.save_svg(str(HERE / "demo.svg"), title="make demo")


def aucs(demo: Demo) -> alt.Chart:
    """AUC per label for each ranking, with intervals."""
    rows = [
        {
            "ranking": ranked.name,
            "label": label,
            "auc": float(np.asarray(ranked.aucs.estimate)[k]),
            "low": float(np.asarray(ranked.aucs.low)[k]),
            "high": float(np.asarray(ranked.aucs.high)[k]),
        }
        for ranked in demo.rankings
        for k, label in enumerate(demo.labels)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("ranking:N", sort=None, title=None, axis=alt.Axis(labelLimit=200)),
        color=alt.Color(
            "label:N", scale=alt.Scale(domain=list(demo.labels), range=COLOURS), title=None
        ),
    )
    bars = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title="AUC with 95% interval", scale=alt.Scale(domain=[0.4, 1])),
        x2="high:Q",
    )
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(x="auc:Q")
    title = "How well is each label served?"
    return (bars + dots).properties(width=300, height=150, title=title)


def conflicts(demo: Demo) -> alt.Chart:
    """Share of the conflicts that the first label wins, with intervals."""
    first, second = demo.labels
    rows = [
        {
            "ranking": ranked.name,
            "share": float(np.asarray(ranked.conflict.estimate)[0, 1]),
            "low": float(np.asarray(ranked.conflict.low)[0, 1]),
            "high": float(np.asarray(ranked.conflict.high)[0, 1]),
        }
        for ranked in demo.rankings
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("ranking:N", sort=None, axis=None))
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1])
    title = f"← {second} wins   |   {first} wins →"
    bars = base.mark_rule(strokeWidth=3, color=INK).encode(
        x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=90, opacity=1, color=INK).encode(x="share:Q")
    middle = alt.Chart(alt.Data(values=[{"x": 0.5}])).mark_rule(strokeDash=[4, 4], color=GREY)
    return (middle.encode(x="x:Q") + bars + dots).properties(
        width=300, height=150, title="Who wins where they disagree?"
    )


def main() -> None:
    """Write the pictures beside this file."""
    demo = run_demo()
    terminal(demo)
    picture = (aucs(demo) | conflicts(demo)).configure(
        background="white", font="sans-serif", padding=12
    )
    picture.save(str(HERE / "search-log.svg"))
    picture.save(str(HERE / "search-log.png"), ppi=144)


if __name__ == "__main__":
    main()
