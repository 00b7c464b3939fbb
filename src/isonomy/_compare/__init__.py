"""Which method for my data? Rankers trained and measured on the same splits."""
