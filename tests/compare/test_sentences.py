"""Every sentence that a comparison can say, with the situation that makes it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import isonomy as iso
from isonomy._compare import comparison_blocks
from isonomy._compare.sentences import SENTENCES
from tests.compare import situations as s

# The situation of every sentence; a sentence that is not said in any cannot be here.
SITUATIONS: dict[str, Callable[[], iso.Comparison]] = {
    "take": s.plain,
    "take only": s.one_method,
    "take milder": s.milder,
    "take simpler": s.simpler,
    "take mixed": s.mixed,
    "take surer": s.surer,
    "take promise": s.kept_promise,
    "out of reach": s.out_of_reach,
    "none serves": s.exclusive,
    "none surely": s.three_positives,
    "none ranks": s.one_noise,
    "hardly serves": s.hardly,
    "less sure": s.less_sure,
    "alone ahead": s.alone_ahead,
    "barely kept": s.barely_kept,
    "sure alone": s.sure_alone,
    "near": s.funnel,
    "sure": s.plain,
    "perhaps luck": s.lucky,
    "others at chance": s.idle_promise,
    "others below chance": s.dear_promise,
    "backwards": s.one_sided_values,
    "perhaps at chance": s.two_splits,
    "dictated": s.dictated,
    "left to others": s.left_to_others,
    "price": s.plain,
    "served better": s.nine_labels,
    "standing": s.plain,
    "even": s.simpler,
    "which is not predicted": s.one_blind_for_the_mean,
    "too few to judge": s.nine_positives,
    "funnel": s.funnel,
    "known after": s.known_after,
    "same": s.twice_the_same,
    "all the same": s.thrice_the_same,
    "opposite": s.opposites,
    "exclusive": s.exclusive_two,
    "all exclusive": s.exclusive,
    "opposed": s.contrary,
    "two sides": s.many_opposed,
    "serve apart": s.exclusive,
    "serve apart for now": s.small,
    "keep that one": s.opposites_and_another,
    "group": s.nine_labels,
    "group at a cost": s.exclusive,
    "group of one": s.exclusive,
    "serve all": s.costly_promise,
    "lower the promise": s.kept_at_a_price,
    "serve the rest": s.one_blind,
    "leave out": s.one_blind_of_three,
    "one by luck": s.noise_by_luck,
    "say the goal": s.exclusive,
    "better features": s.noise,
    "leak": s.leaked,
    "turned round": s.leaked_backwards,
    "more leaks": s.many_leaks,
    "unused": s.odd_columns,
    "unused columns": s.more_odd_columns,
    "unused text": s.odd_columns,
    "unused texts": s.more_odd_columns,
    "note": s.trouble,
    "few of a class": s.trouble,
    "few groups": s.one_group,
    "not predicted": s.one_blind_on_average,
    "perhaps predicted": s.three_positives_on_average,
    "not measured": s.three_positives,
    "few splits": s.two_splits,
    "linear alone": s.wide,
    "one label": s.one_label,
    "nothing to rank by": s.exclusive,
    "not taken": s.weighed,
    "many labels": s.nine_labels,
    "untraced": s.untraced,
    "failed": s.trouble,
    "warned": s.trouble,
    "measured": s.plain,
    "over splits": s.plain,
    "of one split": s.one_split,
    "columns": s.plain,
    "in order": s.plain,
    "goal": s.hardly,
    "broken last": s.kept_promise,
    "won": s.plain,
    "won at the top": s.grouped,
    "ndcg": s.grouped,
    "p of promises": s.kept_promise,
    "p": s.plain,
    "left out": s.nine_labels,
}


def pattern(sentence: str) -> str:
    """What a sentence looks like, whatever is filled in."""
    parts = re.split(r"(?<!\{)\{\w+\}(?!\})", SENTENCES[sentence])
    return ".+".join(re.escape(part.replace("{{", "{").replace("}}", "}")) for part in parts)


def test_every_sentence_has_its_situation() -> None:
    assert list(SITUATIONS) == list(SENTENCES)


@pytest.mark.parametrize(
    "situation", list(dict.fromkeys(SITUATIONS.values())), ids=lambda each: each.__name__
)
def test_nothing_is_left_to_be_filled_in(situation: Callable[[], iso.Comparison]) -> None:
    """No list is empty, no number undefined."""
    said = "\n".join(told(situation()))
    assert not re.search(r" ,|: \.|\(\)|  |\bnan\b|All-NaN", said)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_it_is_said_there(sentence: str) -> None:
    said = "\n".join(told(SITUATIONS[sentence]()))
    assert re.search(pattern(sentence), said), said


def told(found: iso.Comparison) -> list[str]:
    """The summary, and what stands beneath the table."""
    return [found.summary(), *comparison_blocks(found)[0].notes]
