"""Every sentence that a comparison can say, once; `wording` and `notes` decide which.

tests/compare/test_sentences.py has, for each, the situation that makes it.
"""

from __future__ import annotations

SENTENCES = {
    # What to take.
    "take": "Take {name}: {noun} {value} on held-out rows, the best of {n} methods.",
    "take only": (
        "Take {name}: {noun} {value} on held-out rows. There was no other method to compare."
    ),
    "take milder": (
        "Take {name}: {noun} {value} on held-out rows, within {tolerance} of the best, {best} "
        "({best_value}), and milder where labels conflict ({verdict})."
    ),
    "take simpler": (
        "Take {name}: {noun} {value} on held-out rows, within {tolerance} of the best, {best} "
        "({best_value}), and simpler."
    ),
    "take mixed": (
        "Take {name}: {noun} {value} on held-out rows, within {tolerance} of the best, {best} "
        "({best_value}), and safer: where one model family errs, the other helps."
    ),
    "take surer": (
        "Take {name}: {noun} {value} on held-out rows, the best of those that are surely above the "
        "0.5 of a constant score; {best} ({best_value}) is not."
    ),
    "take promise": (
        "Take {name}: it keeps {promise} ({reached} on held-out rows) and has the best {noun} of "
        "the methods that do, {value}."
    ),
    "out of reach": (
        "No method keeps {promise}: the best within reach is {reached}, by {name}, with the {noun} "
        "at {value}. Lower the promise, or bring better features."
    ),
    "none serves": (
        "No single ranking serves these labels: the best {noun}, {value} by {name}, is not surely "
        "above the 0.5 of a constant score."
    ),
    "none surely": (
        "These rows cannot tell whether a single ranking serves all labels: the best {noun}, "
        "{value} by {name}, is not surely above the 0.5 of a constant score. More rows would tell."
    ),
    "none ranks": (
        "No method ranks for {label}: the best {noun}, {value} by {name}, is not surely above the "
        "0.5 of a constant score. Try {remedies}."
    ),
    "hardly serves": (
        "No single ranking serves these labels: the best {noun}, {value} by {name}, is hardly "
        "above the 0.5 of a constant score."
    ),
    # How sure that is.
    "less sure": (
        "{name} has {value} on these rows, but only {expected} is to be expected on new ones."
    ),
    "alone ahead": "{name} stands above it, with {value}, but leaves the other labels out.",
    "barely kept": (
        "{name} has {value}, but keeps the promise by too little to rely on it on new rows."
    ),
    "sure alone": (
        "{name}, with {value}, would surely be above it, had it been the only method; as one of "
        "{n} it may be the luckiest."
    ),
    "near": "Within {tolerance} of it: {names}.",
    "sure": "Taken again in {times} of 10 resamples; expected loss {loss}.",
    "perhaps luck": (
        "Beware: the best of {n} methods is in part the luckiest, and with that allowed for the "
        "{noun}, {value}, is not surely above the 0.5 of a constant score."
    ),
    "others at chance": (
        "Beware: the {noun}, {value}, is not surely above the 0.5 of a constant score: the promise "
        "leaves nothing for the rest."
    ),
    "others below chance": (
        "Beware: the {noun}, {value}, is below the 0.5 of a constant score: the promise is paid "
        "for by the rest."
    ),
    "backwards": (
        "Beware: it ranks {labels} backwards, with an AUC surely below the 0.5 of a constant score."
    ),
    "perhaps at chance": (
        "Beware: so few splits cannot tell whether the {noun}, {value}, is above the 0.5 of a "
        "constant score."
    ),
    "dictated": "Beware: ranked by {name}, {pairs} where they disagree.",
    "left to others": (
        "Beware: {name} does not surely predict {labels}, which another method does."
    ),
    # What it costs.
    "price": "What it gives each label, of the best that any method gives: {parts}.",
    "served better": "... and {more} served better",
    "standing": (
        "Where {first} and {second} disagree, it sides with {winner} in {share} of the pairs "
        "({verdict})."
    ),
    "even": "Where {first} and {second} disagree, each wins half of the pairs ({verdict}).",
    "which is not predicted": "{label} is not surely predicted",
    "too few to judge": "of too few rows to judge by",
    # How the labels stand to each other.
    "funnel": (
        "{pairs}: a funnel. Where two such labels disagree the item lacks the rarer one, never the "
        "other, so there are no conflicts to win, and more rows will not bring any."
    ),
    "known after": (
        "{pairs}: by such a label only these items are ranked. If the others lack it, put a 0 in "
        "place of the gap: then it is a funnel."
    ),
    "same": "{pairs} are the same in every row: one of the two is enough.",
    "all the same": "{labels} are the same in every row: one of them is enough.",
    "opposite": (
        "{pairs} are opposites: each item has exactly one of the two, so that what one gains the "
        "other loses and their AUCs add up to 1. Keep one of them."
    ),
    "exclusive": (
        "{pairs} exclude each other: no item has both, so that what one wins where their items "
        "meet, the other loses."
    ),
    "all exclusive": (
        "{labels} exclude each other: no item has two of them, so that what one wins where their "
        "items meet, the others lose."
    ),
    "opposed": "{pairs} oppose each other: ranked by one alone, the other has an AUC below 0.5.",
    "two sides": (
        "{first} oppose {second}: ranked by one label of either side alone, those of the other "
        "have AUCs below 0.5."
    ),
    # What to do where no ranking serves all of them.
    "serve apart": "Rank for them apart: {groups}.",
    "serve apart for now": "Until then rank for them apart: {groups}.",
    "keep that one": "Keep the opposite that goes with the rest: one ranking serves {group}.",
    "group": "{labels} (smallest AUC {auc} by {name})",
    "group at a cost": "{labels} (smallest AUC {auc} by {name}, where each could have {best})",
    "group of one": "{labels} (AUC {auc} by {name})",
    "serve all": ("By the smallest AUC one ranking does serve them all: {group}."),
    "lower the promise": "A lower promise leaves the others more.",
    "serve the rest": (
        "Leave out {labels}, which no method surely predicts, until {remedies} do: one ranking "
        "serves the rest, {group}."
    ),
    "leave out": "Leave out {labels}, which no method surely predicts, until {remedies} do.",
    "one by luck": "Where one of {n} methods has an interval above 0.5 for them, it may be luck.",
    "say the goal": (
        "Or say what each is worth (`goal={{...}}`, --value), or what one must keep (`at_least=`, "
        "--at-least)."
    ),
    "better features": ("No label is surely predicted: try {remedies} before choosing a method."),
    # Features.
    "leak": (
        "{feature} alone reaches an AUC of {auc} for {label}: has the label leaked into it? Leave "
        "it out (--exclude) if it is not known when the ranking is made."
    ),
    "turned round": "{auc} (turned round)",
    "more leaks": "... and {count} more such features and labels.",
    "unused": "Column {names} is not used: {why}.",
    "unused columns": "Columns {names} are not used, each because {why}.",
    "unused text": "Column {names} is not used: {why}; {use} uses its words.",
    "unused texts": (
        "Columns {names} are not used, each because it is text with many different values; {use} "
        "uses the words of the first."
    ),
    # What to know before trusting the numbers.
    "note": "Note: {note}",
    "few of a class": (
        "Few rows of the rarer class: {labels}. The numbers there, and all that depend on them, "
        "are rough."
    ),
    "few groups": (
        "Few groups with rows of both classes: {labels}. Only such groups are measured, so that "
        "the numbers, and all that depend on them, are rough, whatever their intervals say."
    ),
    "not predicted": (
        "No method surely predicts {labels}: the interval reaches 0.5. No way of combining labels "
        "helps there; better features may."
    ),
    "perhaps predicted": (
        "Too few rows tell whether any method predicts {labels}: the interval reaches 0.5. More "
        "rows would, above all of the rarer class."
    ),
    "not measured": ("Too few rows of one class: of {n} splits some could not measure {labels}."),
    "few splits": (
        "{n} splits cannot tell much apart, and intervals are wide. Take more folds or repeats."
    ),
    "linear alone": (
        "Only {family} models: trees take very long on so many columns. family=['linear', "
        "'boosted'] (--family linear,boosted) compares them too."
    ),
    "one label": "With one label all objectives are the same: only it alone is left.",
    "nothing to rank by": (
        "{names} left out: all items are equal by what they learn, so that there is nothing to "
        "rank by."
    ),
    "not taken": "{name} is trained without `{what}`, which its `fit` does not take.",
    "many labels": "Trade-offs are traced for at most {most} labels.",
    "untraced": "Trade-offs could not be traced. {why}",
    "failed": "{names} could not be compared. {why}",
    "warned": "{names} warned. {note}",
    "measured": (
        "Measured on {rows} rows and {features} ({how}) with the {family} {families}, {tuned}; "
        "intervals of {level} allow for {luck}."
    ),
    # Beneath the table.
    "over splits": "Means over {n} splits of held-out rows, {level} intervals.",
    "of one split": "One split of held-out rows, {level} intervals.",
    "columns": "Min: the smallest AUC. Diff: the largest less the smallest.",
    "in order": "Methods stand in the order of the Min to be expected on new rows.",
    "goal": "{heading}: {noun}.",
    "broken last": "Methods that break the promise stand last, the nearest to it first.",
    "won": "Won by {first}: its share of conflicts; 50% is equal standing.",
    "won at the top": "Top won by {first}: of those with a row in the first ten of a group.",
    "ndcg": "nDCG@10: of the first ten of each group.",
    "p of promises": "p: that {what} is the same as in the row of 'best'. chance: a constant "
    "score.",
    "p": "p: that {what} is as good as the best. chance: a constant score.",
    "left out": "{what} in the data frame, the report and the JSON.",
}


def say(sentence: str, **parts: object) -> str:
    """One of the sentences, filled in."""
    return SENTENCES[sentence].format(**parts)
