"""Every sentence that an audit can say, once; `wording` decides which, and fills them in.

tests/audit/test_sentences.py has, for each, the situation that makes it.
"""

from __future__ import annotations

TEMPLATES = {
    # A label's own AUC.
    "backwards": "{label} is ranked backwards: its AUC is {auc}, surely below 0.5, which any "
    "constant score has.",
    "at chance": "{label} is served no better than by chance: its AUC is {auc}, and a constant "
    "score has 0.5.",
    "perhaps at chance": "{label} may be served no better than by chance: its AUC is {auc}, from "
    "{positives} positives and {negatives} negatives.",
    "more labels": "{labels}: {counted}.",
    # Two labels.
    "one label": "One label, {label}: there is nobody to disagree with.",
    "dictated": "{winner} dictates to {loser}: where they disagree, {winner} wins {won}.",
    "leaning": "The ranking leans towards {winner} over {loser}: {winner} wins {won}.",
    "not predicted": "{loser} is not predicted, so {winner} wins {won}: the score may be blind to "
    "{loser} rather than against it.",
    "balanced": "{first} and {second} are balanced: {first} wins {won}.",
    "undecided": "{first} and {second}: undecided. {first} wins {won}; rows with one of the two "
    "only: {first_rows} and {second_rows}.",
    "never disagree": "{first} and {second} never disagree in these rows: no verdict.",
    "never disagree inside": "{first} and {second} never disagree inside a group: no verdict.",
    "apart": "{first} and {second} are never observed in the same row: no verdict.",
    "more pairs": "{pairs} of labels: {counted}.",
    # What labels are to each other.
    "funnel": "{second} never occurs without {first} (a funnel): the two cannot disagree, and a "
    "ranking with rows of both first, then rows of {first} alone, serves both.",
    "funnels": "{count} pairs of labels are funnels, the first never without the second: {pairs}. "
    "They cannot disagree, and one ranking can serve both.",
    "sames": "{count} pairs of labels are the same in every row: {pairs}. One of each is enough.",
    "same": "{first} and {second} are the same in every row: one of them is enough.",
    "exclusive": "{first} and {second} exclude each other: no row has both, so that their AUCs "
    "trade off.",
    "exclusive with bound": "{first} and {second} exclude each other: no row has both, so that "
    "their AUCs trade off. No ranking of these rows gives both more than {bound}.",
    "exclusives": "{count} pairs of labels exclude each other: {pairs}. No row has both, so that "
    "their AUCs trade off.",
    "opposites": "{count} pairs of labels are opposites: {pairs}. Each row has exactly one of the "
    "two, so that what one gains the other loses and their AUCs add up to 1.",
    "opposite": "{first} and {second} are opposites: each row has exactly one of them, so that "
    "what one gains the other loses and their AUCs add up to 1.",
    # Segments.
    "segments too small": "{segments}: too few rows to compare them.",
    "segments alike": "{segments} do not differ beyond chance.",
    "label differs": "The AUC of {label} differs between segments beyond chance: {low} in "
    "{lowest}, {high} in {highest}.",
    "conflict differs": "The share of conflicts that {first} wins over {second} differs between "
    "segments beyond chance: {low} in {lowest}, {high} in {highest}.",
    "more differ": "... and {count} more like this: see `segment_tests`.",
    "dictated there": "{winner} dictates to {loser} in {where}, though not overall.",
    "backwards there": "{label} is ranked backwards in {where}, though not overall.",
    "more there": "... and {count} more like this: see `segments`.",
    # How much, and how far apart.
    "size": "{rows} rows.",
    "size in groups": "{rows} rows in {groups} groups.",
    "size in clusters": "{size} Rows of a cluster vary together: {clusters} clusters.",
    "gap": "Worst served: {worst}, AUC {auc}. Best: {best}; the gap is {gap}.",
    "legend": "{size} Bars are {level} intervals. Solid ticks: 0.5 for AUCs, the share in all rows "
    "for the top; dashed: {dictates}, beyond which a label dictates.",
    # Since an earlier audit.
    "auc fell": "The AUC of {label} fell from {before} to {now} since the earlier audit.",
    "more fell": "... and so did those of {labels}.",
    "auc moved": "The AUC of {label} {way} from {before} to {now}.",
    "prior moved": "The share of positives of {label} {way} from {before} to {now}.",
    "pull moved": "The pull of {label} under equal loss weights {way} from {before} to {now}.",
    "conflict moved": "The share of conflicts that {first} wins over {second} {way} from {before} "
    "to {now}.",
    "verdict moved": "The share of conflicts that {first} wins over {second} {way} from {before} "
    "to {now}; the verdict went from {verdict_before!r} to {verdict_now!r}.",
    "verdict by chance": "The verdict on {first} and {second} went from {verdict_before!r} to "
    "{verdict_now!r}, but the share of conflicts won did not move beyond chance.",
    "more moved": "... and {count} more: see the JSON.",
    "nothing moved": "Nothing has moved beyond chance.",
    "new labels": "Not in the earlier audit: {labels}.",
    "gone labels": "Only in the earlier audit: {labels}.",
    "pulls not compared": "Effective weights are shares of other labels: they were not compared.",
    "groups on one side": "One audit counts pairs inside groups, the other all pairs: AUCs mean "
    "other things.",
    # What to do.
    "turn around": "See what is upside down with {labels}: is 1 the good value of the label, and "
    "is a higher score the better one? If both are so, the ranking works against it.",
    "excluded": "{labels}: ranked low to rank {served} high, because no row has both. Decide "
    "which should come first. `compare` shows what each choice costs.",
    "decide the order": "{labels}: ranked low to rank {served} high. Every row has exactly one "
    "of the labels, so that their sum ranks nothing: decide which should come first, or make a "
    "ranking for each. `compare` shows what each choice costs.",
    "find features": "Look for features that predict {labels}, or check the label; weights cannot "
    "help a label that the score does not know.",
    "what changed": "Find out what has changed since the earlier audit before you rely on the "
    "ranking: features that no longer arrive, a label that is made otherwise, rows of another "
    "kind. What fell: {labels}.",
    "try aggregation": "If {winner} should not come first, try training with "
    "`LabelAggregation()`. `compare` shows what each choice costs.",
    "try weights": "If {winner} should not come first, try training with `LabelAggregation()` or "
    "`LossAggregation(weights=[{weights}])`. With equal loss weights {winner} has {ratio} times "
    "the pull of {loser}, because it is more skewed. `compare` shows what each choice costs.",
    "not by weights": "If {winner} should not come first, try training with "
    "`LabelAggregation()`. Equal loss weights are not the reason: they give {loser} the larger "
    "pull. See which labels and weights the score was trained with. `compare` shows what each "
    "choice costs.",
    "likewise": "Decide likewise for {pairs}.",
    "choose one": "One ranking cannot serve opposites ({pairs}): keep one of the two, or make two "
    "rankings.",
    "look there": "Look at {where} apart: what holds overall does not hold there.",
    "more positives": "To know whether the ranking serves {labels} at all, audit more rows: what "
    "counts are rows of the rarer class.",
    "both classes": "Audit rows with positives and negatives of {labels}: without both there is no "
    "AUC.",
    "both classes inside": "Leave out {labels}, or audit all rows together (without groups): no "
    "group has positives and negatives of such a label, so that no order inside groups serves it.",
    "more conflicts": "For a verdict on undecided pairs, audit more rows: what counts are rows in "
    "which one of the two labels is positive and not the other.",
    "observed together": "For a verdict on {pairs}, audit rows in which both are observed.",
    "prior changed": "See why the share of positives of {labels} has changed since the earlier "
    "audit: a label that is made otherwise, or rows of another kind, on which to train again.",
    "conflicts changed": "See whether it was meant that {pairs} stand otherwise to each other than "
    "in the earlier audit.",
    "nothing": "Nothing needs doing. Keep this audit (`to_dict()`, `--json`), and give it to the "
    "next one as its baseline.",
    # What to know before trusting the numbers.
    "no auc": "{label} has no AUC: no positive and negative to compare{inside} ({positives} "
    "positives, {negatives} negatives).",
    "exact sketch": "From a sketch of {items} items, which is exact: all scores fitted in.",
    "bounded sketch": "From a sketch: {items} items in {ranges} score ranges. AUCs are certain to "
    "{half}, and all intervals are wider by what is in doubt.",
    "few units": "Fewer than {fewest} {units} for {labels}: intervals may not hold.",
    "segments undefined": "In {count} of {all} segments some label lacks a class and has no AUC: "
    "{segments}.",
    "units across": "Some {units} lie in more than one segment; the tests between segments take "
    "segments for independent.",
    # Why a gate failed.
    "failed: dictator": "{winner} dictates to {loser}: it wins {won}.",
    "failed: dictators": "{winner} dictates to {loser}: it wins {won}; likewise {pairs}.",
    "failed: drift": "since the earlier audit: {moves}.",
    "failed: under": "the AUC of {label} is {auc}, below {floor}.",
    "failed: no auc": "{label} has no AUC, which should be at least {floor}.",
    "failed: gap": "the gap between the largest and the smallest AUC is {gap}, above {most}.",
    "failed: no gap": "fewer than two labels have an AUC, so that there is no gap to be at most "
    "{most}.",
}


def say(key: str, **values: object) -> str:
    """A sentence, filled in."""
    return TEMPLATES[key].format(**values)
