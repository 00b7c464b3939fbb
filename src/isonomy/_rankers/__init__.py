"""Rankers: scikit-learn estimators whose `predict` gives one score to sort by."""
