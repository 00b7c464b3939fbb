"""What the fuzzer makes of documents is a document."""

from __future__ import annotations

import json
from random import Random

from fuzz.mutate import VALUES, mutated_tree


def test_documents_stay_trees_and_values_stay_as_they_are() -> None:
    before, document = repr(VALUES), {"a": [{}, {"b": [1, {}]}], "c": [[], [2]]}
    for seed in range(3000):
        json.dumps(mutated_tree(Random(seed), document))
    assert repr(VALUES) == before
    assert document == {"a": [{}, {"b": [1, {}]}], "c": [[], [2]]}


def test_a_seed_makes_the_same_document_again() -> None:
    made = [json.dumps(mutated_tree(Random(seed), {"a": [{}], "b": 1})) for seed in range(200)]
    again = [json.dumps(mutated_tree(Random(seed), {"a": [{}], "b": 1})) for seed in range(200)]
    assert made == again
