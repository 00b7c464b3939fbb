"""Long names are cut, and stay apart."""

from __future__ import annotations

from isonomy._infra.names import short_names


def test_names_that_begin_alike_stay_apart() -> None:
    names = ["click", *(f"conversion_rate_{i}" for i in range(3)), "conversion_rate_1, shop"]
    found = short_names(names, 14)
    assert list(found) == names
    assert found["click"] == "click"
    assert len(set(found.values())) == len(names)
    assert all(len(text) <= 14 for text in found.values())


def test_names_alike_at_both_ends_get_numbers() -> None:
    names = [f"{'a' * 20}{i}{'z' * 20}" for i in range(3)]
    assert [text[-4:] for text in short_names(names, 14).values()] == [" (1)", " (2)", " (3)"]
