"""The committed results are whole, are shown as they are, and show what the paper claims."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from paper.__main__ import NAMES, rendered, script
from paper._errors import clearly
from paper._pages import markdown
from paper._results import RESULTS, load

from paper import beyond

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_each_has_its_files(name: str) -> None:
    for ending, most in (("json", 200), ("md", 30), ("png", 300), ("svg", 300)):
        path = RESULTS / f"{name}.{ending}"
        assert 0 < path.stat().st_size < most * 1000, path
    content = json.loads((RESULTS / f"{name}.json").read_text())
    assert {"name", "settings", "seeds", "versions", "rows", "paper", "made"} <= set(content)
    assert re.match(r"\d+\.\d+", content["made"]["isonomy"])
    assert re.fullmatch("[0-9a-f]{12}", content["made"]["commit"])
    assert content["made"]["seconds"] >= 0
    assert content["rows"]
    assert content["paper"]
    assert not list(RESULTS.glob(".*.trials.jsonl"))


def test_no_paths_of_a_machine() -> None:
    for path in [*RESULTS.glob("*.json"), *RESULTS.glob("*.md")]:
        assert not re.search(r"/(home|root|tmp|work|Users)/", path.read_text()), path


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_result(name: str) -> None:
    page = markdown(name, rendered(name, load(name)))
    assert (RESULTS / f"{name}.md").read_text() == page


def test_the_second_page_shows_the_results() -> None:
    assert (RESULTS / "beyond.md").read_text() == markdown("beyond", beyond.render())


def test_every_table_and_figure_has_its_row_with_a_status() -> None:
    text = (PROJECT / "paper/README.md").read_text()
    for name in NAMES:
        (row,) = (line for line in text.splitlines() if line.startswith(f"| [{name}]"))
        assert re.search(r"\| (reproduced|differs|data not here)", row), row


PRINTED = {
    "mortgage": (0.637, 0.523),
    "loan": (0.550, 0.573),
    "LaA": (0.616, 0.562),
    "LoA": (0.626, 0.555),
}


def bank(recipe: str, training: str = "LinearRanker") -> dict[str, dict]:
    return {
        row["objective"]: row
        for row in load("table_bank").rows
        if (row["recipe"], row["training"]) == (recipe, training)
    }


@pytest.mark.parametrize("training", ["LinearRanker", "Adam"])
def test_bank_comes_close_to_the_printed_table(training: str) -> None:
    ours = bank("closest", training)
    for objective, printed in PRINTED.items():
        found = [ours[objective][f"auc_{name}"] for name in ("mortgage", "loan")]
        assert found == pytest.approx(printed, abs=0.015)
        assert ours[objective]["trials"] == 25


@pytest.mark.parametrize("recipe", ["literal", "closest"])
def test_bank_label_aggregation_is_more_balanced_at_nine_tenths(recipe: str) -> None:
    ours = bank(recipe)
    assert ours["LaA"]["min_auc"] > ours["LoA"]["min_auc"]
    assert ours["LaA"]["diff_auc"] < ours["LoA"]["diff_auc"]


@pytest.mark.parametrize("recipe", ["literal", "closest"])
def test_bank_adam_agrees_with_the_optimum(recipe: str) -> None:
    ours, adam = bank(recipe), bank(recipe, "Adam")
    for objective, row in adam.items():
        for name in ("mortgage", "loan"):
            column = f"auc_{name}"
            assert row[column] == pytest.approx(ours[objective][column], abs=5e-4)


def test_bank_sweep_has_a_crossover() -> None:
    found = {
        (row["recipe"], row["share"], row["objective"]): row
        for row in load("figure_bank_sweep").rows
    }
    for recipe in ("literal", "closest"):
        lead = {
            share: found[recipe, share, "LaA"]["min_auc"] - found[recipe, share, "LoA"]["min_auc"]
            for share in (0.5, 0.9)
        }
        assert lead[0.5] < 0 < lead[0.9]


def mslr(pairs: str = "all") -> dict[tuple[str, str, str], dict]:
    return {
        (row["direction"], row["training"], row["objective"]): row
        for row in load("table_mslr").rows
        if row["pairs"] == pairs
    }


DIRECTIONS = ("train to test", "test to train")


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_mslr_label_aggregation_is_more_balanced(direction: str) -> None:
    """With TF-Ranking's settings; the difference with any."""
    assert mslr()[direction, "MLP by query", "LaA - LoA"]["min_auc"] > 0
    for training in ("MLP by query", "MLP", "linear"):
        assert clearly(mslr()[direction, training, "LaA - LoA"], "diff_auc") == -1


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_mslr_comes_close_to_the_printed_table(direction: str) -> None:
    for printed in load("table_mslr").paper:
        ours = mslr()[direction, "MLP by query", printed["objective"]]
        for column in ("auc_click", "auc_relevance"):
            assert ours[column] == pytest.approx(printed[column], abs=0.035)


