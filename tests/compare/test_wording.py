"""What a recommendation says is true."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from isonomy._compare.advice import _two_sides
from isonomy._compare.goals import check_goal
from isonomy._compare.recommend import TOLERANCE
from tests.compare.made_data import made, opposed
from tests.compare.situations import (
    compared,
    contrary,
    contrary_labels,
    costly_promise,
    dear_promise,
    dictated,
    exclusive,
    exclusive_labels,
    few_positives,
    funnel,
    hardly,
    kept_at_a_price,
    kept_promise,
    leaked,
    left_to_others,
    long_funnel,
    many_opposed,
    more_odd_columns,
    nine_labels,
    one_blind,
    one_blind_of_three,
    one_sided_values,
    opposites,
    opposites_and_another,
    plain,
    simpler,
    three_ways,
)


def test_one_goal_in_the_first_line() -> None:
    for goal, words in (
        ("min", "smallest AUC"),
        ("mean", "mean AUC"),
        ({0: 1, 1: 30}, r"AUC by your values \(0 1, 1 30\)"),
    ):
        found = compared(*made(0), methods=["mean", "loss"], goal=goal)
        assert re.match(f"Take '.+': {words} 0", found.summary().splitlines()[0])
    first = kept_promise().summary().splitlines()[0]
    assert re.match(r"Take '.+': it keeps '0' at 0.7 \(0\.\d+ on held-out rows\)", first)
    assert "best AUC of '1'" in first


def test_what_is_said_is_true() -> None:
    found = plain()
    first, second, *_ = found.summary().splitlines()
    own = found[found.recommended]
    assert f"{own.min.mean:.3f}" in first
    assert f"expected loss {found.decision.expected_loss:.3f}" in second
    assert f"Taken again in {round(10 * found.decision.agreement)} of 10" in second
    best = max(method.aucs.mean[0] for method in found.methods)
    assert f"'0' {own.aucs.mean[0]:.3f} of {best:.3f}" in found.summary()
    assert "5 splits, each row held out once" in found.summary().splitlines()[-1]
    near = simpler()
    assert near.decision.index != near.decision.best
    gap = near.methods[near.decision.best].goal.mean - near[near.recommended].goal.mean
    assert 0 <= gap <= TOLERANCE


def test_groups_of_labels_that_one_ranking_serves() -> None:
    found = contrary()
    assert not found.decision.above_chance
    assert found.structure.opposed == ((0, 1),)
    assert [group.labels for group in found.structure.groups] == [(0,), (1,)]
    assert all(group.min_auc > 0.7 for group in found.structure.groups)
    assert [group.labels for group in plain().structure.groups] == [(0, 1)]
    assert exclusive().structure.exclusive == ((0, 1), (0, 2), (1, 2))


def test_values_bring_methods_of_their_own() -> None:
    found = compared(*opposed(0), goal={0: 1, 1: 5})
    assert found["loss aggregation by value"].failed is None
    assert found["blend by value"].failed is None
    assert (
        found[found.recommended].goal.mean >= max(each.goal.mean for each in found.methods) - 0.01
    )
    alone = compared(*opposed(0), goal={1: 5})
    assert alone[alone.recommended].goal.mean >= alone["1 alone"].goal.mean - TOLERANCE


def test_methods_by_which_all_items_are_equal_are_left_out() -> None:
    """Each item has one of three labels, and none has all of them."""
    said = exclusive().summary()
    assert "could not be compared" not in said
    assert "'label aggregation', 'label aggregation (product)', 'plug-in' left out" in said
    asked = compared(*exclusive_labels(), methods=["mean", "loss", "product"])
    assert "'label aggregation', 'label aggregation (product)' could not be" in asked.summary()


def test_where_nothing_serves_nobody_is_told_what_is_near() -> None:
    assert "Within" not in exclusive().reason
    assert "Taken again" not in exclusive().reason


def test_where_nothing_serves_nothing_is_recommended() -> None:
    """Neither by a mark in the table, nor by what is expected of it, nor by whom it sides with."""
    shown = str(exclusive())
    assert "* best, not recommended" in shown
    assert "* recommended" not in shown
    assert "to be expected)" not in shown
    assert "it sides with" not in shown
    assert "* recommended" in str(plain())


def test_labels_ranked_together_are_told_what_each_could_have() -> None:
    said = costly_promise().summary()
    told = re.search(
        r"serve them all: '0', '1' \(smallest AUC (.+) by .+ could have (.+)\)\.", said
    )
    assert told, said
    assert float(told[1]) + 0.02 < float(told[2])


def test_where_nothing_serves_the_best_of_these_rows_is_told() -> None:
    """Not one that is simpler, beside which the table shows a better one."""
    for found in (one_blind(), exclusive(), hardly()):
        own = found[found.recommended].goal.mean
        rivals = [
            each.goal.mean
            for each in found.methods
            if each.kind not in ("chance", "one-label") and each.failed is None
        ]
        assert own == max(rivals)
        assert found.tied_with == ()
        assert not found.decision.above_chance
    assert "(--goal" not in hardly().summary()


def test_of_two_opposites_one_is_kept_and_nothing_else_advised() -> None:
    said = opposites().summary()
    assert "Keep one of them." in said
    assert "Rank for them apart" not in said
    assert "--value" not in said


def test_nobody_ranks_apart_for_the_opposite_of_a_label() -> None:
    said = opposites_and_another().summary()
    assert "Keep the opposite that goes with the rest: one ranking serves '1', '2' (s" in said
    assert "apart" not in said


def test_whoever_is_worth_nothing_may_be_dictated_to() -> None:
    found = compared(*opposed(0), methods=["mean", "one-label"], goal={0: 1})
    assert found["0 alone"].verdicts[0][1] == "dictated"
    assert "dictates to" not in found.summary()
    assert "ranked by '1 alone', '1' dictates to '0' where they disagree" in dictated().summary()
    assert "does not surely predict '1', which another" in left_to_others().summary()
    assert "(0 1) 0." in found.summary()


def test_the_table_tells_which_methods_break_the_promise() -> None:
    shown = str(kept_at_a_price())
    assert "* recommended   x breaks the promise" in shown
    assert "x worst label" in shown
    assert "x 0 alone" not in shown
    shown = str(costly_promise())
    assert "* nearest to the promise" in shown
    assert "x worst label" not in shown


def test_what_is_left_out_of_a_list_is_told_by_dots() -> None:
    found = nine_labels()
    said = found.summary()
    assert re.search("What it gives each label.*, ... and 1 more label served better\\.", said)


def test_few_positives_leave_it_open_whether_a_ranking_serves() -> None:
    """An interval from .2 to .7 is no proof that nothing serves; of opposites there is one."""
    assert few_positives().summary().startswith("These rows cannot tell")
    assert "More rows would tell." in few_positives().summary()
    assert "or more rows do: one ranking serves the rest" in few_positives().summary()
    assert "More rows" not in opposites().summary()
    assert opposites().summary().startswith("No single ranking serves")
    assert "exclude each other" not in opposites().summary()


def test_a_funnel_has_no_column_of_conflicts() -> None:
    assert "won by" not in str(funnel()).lower()
    assert "won by" in str(plain())


def test_a_constant_score_is_no_method_that_gives_a_label_something() -> None:
    """Neither as the best that a label may have, nor among the methods that are counted."""
    found = one_blind()
    best = max(each.aucs.mean[1] for each in found.methods if each.kind != "chance")
    assert best < 0.5
    assert f"'blind' (best AUC {best:.3f})" in found.summary()
    own = found[found.recommended].aucs.mean[1]
    assert f"'blind' {own:.3f} of {best:.3f}" in found.summary()


def test_no_label_is_ranked_apart_that_nothing_predicts() -> None:
    said = one_blind().summary()
    assert re.search("Leave out 'blind' .* serves the rest, 'seen' \\(AUC 0", said)
    assert said.count("surely predict") == 1
    assert "Rank for them apart" not in said
    said = one_blind_of_three().summary()
    assert re.search(r"apart: '0' \(AUC [^;]*; '1' \(AUC [^;]*\. Leave out '2'", said)


def test_the_best_that_another_method_stands_in_for_is_told_by_what_decided() -> None:
    found = simpler()
    decision = replace(found.decision, expected=tuple(0.01 for _ in found.methods))
    first = replace(found, decision=decision).summary().splitlines()[0]
    best = found.methods[decision.best].goal.mean
    assert f"{best:.3f}" not in first
    assert "(0.010 to be expected), and simpler" in first


def test_a_funnel_is_told_once() -> None:
    """Five steps are four, not ten pairs; and a step that chance explains is none."""
    said = long_funnel().summary()
    assert len(long_funnel().structure.funnels) == 10
    assert "'1' comes only with '0'; '2' comes only with '1'; '3' comes" in said
    assert "'2' comes only with '0'" not in said
    rng = np.random.default_rng(0)
    common, rare = rng.random(300) < 0.95, np.arange(300) < 5
    Y = np.column_stack([common | rare, rare])
    found = compared(rng.normal(size=(300, 2)), Y, methods=["mean"])
    assert found.structure.funnels == ()


def test_many_columns_of_a_kind_are_one_sentence() -> None:
    said = more_odd_columns().summary()
    assert "'unit 5', ... and 2 more are not used, each because it is constant" in said
    assert "`text=['note']` (--text note) uses the words of the first" in said
    assert more_odd_columns().features == ("age",)
    assert "and 1 feature (" in said


def test_who_has_said_the_goal_is_not_told_to() -> None:
    said = dear_promise().summary()
    assert "Rank for them apart" in said
    assert "Or say what each is worth" not in said


def test_a_label_that_is_worth_nothing_may_be_ranked_backwards() -> None:
    found = compared(*contrary_labels(), methods=["mean", "one-label"], goal={1: 1})
    assert found[found.recommended].aucs.high[0] < 0.5
    assert "backwards" not in found.summary()
    assert "it ranks '0' backwards" in one_sided_values().summary()


def test_where_promises_are_out_of_reach_the_nearest_method_stands_first() -> None:
    found = compared(*contrary_labels(), methods=["mean", "one-label"], at_least={0: 0.99})
    assert found.recommended == found.methods[0].name
    aucs = [each.aucs.mean[0] for each in found.methods]
    assert aucs == sorted(aucs, reverse=True)
    assert found.decision.agreement > 0.5


def test_promises_in_words() -> None:
    goal = check_goal("min", {"a": 0.7, "b": 0.6, "c": 0.5}, "abcd")
    assert goal.promise == "'a' at 0.7, 'b' at 0.6 and 'c' at 0.5"


def test_features_and_their_importances() -> None:
    found = leaked()
    assert found.features == ("age", "refund")
    assert found.importances[0][0] == "refund"
    assert sum(share for _, share in found.importances) == pytest.approx(1)
    assert [(each.feature, each.label) for each in found.suspects] == [("refund", "0")]
    assert plain().suspects == ()
    assert plain().features == ("0", "1", "2", "3")


def test_many_pairs_are_one_sentence() -> None:
    said = three_ways().summary()
    assert "'0' and '3'; '0' and '4'; " in said
    assert "; ... and 21 more pairs oppose each other: ranked by one alone" in said


def test_two_sides_that_oppose_each_other_are_told_as_such() -> None:
    said = many_opposed().summary()
    assert "'0', '1', '2', '3' oppose '4', '5', '6', '7': ranked by one label of either" in said
    assert "pairs oppose" not in said
    for pairs, sides in (
        ([(0, 1)], None),
        ([(0, 1), (0, 2)], ([0], [1, 2])),
        ([(0, 2), (1, 2)], ([0, 1], [2])),
        ([(0, 1), (0, 2), (1, 2)], None),
        ([(0, 2), (0, 3), (1, 2)], None),
        ([(0, 1), (2, 3)], None),
    ):
        assert _two_sides(pairs) == sides


def test_where_rows_cannot_help_nobody_asks_for_them() -> None:
    """Constant features tell as little of a million rows; trees are tried where only lines were."""
    rng = np.random.default_rng(0)
    Y = rng.random((300, 2)) < 0.4
    said = compared(np.ones((300, 2)), Y, methods=["mean"]).summary()
    assert "try better features or boosted trees (family='boosted'" in said
    assert "rows before" not in said
    said = compared(rng.normal(size=(60, 2)), Y[:60], methods=["mean"]).summary()
    assert re.search("try better features, boosted trees (.*) or more rows before", said)
    both = {"family": ["linear", "boosted"], "methods": ["blend"]}
    assert "trees" not in compared(np.ones((100, 2)), Y[:100], **both).summary()


def test_the_best_that_the_first_line_names_is_not_named_again() -> None:
    found = simpler()
    assert found.decision.near == (found.decision.best,)
    assert found.summary().count("'mine'") == 1
    assert "Within 0.002 of it" not in found.summary()
