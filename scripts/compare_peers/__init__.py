"""What scripts/compare-peers is made of."""
