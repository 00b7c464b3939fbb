"""What is mutated, and which tests should notice; the quickest first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    """Modules of `src/isonomy`, and tests of `tests`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


SUBJECTS: dict[str, Subject] = {
    "preferences": Subject(
        (
            *("_core/preferences.py", "_core/codes.py", "_core/side_words.py"),
            *("_core/kernels/hashing.py",),
        ),
        (
            *("core/test_preferences.py", "core/test_side_words.py", "core/test_codes.py"),
            *("core/kernels/test_hashing.py", "core/test_objectives.py"),
        ),
    ),
    "objectives": Subject(
        ("_core/objectives.py",),
        (
            *("core/test_objectives.py", "core/test_side_words.py", "core/test_soft_label.py"),
            *("test_bad_input.py",),
        ),
    ),
    "costs": Subject(
        ("_core/costs.py", "_core/powers.py"),
        ("core/test_costs.py", "core/test_powers.py", "core/test_objectives.py"),
    ),
    "mixes": Subject(
        ("_core/mixes.py",),
        ("core/test_mixes.py", "core/test_objectives.py"),
    ),
    "decision": Subject(
        (
            *("_compare/recommend.py", "_compare/goals.py", "_compare/verdicts.py"),
            *("_compare/notes.py", "_compare/sentences.py"),
        ),
        (
            *("compare/test_goals.py", "compare/test_verdicts.py", "compare/test_notes.py"),
            *("compare/test_recommend.py",),
        ),
    ),
    "intervals": Subject(
        (
            *("_metrics/bounds.py", "_metrics/small_samples.py", "_metrics/p_values.py"),
            *("_metrics/intervals.py", "_metrics/list_intervals.py"),
        ),
        (
            *(
                "metrics/test_bounds.py",
                "metrics/test_small_samples.py",
                "metrics/test_p_values.py",
            ),
            *("metrics/test_intervals.py", "metrics/test_counts.py", "metrics/test_clusters.py"),
            *("metrics/test_ndcgs.py", "metrics/test_proc.py", "metrics/test_partial_aucs.py"),
            "metrics/test_bootstrap.py::test_lists_of_one_cluster_are_drawn_together",
        ),
    ),
    "sketch": Subject(
        (
            *("_partial/sketch_bytes.py", "_partial/auc_sketch.py", "_partial/bounded.py"),
            *("_partial/pair_bounds.py", "_partial/shortening.py", "_counting/interval_table.py"),
            *("_counting/kernels/dyadic.py",),
        ),
        (
            *("partial/test_sketch_bytes.py", "partial/test_shortening.py"),
            *("counting/test_interval_table.py", "counting/kernels/test_dyadic.py"),
            # Others of that file take minutes uncompiled.
            *(
                f"partial/test_auc_sketch.py::test_{name}"
                for name in (
                    *(
                        "the_exact_answer_lies_inside_the_bounds",
                        "while_the_table_fits_all_is_exact",
                    ),
                    *("exact_bytes_do_not_depend_on_the_order_of_rows", "mistakes_are_told"),
                    *("ten_billion_rows_by_counts_do_not_overflow", "an_empty_sketch_is_ordinary"),
                    *("labels_in_any_form", "missing_labels_in_any_form"),
                    *("scores_of_frames_and_small_types", "a_copy_by_pickle_is_the_same"),
                    *("no_warning_where_none_is_wanted", "what_waits_to_be_joined_is_little"),
                    *("bounds_of_objectives_stay_between_0_and_1", "sparse_tables_are_as_good"),
                    "intervals_reach_beyond_both_bounds",
                    "intervals_of_an_exact_sketch_are_those_of_its_rows",
                    "pooled_terms_are_one_ratio",
                    "too_many_label_patterns_are_refused_before_anything_changes",
                    "an_audit_of_ranges_inside_others_agrees_with_itself",
                )
            ),
        ),
    ),
    "counting": Subject(
        (
            *("_counting/ranking.py", "_counting/levels.py", "_counting/term_words.py"),
            *("_counting/kernels/counting.py", "_counting/kernels/cells.py"),
            *("_counting/kernels/levels.py", "_counting/kernels/words.py"),
            *("_counting/kernels/coded_ranks.py", "_counting/midranks.py", "_counting/blocks.py"),
        ),
        (
            *("counting/kernels/test_counting.py", "counting/kernels/test_words.py"),
            *("counting/kernels/test_cells.py", "counting/kernels/test_levels.py"),
            *("counting/kernels/test_coded_ranks.py", "counting/test_levels.py"),
            *("counting/test_blocks.py", "counting/test_term_words.py"),
            *("counting/test_ranking.py",),
        ),
    ),
    "influence": Subject(
        (
            *("_counting/influence.py", "_counting/kernels/influence.py", "_counting/spread.py"),
            *("_core/products.py",),
        ),
        (
            *("counting/kernels/test_influence.py", "counting/test_influence.py"),
            *("counting/test_spread.py", "core/test_products.py"),
        ),
    ),
    "pair sums": Subject(
        (
            *("_pairsums/direct.py", "_pairsums/ordered.py", "_pairsums/binned.py"),
            *("_pairsums/layout.py", "_pairsums/cell_moments.py", "_pairsums/sums.py"),
            *("_pairsums/kernels/direct.py", "_pairsums/kernels/fields.py"),
            *("_pairsums/kernels/grid.py", "_pairsums/kernels/layout.py"),
            *("_pairsums/kernels/moments.py", "_pairsums/kernels/prefix.py"),
            *("_pairsums/kernels/terms.py", "_pairsums/spanned.py", "_pairsums/kernels/spans.py"),
            *("_pairsums/tables.py", "_pairsums/term_blocks.py"),
            *("_pairsums/kernels/term_blocks.py",),
        ),
        (
            *("pairsums/kernels", "pairsums/test_layout.py", "pairsums/test_direct.py"),
            *("pairsums/test_ordered.py", "pairsums/test_cell_moments.py"),
            *("pairsums/test_spanned.py",),
            *("pairsums/test_tables.py", "pairsums/test_binned.py"),
            # Those with threads need many rows, which take minutes uncompiled.
            *(
                f"pairsums/test_sums.py::test_{name}"
                for name in (
                    *("sums_equal_those_over_all_pairs", "bad_scores", "more_items"),
                    *("exponential_up_to_its_limit", "derivatives_are_those_of_the_values"),
                    *("the_limit_concerns_only_items_that_matter", "real_valued_levels"),
                    "twenty_labels_with_as_many_patterns_as_rows",
                    *("scores_that_are_not_finite_are_refused", "nothing_to_compare"),
                    *("no_members_at_all", "items_on_both_sides_of_a_term"),
                )
            ),
        ),
    ),
}
