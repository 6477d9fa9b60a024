"""Statistics of samples and figures: pure functions over plain numbers."""