def test_mslr_label_aggregation_dominates_nowhere() -> None:
    found = [row for (*_, name), row in mslr().items() if name == "LaA - LoA"]
    assert len(found) == 6
    assert all(row["auc_click"] < 0 for row in found)


def test_mslr_clicks_are_easier() -> None:
    found = [row for (*_, name), row in mslr().items() if " - " not in name]
    assert len(found) > 50
    assert all(row["auc_click"] > row["auc_relevance"] for row in found)


def test_mslr_both_labels_never_surely_help_clicks() -> None:
    found = mslr()
    relevance = []
    for (_, _, name), row in found.items():
        if name in ("LaA - click", "LoA - click"):
            assert clearly(row, "auc_click") < 1
        if name == "LaA - relevance":
            relevance.append(clearly(row, "auc_relevance"))
    assert relevance.count(1) == 2


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("training", ["MLP by query", "linear"])
def test_mslr_label_aggregation_stands_beside_its_weights(direction: str, training: str) -> None:
    """a = pi (1 - pi) is about 1:9 there."""
    label, loss = (mslr()[direction, training, name] for name in ("LaA", "LoA 1:9"))
    for column in ("auc_click", "auc_relevance"):
        assert label[column] == pytest.approx(loss[column], abs=0.005)


def test_mslr_errors_are_by_query() -> None:
    """Those of documents would be about .02 and .007."""
    row = mslr()["train to test", "linear", "LaA"]
    assert row["auc_click_se"] > 0.025
    assert row["auc_relevance_se"] > 0.018


@pytest.mark.parametrize("angle", ["drawn", "right"])
def test_synthetic_loss_aggregation_has_the_smaller_gap_at_nine_tenths(angle: str) -> None:
    """Of the best scorers; between .5 and .8 it is label aggregation."""
    signs = {
        row["pi_2"]: clearly(row, "diff_auc")
        for row in load("table_synthetic_training").rows
        if (row["angle"], row["training"], row["objective"])
        == (angle, "true probabilities", "LaA - LoA")
    }
    assert [signs[prior] for prior in (0.6, 0.7, 0.9)] == [-1, -1, 1]


def test_synthetic_single_labels_have_the_printed_gaps_at_a_right_angle() -> None:
    for row in load("table_synthetic_training").rows:
        if row["angle"] == "right" and row["objective"] in ("y1", "y2"):
            assert 0.44 < row["diff_auc"] < 0.56


POPULATION = [
    (1.0, 0.4, 0.438235, 0.643561, 0.647405, 0.644048, 0.646908),
    (5.0, 0.4, 0.203201, 0.886785, 0.906645, 0.888096, 0.905307),
    (5.0, 0.1, 0.891710, 0.894583, 0.895284, 0.909914, 0.869335),
    (10.0, 0.4, 0.200033, 0.937562, 0.955018, 0.939302, 0.953242),
    (50.0, 0.1, 0.800001, 0.989053, 0.995870, 0.993474, 0.987194),
    ("inf", 0.4, 0.2, 0.9424, 1.0, 0.9712, 0.97),
]


@pytest.mark.parametrize("name", ["figure_pi2_sweep", "figure_pi2_sweep_aucs"])
@pytest.mark.parametrize("row", POPULATION, ids=str)
def test_population_values(name: str, row: tuple) -> None:
    tau, prior, rho, *aucs = row
    found = {
        r["objective"]: r
        for r in load(name).rows
        if (r["kind"], r["tau"], r["pi_2"]) == ("population", tau, prior)
    }
    assert found["LoA"]["rho"] == pytest.approx(rho, abs=1e-6)
    ours = [found[method][f"auc_{k}"] for method in ("LoA", "LaA") for k in (1, 2)]
    assert ours == pytest.approx(aucs, abs=1e-6)


def test_samples_lie_within_their_standard_error() -> None:
    errors = [row["errors"] for row in script("figure_pi2_sweep").deviations(sweep_rows())]
    assert len(errors) == 40
    assert sum(abs(error) <= 1 for error in errors) >= 0.55 * len(errors)
    assert max(map(abs, errors)) < 3.5
    assert math.sqrt(sum(e * e for e in errors) / len(errors)) == pytest.approx(1, abs=0.3)


def sweep_rows() -> list[dict]:
    return load("figure_pi2_sweep").rows


def test_crossovers_of_the_sweep() -> None:
    found = [row["pi_2"] for row in sweep_rows() if row["kind"] == "crossover"]
    assert found == pytest.approx([0.2504, 0.1964, 0.1738, 0.0965, 0.0918], abs=1e-4)


def test_sets_of_best_assignments() -> None:
    rows = load("figure_pareto_fronts").rows
    sizes = [row for row in rows if row["kind"] == "set"]
    assert len(sizes) == 40
    assert all(row["size"] == row["expected"] for row in sizes)
    relations = [row for row in rows if row["kind"] == "relations"]
    for row in relations:
        assert all(value is True for value in row.values() if isinstance(value, bool))
        assert sum(isinstance(value, bool) for value in row.values()) == 5


def test_every_entry_of_the_summary_table_holds() -> None:
    module = script("table_bayes_optimal")
    for row in module.verdicts(load("table_bayes_optimal").rows):
        assert all(value for key, value in row.items() if key != "objective"), row


def test_arrows_are_those_of_the_paper() -> None:
    found = load("figure_partial_orders")

    def key(row: dict) -> tuple:
        return (row["panel"], row["low"], row["high"], row["takes_sides"])

    assert sorted(map(key, found.rows)) == sorted(map(key, found.paper))


def test_values_of_the_theorem_and_the_examples() -> None:
    gaps = {row["labels"]: row for row in load("theorem_auc_gap").rows}
    for labels, auc, gap, t, printed, proved in (
        (12, 0.52959431, 0.00064375, 0.44505, 1.6039, 0.99384),
        (60, 0.55711929, 0.00026165, 0.19903, 0.49698, 0.28686),
    ):
        row = gaps[labels]
        assert [row["auc_best"], row["gap"]] == pytest.approx([auc, gap], abs=5e-9)
        assert row["t"] == pytest.approx(t, abs=5e-6)
        assert [row["bound_printed"], row["bound_proved"]] == pytest.approx(
            [printed, proved], rel=5e-5
        )
    six = {row["scorer"]: row for row in load("example_pareto").rows}
    assert six["f_opt"]["exact_1"] == six["f_opt"]["exact_2"] == "112831/172062"
    assert (six["g"]["exact_1"], six["g"]["exact_2"]) == ("113131/172062", "37777/57354")
    assert six["f_opt"]["dominated_by"] > 0
    assert six["g"]["dominated_by"] == six["linear costs"]["dominated_by"] == 0
    certain = {
        row["objective"]: row
        for row in load("example_dictatorship").rows
        if row["labels"] == "certain"
    }
    assert certain["LoA"]["alpha_relevant"] == pytest.approx(4.17, abs=5e-3)
    assert certain["LoA"]["alpha_recent"] == pytest.approx(101.01, abs=5e-3)
    assert (certain["LoA"]["dictator"], certain["LaA"]["dictator"]) == ("recent", None)
